import { openConnector } from '../../local/harness/in-process-connector.ts';
import { productAt } from '../../local/harness/product-payload.ts';
import { openProductStore } from '../../local/harness/product-store.ts';
import { seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import type { Bench, Figure } from '../bench.ts';

const PRODUCTS = 200;
const PER_PRODUCT = 50;
const REAL_CHANGES = 0.05;
const SEED = 20_261_009;

interface Snapshot {
  readonly product: number;
  readonly second: number;
  readonly price: string;
}

/**
 * A day of sales: the store sends a webhook for every change of stock, in any order, and few of them
 * matter to the loyalty service. Uses the real readers, mapping, plan and batches in this process. After
 * every ten webhooks one batch is processed, as if the workers keep up and no backlog merges changes.
 */
export const storm: Bench = {
  name: 'storm',
  async run({ quick }) {
    const products = quick ? PRODUCTS / 10 : PRODUCTS;
    const connector = openConnector();
    const { snapshots, changes, lastPrices } = drawStorm(products);
    for (let product = 0; product < products; product += 1) {
      await connector.deliver(delivery({ product, second: 0, price: priceOf(0) }));
    }
    await connector.drain();
    const before = connector.loyalty.journal.length;

    const started = performance.now();
    for (let start = 0; start < snapshots.length; start += 10) {
      for (const snapshot of snapshots.slice(start, start + 10)) {
        await connector.deliver(delivery(snapshot));
      }
      await connector.work('products');
    }
    await connector.drain();
    const seconds = (performance.now() - started) / 1000;

    // A connector that loses changes would look cheap.
    for (const [product, price] of lastPrices) {
      const held = connector.loyalty.rows.products.get(String(idOf(product)))?.ProductPrice;
      if (held !== Number(price))
        throw new Error(`product ${product} ended at ${held}, not ${price}`);
    }
    const calls = connector.loyalty.journal.length - before;
    const note = `${snapshots.length} products/update of ${products} products, ${changes} real changes, shuffled`;
    return [
      {
        key: 'storm.calls',
        value: calls / changes,
        unit: 'calls per change',
        note,
        bar: { kind: 'at-most', limit: 1.5, of: 'value' },
      },
      { key: 'storm.rate', value: snapshots.length / seconds, unit: 'events/s', note },
      ...(await messagesOf('events', quick)),
      ...(await messagesOf('webhooks', quick)),
    ];
  },
};

const HOUR_MS = 3_600_000;
/** Fewer products, because the store sandbox answers a query for each Event. */
const SOLD_PRODUCTS = 40;

/**
 * The messages that reach a worker for each change that matters, when most changes are sales: in the storm, and
 * with what the next hourly run adds.
 */
async function messagesOf(way: 'events' | 'webhooks', quick: boolean): Promise<readonly Figure[]> {
  const connector = openConnector({ healing: { productChanges: way } });
  const store = openProductStore(connector);
  const products = quick ? SOLD_PRODUCTS / 10 : SOLD_PRODUCTS;
  const change = async (...[action, input]: Parameters<typeof store.change>) => {
    const sent = store.change(action, input)[way];
    for (const one of sent) await connector.deliver(one);
    await connector.drain();
    return sent.length;
  };
  for (let product = 0; product < products; product += 1) {
    await change('createProduct', { title: `Product ${product}`, price: 20 });
  }
  await connector.reconcile();
  const ids = [...store.rows.products.values()].map(({ id }) => id);
  const healed = () =>
    connector.telemetry.total('healed') + connector.telemetry.total('rolled-out');
  const before = healed();
  const { snapshots, changes } = drawStorm(products);
  const prices = new Map(ids.map((id) => [id, priceOf(0)]));
  let messages = 0;
  for (const { product, price } of snapshots.toSorted((one, other) => one.second - other.second)) {
    connector.clock.ms += Math.round(HOUR_MS / snapshots.length);
    const productId = ids[product] ?? '';
    const isSale = prices.get(productId) === price;
    prices.set(productId, price);
    messages += await (isSale
      ? change('changeInventory', { productId, by: -1 })
      : change('updateProduct', { productId, price: Number(price) }));
  }
  connector.clock.ms += HOUR_MS;
  await connector.reconcile();
  await connector.drain();
  for (const [id, price] of prices) {
    const held = connector.loyalty.rows.products.get(id)?.ProductPrice;
    if (held !== Number(price)) throw new Error(`product ${id} ended at ${held}, not ${price}`);
  }
  const note = `${snapshots.length} changes of ${products} products in an hour, ${changes} of them prices, the others sales`;
  const figure = { unit: 'messages per change', note };
  const key = way === 'events' ? 'storm.events' : 'storm.webhooks';
  return [
    {
      ...figure,
      key,
      value: messages / changes,
      ...(way === 'events' && { bar: { kind: 'at-most', limit: 1.2, of: 'value' } as const }),
    },
    { ...figure, key: `${key}.healed`, value: (messages + healed() - before) / changes },
  ];
}

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
