import { expect, it } from 'vitest';
import { openConnector } from '../local/harness/in-process-connector.ts';
import { productAt } from '../local/harness/product-payload.ts';
import { seededRandom } from '../local/sandbox-kit/seeded-random.ts';

const PRODUCTS = 20;
const PER_PRODUCT = 50;
const REAL_CHANGES = 0.05;
const SEED = 20_261_009;

interface Snapshot {
  readonly product: number;
  readonly second: number;
  readonly price: string;
}

/**
 * A day of sales: the store sends a webhook for every change of stock, in any order, and few of them matter to the
 * loyalty service. After every ten webhooks one batch is processed, as if the workers keep up and no backlog merges
 * changes. A fixed seed: another result means another behaviour.
 */
it('a shuffled storm of products/update costs fewer loyalty calls than there were changes', async () => {
  const connector = openConnector();
  const { snapshots, changes, lastPrices } = drawStorm(PRODUCTS);
  for (let product = 0; product < PRODUCTS; product += 1) {
    await connector.deliver(delivery({ product, second: 0, price: priceOf(0) }));
  }
  await connector.drain();
  const before = connector.loyalty.journal.length;
  for (let start = 0; start < snapshots.length; start += 10) {
    for (const snapshot of snapshots.slice(start, start + 10)) {
      await connector.deliver(delivery(snapshot));
    }
    await connector.work('products');
  }
  await connector.drain();
  // A connector that loses changes would look cheap.
  for (const [product, price] of lastPrices) {
    const held = connector.loyalty.rows.products.get(String(idOf(product)))?.ProductPrice;
    expect(held, `product ${product}`).toBe(Number(price));
  }
  expect(snapshots).toHaveLength(1_000);
  expect(changes).toBe(50);
  expect(connector.loyalty.journal.length - before).toBe(29);
});

interface Storm {
  readonly snapshots: readonly Snapshot[];
  readonly changes: number;
  /** The final price of each product. */
  readonly lastPrices: ReadonlyMap<number, string>;
}

function drawStorm(products: number): Storm {
  const random = seededRandom(SEED);
  const all = Array.from({ length: products * PER_PRODUCT }, (_, index) => ({
    product: index % products,
    second: 1 + Math.floor(index / products),
  }));
  const changed = new Set(shuffle(all, random).slice(0, Math.round(all.length * REAL_CHANGES)));
  const changesOf = new Map<number, number>();
  const snapshots = all.map((snapshot) => {
    const before = changesOf.get(snapshot.product) ?? 0;
    const count = before + (changed.has(snapshot) ? 1 : 0);
    changesOf.set(snapshot.product, count);
    return { ...snapshot, price: priceOf(count) };
  });
  const lastPrices = new Map(snapshots.map(({ product, price }) => [product, price]));
  return { snapshots: shuffle(snapshots, random), changes: changed.size, lastPrices };
}

const idOf = (product: number): number => 8_000_000_000_000 + product;

const priceOf = (changes: number): string => `${20 + changes}.00`;

function delivery({ product, second, price }: Snapshot) {
  const id = idOf(product);
  const payload = productAt(second, {
    id,
    admin_graphql_api_id: `gid://shopify/Product/${id}`,
    variants: [{ id: 1, price, inventory_quantity: 1_000 - second }],
  });
  return { topic: 'products/update', payload };
}

function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
