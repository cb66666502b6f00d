import { Kind, parse, type SelectionNode, type SelectionSetNode } from 'graphql';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { checkAdminDocument } from '../../../scripts/build/admin-documents.ts';
import { completeHealing } from '../../../shared/config/connector-settings.ts';
import { shopAddress } from '../../../shared/core/events/receive-delivery.ts';
import { adminSchema, queryCost } from '../../../shared/shopify/admin/schema/admin-schema.ts';
import {
  compareSubscriptions,
  createSubscriptions,
  isInOrder,
} from '../../../shared/shopify/subscriptions/subscriptions.ts';
import {
  appConfiguration,
  type ExistingSubscription,
  PRODUCT_TRIGGERS,
  topicsOfEvents,
  wantedEvents,
  wantedSubscriptions,
} from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { complianceTopics, topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';

const HERE = 'https://hooks.example.com';
const uri = shopAddress(HERE, 'shop');
const rules = { customers: 'from-sign-up', lostDisputes: 'take-back' } as const;
const wanted = wantedSubscriptions(uri, rules);

let lastId = 0;
function existing(topic: string, given: Partial<ExistingSubscription> = {}): ExistingSubscription {
  lastId += 1;
  const includeFields = wanted.find((one) => one.topic === topic)?.includeFields ?? [];
  return {
    id: `gid://shopify/WebhookSubscription/${lastId}`,
    topic,
    uri,
    includeFields,
    format: 'JSON',
    filter: undefined,
    metafieldNamespaces: [],
    apiVersion: { handle: '2026-10', supported: true },
    ...given,
  };
}
const all = () => wanted.map(({ topic }) => existing(topic));
const compare = (subscriptions: readonly ExistingSubscription[]) =>
  compareSubscriptions(wanted, subscriptions, HERE);

describe('the wanted subscriptions', () => {
  it('cover every topic that the connector handles, except the compliance topics', () => {
    const topics = new Set(wanted.map(({ topic }) => topic));
    const handled = [...topicRoutes.keys()].filter((topic) => !complianceTopics.has(topic));
    expect(topics).toEqual(new Set(handled));
    expect(topics).toContain('app/uninstalled');
  });

  it('go to the shop’s own address', () => {
    expect(uri).toBe('https://hooks.example.com/shop');
    expect(shopAddress('https://hooks.example.com/', 'shop')).toBe(uri);
    expect(wanted.every((one) => one.uri === uri)).toBe(true);
  });
});

describe('comparing subscriptions', () => {
  it('finds no difference where all are as wanted', () => {
    const findings = compare(all());
    expect(findings).toMatchObject({ missing: [], wrong: [], extra: [], other: [] });
    expect(findings.fine).toHaveLength(wanted.length);
    expect(findings.version).toBeUndefined();
    expect(isInOrder(findings)).toBe(true);
  });

  it('reports each missing one', () => {
    for (const { topic } of wanted) {
      const findings = compare(all().filter((one) => one.topic !== topic));
      expect(findings.missing.map((one) => one.topic)).toEqual([topic]);
      expect(isInOrder(findings)).toBe(false);
    }
  });

  it.each([
    ['fields', { includeFields: [] }],
    ['fields', { includeFields: ['id'] }],
    ['filter', { filter: 'total_price:>100' }],
    ['format', { format: 'XML' }],
    ['metafields', { metafieldNamespaces: ['facts'] }],
  ] as const)('finds one with other %s wrong', (difference, given) => {
    const wrong = existing('orders/updated', given);
    const findings = compare([...all().filter(({ topic }) => topic !== 'orders/updated'), wrong]);
    expect(findings.wrong).toMatchObject([{ existing: wrong, differs: [difference] }]);
    expect(findings.missing).toEqual([]);
  });

  it('ignores the order of the fields and the spelling of the address', () => {
    const [first, ...rest] = all();
    const turned = existing('orders/create', {
      includeFields: (first?.includeFields ?? []).toReversed(),
      uri: 'HTTPS://Hooks.Example.com/shop/',
    });
    expect(isInOrder(compare([turned, ...rest]))).toBe(true);
  });

  it('reports a duplicate of a topic as extra, and keeps the right one', () => {
    const filtered = existing('orders/paid', { filter: 'test:true' });
    const findings = compare([filtered, ...all()]);
    expect(findings.extra).toEqual([filtered]);
    expect(findings.wrong).toEqual([]);
  });

  it('reports an unknown topic or a former path as extra', () => {
    const unhandled = existing('CARTS_UPDATE');
    const former = existing('orders/create', { uri: `${HERE}/former` });
    expect(compare([...all(), unhandled, former]).extra).toEqual([unhandled, former]);
  });

  it('leaves subscriptions to other addresses alone', () => {
    const others = [
      existing('orders/create', { uri: 'https://hooks.example.com.evil.example/shop' }),
      existing('orders/create', { uri: 'https://other.example.com/shop' }),
      existing('orders/create', { uri: 'arn:aws:events:us-east-1::event-source/x' }),
      existing('orders/create', { uri: 'pubsub://project:topic' }),
    ];
    const findings = compare([...all(), ...others]);
    expect(findings.other).toEqual(others);
    expect(isInOrder(findings)).toBe(true);
    const staged = compareSubscriptions(wanted, others, 'https://hooks.example.com/prod');
    expect(staged.extra).toEqual([]);
  });

  it('reports another API version, and a retired one', () => {
    const older = { apiVersion: { handle: '2026-07', supported: true } };
    const retired = { apiVersion: { handle: '2025-01', supported: false } };
    const [, ...rest] = all();
    expect(compare([existing('orders/create', older), ...rest]).version).toEqual({
      handle: '2026-07',
      retired: false,
    });
    const both = [existing('orders/create', older), existing('orders/updated', retired)];
    expect(compare(both).version).toEqual({ handle: '2025-01', retired: true });
  });
});

interface AppToml {
  readonly events: { readonly api_version: string; readonly subscription: readonly unknown[] };
  readonly webhooks: {
    readonly api_version: string;
    readonly subscriptions: readonly {
      readonly uri: string;
      readonly topics?: readonly string[];
      readonly include_fields?: readonly string[];
    }[];
  };
}
const readToml = (...given: Parameters<typeof appConfiguration>) =>
  parseToml(appConfiguration(...given)) as unknown as AppToml;

describe('the settings', () => {
  it('subscribe of customers only to their merges where the settings send them with their orders', () => {
    const withOrders = { customers: 'with-orders', lostDisputes: 'ignore' } as const;
    const topics = wantedSubscriptions(uri, withOrders).map(({ topic }) => topic);
    expect(topics.filter((topic) => topic.startsWith('customers/'))).toEqual(['customers/merge']);
    expect(topics).toHaveLength(wantedSubscriptions(uri).length - 3);
  });

  it('subscribe to the topics of disputes only where lost ones count', () => {
    const counted = { customers: 'from-sign-up', lostDisputes: 'take-back' } as const;
    const topicsOf = (...given: Parameters<typeof wantedSubscriptions>) =>
      wantedSubscriptions(...given)
        .filter(({ topic }) => topic.startsWith('disputes/'))
        .map(({ topic, includeFields }) => ({ topic, includeFields }));
    expect(topicsOf(uri)).toEqual([]);
    expect(topicsOf(uri, counted)).toEqual([
      { topic: 'disputes/create', includeFields: ['order_id'] },
      { topic: 'disputes/update', includeFields: ['order_id'] },
    ]);
  });
});

describe('the connector’s part of shopify.app.toml', () => {
  it('declares the compliance topics, which the Admin API does not take', () => {
    const { api_version, subscriptions } = readToml(uri).webhooks;
    expect(api_version).toBe('2026-10');
    expect(subscriptions).toEqual([{ compliance_topics: [...complianceTopics], uri }]);
  });
});

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
});

