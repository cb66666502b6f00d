import { type CountedWork, costOfWork, type PricedStack } from '../../local/harness/cost.ts';
import { type Delivery, openConnector } from '../../local/harness/in-process-connector.ts';
import { openProductStore } from '../../local/harness/product-store.ts';
import { seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';

const HOUR_MS = 3_600_000;
const PRODUCTS = 100;
const VARIANTS = 3;
const ORDERS = 2_000;
const HOURS = 4;

type Way = 'webhooks' | 'events';
type Change = Parameters<ReturnType<typeof openProductStore>['change']>;
type Products = readonly { readonly id: string; readonly variants: readonly { id: string }[] }[];

const HAPPENINGS: readonly {
  readonly what: string;
  readonly changes: (products: Products) => Change[];
}[] = [
  {
    what: `a sale: ${ORDERS} orders of two of ${PRODUCTS} products in ${HOURS} hours`,
    changes(products) {
      const random = seededRandom(7);
      const any = () => products[Math.floor(random() * products.length)]?.variants[0]?.id;
      return Array.from({ length: ORDERS }, () => [
        'placeOrder',
        { lines: [any(), any()].map((variantId) => ({ variantId, quantity: 1 })) },
      ]);
    },
  },
  {
    what: `new tags for ${PRODUCTS} products`,
    changes: (products) =>
      products.map(({ id }) => ['updateProduct', { productId: id, tags: ['autumn'] }]),
  },
  {
    what: `new names for ${PRODUCTS} products`,
    changes: (products) =>
      products.map(({ id }) => ['updateProduct', { productId: id, title: `Renamed ${id}` }]),
  },
  {
    what: `new prices for ${PRODUCTS} products with ${VARIANTS} variants each`,
    changes: (products) =>
      products.map(({ id }) => ['updateProduct', { productId: id, price: 7.5 }]),
  },
];

/** Counts what each way makes of the same happenings, hourly reconciliation included. */
async function count(way: Way, changes: (products: Products) => Change[]): Promise<CountedWork> {
  const connector = openConnector({ healing: { productChanges: way } });
  await connector.reconcile();
  connector.clock.ms += HOUR_MS;
  const store = openProductStore(connector);
  const deliverAll = async (all: readonly Delivery[]) => {
    for (const one of all) await connector.deliver(one);
    await connector.drain();
  };
  for (let n = 0; n < PRODUCTS; n += 1) {
    const variants = Array.from({ length: VARIANTS }, (_, index) => ({
      title: `V${index}`,
      price: 10 + index,
    }));
    await deliverAll(store.change('createProduct', { title: `Product ${n}`, variants })[way]);
  }
  connector.clock.ms += HOUR_MS;
  await connector.reconcile();

  const ledger = countUses(connector.parts.ledger);
  connector.parts.ledger = ledger.counting;
  const calls = connector.loyalty.journal.length;
  const sentBefore = connector.telemetry.total('healed') + connector.telemetry.total('rolled-out');
  let deliveries = 0;
  const planned = changes([...store.rows.products.values()]);
  for (const [index, change] of planned.entries()) {
    const sent = store.change(...change)[way];
    deliveries += sent.length;
    await deliverAll(sent);
    connector.clock.ms += Math.round((HOURS * HOUR_MS) / planned.length);
    if ((index + 1) % Math.ceil(planned.length / HOURS) === 0) await connector.reconcile();
    await connector.drain();
  }
  connector.clock.ms += HOUR_MS;
  await connector.reconcile();
  await connector.drain();
  const reconciled =
    connector.telemetry.total('healed') + connector.telemetry.total('rolled-out') - sentBefore;
  const messages = deliveries + reconciled;
  return {
    deliveries,
    messages,
    // Sent, received and deleted, one at a time.
    queueRequests: 3 * messages,
    ledgerReads: ledger.reads(),
    ledgerWrites: ledger.writes(),
    calls: connector.loyalty.journal.length - calls,
  };
}

function countUses(ledger: Ledger) {
  const uses = { reads: 0, writes: 0 };
  const counting: Ledger = Object.assign(Object.create(ledger), {
    readMany: (keys: Parameters<Ledger['readMany']>[0]) => {
      uses.reads += keys.length;
      return ledger.readMany(keys);
    },
    write: (...given: Parameters<Ledger['write']>) => {
      uses.writes += 1;
      return ledger.write(...given);
    },
    markUncertain: (...given: Parameters<Ledger['markUncertain']>) => {
      uses.writes += 1;
      return ledger.markUncertain(...given);
    },
  });
  return { counting, reads: () => uses.reads, writes: () => uses.writes };
}

/** The table "events" of docs/cost.md. */
export async function eventsTable(stack: PricedStack): Promise<string> {
  const rows: string[] = [];
  for (const { what, changes } of HAPPENINGS) {
    for (const way of ['webhooks', 'events'] as const) {
      const work = await count(way, changes);
      const { deliveries, messages, queueRequests, ledgerReads, ledgerWrites, calls } = work;
      const cells = [deliveries, messages, queueRequests, ledgerReads, ledgerWrites, calls];
      const dollars = (1_000 * costOfWork(stack, work)).toFixed(2);
      const name = way === 'webhooks' ? `${what}, by webhooks` : 'the same by Events';
      rows.push(`| ${name} | ${cells.join(' | ')} | ${dollars} |`);
    }
  }
  return [
    '| of products only | deliveries | messages | SQS requests | ledger reads | ledger writes | calls | US dollars for 1000 of these |',
    '|---|---:|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
}
