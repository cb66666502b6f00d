import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Delivery, openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { openProductStore } from '../../../local/harness/product-store.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';

const HOUR_MS = 3_600_000;

/** How the changes of products arrive. */
const WAYS = ['webhooks', 'events', 'both'] as const;
type Way = (typeof WAYS)[number];

const FATES = ['now', 'now', 'twice', 'late', 'lost'] as const;
const step = fc.record({
  what: fc.constantFrom(
    ...([
      'create',
      'rename',
      'price',
      'one price',
      'draft',
      'active',
      'vendor',
      'picture',
    ] as const),
    ...(['inventory', 'inventory', 'tags', 'delete'] as const),
  ),
  which: fc.nat(3),
  value: fc.nat(4),
  gapMs: fc.constantFrom(0, 400, 1_000, 90_000),
  works: fc.boolean(),
  fates: fc.array(fc.constantFrom(...FATES), { minLength: 6, maxLength: 6 }),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

type Store = ReturnType<typeof openProductStore>;

function apply(store: Store, { what, which, value }: Step) {
  const product = [...store.rows.products.values()][which];
  const productId = product?.id ?? '';
  switch (what) {
    case 'create':
      return store.change('createProduct', {
        title: `New ${value}`,
        variants: [
          { title: 'A', price: value + 2 },
          { title: 'B', price: 5 },
        ],
      });
    case 'rename':
      return store.change('updateProduct', { productId, title: `Name ${value}` });
    case 'price':
      return store.change('updateProduct', { productId, price: value + 1 });
    case 'one price': {
      const variantId = product?.variants.at(-1)?.id ?? '';
      const variantPrices = [{ variantId, price: value + 1 }];
      return store.change('updateProduct', { productId, variantPrices });
    }
    case 'draft':
    case 'active':
      return store.change('updateProduct', { productId, status: what });
    case 'vendor':
      return store.change('updateProduct', { productId, vendor: `Vendor ${value}` });
    case 'picture':
      return store.change('updateProduct', {
        productId,
        imageUrl: `https://cdn.example.com/${value}.jpg`,
      });
    case 'inventory':
      return store.change('changeInventory', { productId, by: value - 2 });
    case 'tags':
      return store.change('updateProduct', { productId, tags: [`tag-${value}`] });
    case 'delete':
      return store.change('deleteProduct', { productId });
  }
}

/** What both systems hold in the end, without what only the way itself explains. */
async function live(way: Way, steps: readonly Step[], heals: boolean) {
  const connector = openConnector({
    healing: { productChanges: way === 'webhooks' ? 'webhooks' : 'events' },
  });
  await connector.reconcile();
  connector.clock.ms += HOUR_MS;
  const store = openProductStore(connector);
  const created = new Set<string>();
  const late: Delivery[] = [];
  for (const one of steps) {
    connector.clock.ms += one.gapMs;
    const changed = apply(store, one);
    for (const { id } of store.rows.products.values()) created.add(id);
    const sent = [
      ...(way === 'events' ? [] : changed.webhooks),
      ...(way === 'webhooks' ? [] : changed.events),
    ];
    for (const [index, delivery] of sent.entries()) {
      const fate = one.fates[index % one.fates.length];
      if (fate === 'late' || (fate === 'lost' && !heals)) late.unshift(delivery);
      if (fate === 'now' || fate === 'twice') await connector.deliver(delivery);
      if (fate === 'twice') await connector.deliver(delivery);
    }
    if (one.works) await connector.work('products');
  }
  for (const delivery of late) await connector.deliver(delivery);
  await connector.drain();
  for (const deep of heals ? [false, true] : []) {
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep });
    await connector.drain();
  }

  const keys = [...created].map((id) => ({ shop: SHOP, kind: 'product', id }) as const);
  const entries = await connector.ledger.readMany(keys);
  for (const { id, updatedAt } of heals ? store.rows.products.values() : []) {
    const entry = entries.get(ledgerKeyText({ shop: SHOP, kind: 'product', id }));
    expect(entry?.version, `the version of ${id}`).toBe(Date.parse(updatedAt));
  }
  expect(connector.deadLetters()).toEqual([]);
  return {
    held: [...connector.loyalty.rows.products.values()]
      // What was deleted before any delivery arrived was never sent by that way.
      .filter(({ OriginalId }) => store.rows.products.get(OriginalId))
      .toSorted((one, other) => one.OriginalId.localeCompare(other.OriginalId)),
    ended: [...connector.loyalty.rows.products.values()].filter(
      ({ OriginalId, IsActive }) => !store.rows.products.get(OriginalId) && IsActive,
    ),
    ledger: [...store.rows.products.values()].map(({ id }) => {
      const entry = entries.get(ledgerKeyText({ shop: SHOP, kind: 'product', id }));
      const { appliedKey, remembered, uncertain } = entry ?? {};
      return { id, appliedKey, remembered, uncertain };
    }),
  };
}

describe('webhooks and Events of products', () => {
  it.each([
    ['doubled, reordered and late, without any healing', false],
    ['doubled, reordered, late or lost, and healed', true],
  ])('end in the same ledger and loyalty service: %s', async (_, heals) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const [byWebhooks, byEvents, byBoth] = await Promise.all(
          WAYS.map((way) => live(way, steps, heals)),
        );
        expect(byEvents).toEqual(byWebhooks);
        expect(byBoth).toEqual(byWebhooks);
        expect(byWebhooks?.ended).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