describe('shopify.app.toml with Events', () => {
  it('declares them once', () => {
    const read = readToml(uri, byEvents);
    expect(read.events).toEqual({ api_version: '2026-10', subscription: [events] });
    expect(read.webhooks.subscriptions).toHaveLength(1);
    const topics = wantedSubscriptions(uri, undefined, byEvents).map(({ topic }) => topic);
    expect(topics.filter((topic) => topic.startsWith('products/'))).toEqual([]);
    expect(topics).toHaveLength(wantedSubscriptions(uri).length - 3);
  });

  it('has no table of Events without them', () => {
    expect(appConfiguration(uri)).not.toContain('[events');
  });
});

it('a subscription is made anew where its correction leaves something of it, such as a filter', async () => {
  const asked: string[] = [];
  const answer = (filter: string | undefined) => ({
    webhookSubscription: { ...existing('orders/create', { filter }), topic: 'ORDERS_CREATE' },
  });
  const data = {
    webhookSubscriptionUpdate: answer('test:true'),
    webhookSubscriptionCreate: answer(undefined),
  };
  const ask = async ({ text }: { readonly text: string }) => {
    asked.push(/webhookSubscription(\w+)\(/.exec(text)?.[1] ?? '');
    return { kind: 'data', data } as never;
  };
  const shopOf = () => ({ path: 'shop', rules });
  const products = { productChanges: 'webhooks' } as const;
  const subscriptions = createSubscriptions({
    ...{ ask: () => ask, shopOf, webhookAddress: HERE, products },
  });
  const { wrong } = compare([existing('orders/create', { filter: 'test:true' })]);
  const changes = await subscriptions.repair('shop', { missing: [], wrong, extra: [] });
  expect(changes).toEqual([{ done: 'corrected', topic: 'orders/create' }]);
  expect(asked).toEqual(['Update', 'Delete', 'Create']);
});
