import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../local/stack/synthesize.ts';
import type { Bench, Figure } from '../bench.ts';
import { LoadedStack } from '../load/loaded-stack.ts';
import { type Peak, PeakMemory } from '../load/peak-memory.ts';
import { latencies } from '../load/report.ts';
import { settle } from '../load/settle.ts';
import { createStoreControl, type StoreControl } from '../load/store-control.ts';
import { readTold } from '../load/told-outcomes.ts';

interface Burst {
  readonly orders: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly peaks: readonly Peak[];
}

const CUSTOMERS = 20;
/** Orders that are placed at the same moment; the store has them all long before they are synced. */
const AT_ONCE = 8;

/** The others have nothing to do. */
const BUSY = new Set(['receive-webhook', 'sync-orders', 'stack', 'queues-and-table']);

/** New orders through the whole local stack, all at once: how fast, and in how much memory. */
export const burst: Bench = {
  name: 'burst',
  async run({ quick }) {
    const [few, many] = quick ? [30, 100] : [1_000, 5_000];
    const folder = join(PROJECT, `.connector/burst-${process.pid}`);
    try {
      const small = await measureBurst(few, folder);
      return figuresOf(small, await measureBurst(many, folder));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measureBurst(orders: number, folder: string): Promise<Burst> {
  const own = join(folder, String(orders));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const never = new AbortController().signal;
  const stack = await LoadedStack.start(own, join(folder, 'assembly'));
  const memory = new PeakMemory(() => stack.processes());
  try {
    const control = createStoreControl(() => stack.storeAddress);
    await placeOrders(control, orders);
    await settle(stack, never);
  } finally {
    memory.stop();
    await stack.stop();
  }
  const { accepted } = await readTold(stack.files);
  const applied = accepted.filter(({ kind, outcome }) => kind === 'order' && outcome === 'applied');
  if (applied.length !== orders) throw new Error(`${applied.length} of ${orders} were applied`);
  const first = Math.min(...applied.map(({ sentAt = Number.POSITIVE_INFINITY }) => sentAt));
  const last = Math.max(...applied.map(({ endedAt = 0 }) => endedAt));
  const perSecond = orders / ((last - first) / 1000);
  const { p50Ms, p99Ms } = latencies(applied);
  const peaks = memory.stop().filter(({ name }) => BUSY.has(name));
  return { orders, perSecond, p50Ms, p99Ms, peaks };
}

/** Unpaid, of things that the store keeps no stock of: one webhook each, and each a first send. */
async function placeOrders(store: StoreControl, orders: number): Promise<void> {
  const customerIds: string[] = [];
  for (let n = 1; n <= CUSTOMERS; n += 1) {
    const customer = await store.act('createCustomer', {
      firstName: 'Alex',
      lastName: `Sample ${n}`,
      email: `alex.sample.${n}@example.com`,
    });
    if (customer) customerIds.push(customer.id);
  }
  let placed = 0;
  const placeSome = async () => {
    while (placed < orders) {
      placed += 1;
      await store.act('placeOrder', {
        lines: [{ title: 'Kettle', price: 20 + (placed % 50) }],
        customerId: customerIds[placed % CUSTOMERS] ?? null,
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, placeSome));
}

function figuresOf(small: Burst, large: Burst): readonly Figure[] {
  const note = `${large.orders} orders through the whole local stack`;
  const latency = `${note}, from the webhook to applied`;
  return [
    { key: 'burst.orders', value: large.perSecond, unit: 'orders/s', note },
    { key: 'burst.orders.p50', value: large.p50Ms, unit: 'ms', note: latency },
    { key: 'burst.orders.p99', value: large.p99Ms, unit: 'ms', note: latency },
    ...large.peaks.map(({ name, bytes, processes }) => {
      const before = small.peaks.find((one) => one.name === name)?.bytes ?? bytes;
      const megabytes = Math.round(bytes / 1e6);
      return {
        key: `burst.orders.memory.${name}`,
        value: bytes / before,
        unit: '×',
        note: `peak of ${processes} at ${large.orders} orders (${megabytes} MB) to that at ${small.orders}`,
      };
    }),
  ];
}
