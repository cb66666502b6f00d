import { Kind, parse, type SelectionNode, type SelectionSetNode } from 'graphql';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { checkAdminDocument } from '../../../../scripts/build/check-admin-document.ts';
import { completeHealing } from '../../../../shared/config/connector-settings.ts';
import { adminSchema, queryCost } from '../../../../shared/shopify/admin/schema/admin-schema.ts';
import {
  appConfiguration,
  PRODUCT_TRIGGERS,
  topicsOfEvents,
  wantedEvents,
  wantedSubscriptions,
} from '../../../../shared/shopify/subscriptions/wanted-subscriptions.ts';

const uri = 'https://hooks.example.com/shop';
const byEvents = completeHealing({ productChanges: 'events' });
const [events] = wantedEvents(uri, byEvents);
const document = parse(events?.query ?? '');

function fieldsOf({ selections }: SelectionSetNode): readonly string[] {
  return selections.map((one: SelectionNode) => (one.kind === Kind.FIELD ? one.name.value : '?'));
}

/** Which change makes each field of the payload another one; null: no change that the mapping uses. */
const CHANGES: Readonly<Record<string, string | null>> = {
  id: null,
  updatedAt: null,
  title: 'product.title',
  handle: 'product.handle',
  status: 'product.status',
  vendor: 'product.vendor',
  productType: 'product.productType',
  category: 'product.category',
  priceRangeV2: 'product.variants.*',
  media: 'product.media.*',
  featuredMedia: 'product.media.*',
};

describe('the wanted Events', () => {
  it('are none while changes of products come by webhooks', () => {
    expect(wantedEvents(uri, completeHealing())).toEqual([]);
    expect(topicsOfEvents(completeHealing())).toEqual(new Set());
  });

  it('have a trigger for every field that the mapping uses, and none besides', () => {
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('there is no operation');
    const [product] = operation.selectionSet.selections;
    if (product?.kind !== Kind.FIELD || !product.selectionSet) throw new Error('no product');
    const fields = fieldsOf(product.selectionSet);
    expect(fields.toSorted()).toEqual(Object.keys(CHANGES).toSorted());
    const needed = new Set(fields.flatMap((field) => CHANGES[field] ?? []));
    expect(needed).toEqual(new Set(events?.triggers));
  });

  it('have triggers that are fields of a product in Shopify’s schema, and an update has one', () => {
    const product = adminSchema().getType('Product');
    if (!product || !('getFields' in product)) throw new Error('there is no product');
    for (const trigger of PRODUCT_TRIGGERS) {
      const [root, field = ''] = trigger.split('.');
      expect([root, Object.keys(product.getFields())]).toEqual([
        'product',
        expect.arrayContaining([field]),
      ]);
    }
    expect(events?.actions).toContain('update');
    expect(events?.triggers.length).toBeGreaterThan(0);
  });

  it('ask for what Shopify’s schema has, with the variable that Shopify gives, and no fragments', () => {
    expect(checkAdminDocument(adminSchema(), document)).toEqual([]);
    expect(document.definitions).toHaveLength(1);
    expect(events?.query).toMatch(/^query \w+\(\$productId:ID!\)\{/);
    // Practitioners report a limit of 100 points for the query of a subscription.
    expect(queryCost(adminSchema(), document)).toBe(11);
  });

  it('take other triggers from the settings', () => {
    const given = completeHealing({ productChanges: 'events', productTriggers: ['product.*'] });
    expect(wantedEvents(uri, given)[0]?.triggers).toEqual(['product.*']);
  });
});

describe('shopify.app.toml with Events', () => {
  it.each(['admin-api', 'app-configuration'] as const)(
    'declares them once and no webhook of products (%s)',
    (madeBy) => {
      const text = appConfiguration(uri, madeBy, undefined, byEvents);
      const read = parseToml(text) as {
        events: { api_version: string; subscription: unknown[] };
        webhooks: { subscriptions: { topics?: string[] }[] };
      };
      expect(read.events).toEqual({ api_version: '2026-10', subscription: [events] });
      const topics = read.webhooks.subscriptions.flatMap(({ topics = [] }) => topics);
      expect(topics.filter((topic) => topic.startsWith('products/'))).toEqual([]);
      expect(topics).toHaveLength(madeBy === 'admin-api' ? 0 : wantedSubscriptions(uri).length - 3);
    },
  );

  it('has no table of Events without them', () => {
    expect(appConfiguration(uri, 'app-configuration')).not.toContain('[events');
  });
});
