import { PARALLEL } from '../../functions/sync-entities.ts';
import { openConnector } from '../../local/harness/in-process-connector.ts';
import { defaultConcurrency } from '../../shared/config/concurrency.ts';
import { createCallRate, type SharedRate } from '../../shared/core/calls/rate-limit.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import settings from '../bench.config.ts';
import type { Bench, Figure } from '../bench.ts';
import { WAITS } from '../cost/webhook-price.ts';
import { createOrderWriter, type WriteOrder } from '../traffic/orders.ts';

const LIMIT = 200;
const LOYALTY_MS = 120;
const LEDGER_MS = WAITS.PutItem;
/** Between two batches of a worker: receive, invoke, delete. */
const BATCH_MS = 20;
const WORKERS = defaultConcurrency(settings).orders;

/**
 * A backlog of orders, by as many workers as a stage has, on a clock that jumps to the next moment at which something
 * happens: what is measured is how they wait, not how fast this machine is.
 */
export const drain: Bench = {
  name: 'drain',
  async run({ quick }) {
    const writeOrder = await createOrderWriter();
    const orders = quick ? 1_000 : 20_000;
    const limited = await drainOrders(orders, writeOrder, LIMIT);
    const figures: Figure[] = [
      {
        key: 'drain',
        value: limited.seconds / (orders / LIMIT),
        unit: '× the limit',
        note: `${orders} orders, ${WORKERS} workers, answers after ${LOYALTY_MS} ms, ${LIMIT} calls a second, in no second more than ${limited.most}: ${limited.seconds.toFixed(1)} s`,
        // The first seconds, in which the workers learn how much to book, are most of a quick run.
        ...(!quick && { bar: { kind: 'at-most', limit: 1.1, of: 'value' } }),
      },
    ];
    const many = orders / 5;
    for (const workers of [WORKERS, WORKERS * 4]) {
      const { seconds } = await drainOrders(many, writeOrder, undefined, workers);
      const key = workers === WORKERS ? 'drain.unlimited' : 'drain.unlimited.workers4';
      const note = `${many} orders, ${workers} workers, without a limit`;
      figures.push({ key, value: many / seconds, unit: 'calls/s', note });
    }
    return figures;
  },
};

async function drainOrders(
  orders: number,
  writeOrder: WriteOrder,
  perSecond: number | undefined,
  workers = WORKERS,
): Promise<{ readonly seconds: number; readonly most: number }> {
  const first = openConnector();
  const { clock, loyalty } = first;
  const { pause, runUntil } = openTimers(clock);
  const updatedAt = new Date(clock.ms);
  for (let index = 0; index < orders; index += 1) {
    const order = JSON.parse(writeOrder({ id: 9_000_000 + index, updatedAt, lines: 1 }));
    // Each by a customer of their own: the sandbox adds up all orders of a customer again and again.
    const customer = { ...order.customer, id: 7_000_000 + index, email: `c${index}@example.com` };
    await first.deliver({ topic: 'orders/updated', payload: { ...order, customer } });
  }
  const bySecond = new Map<number, number>();
  loyalty.world.interfere = async (_, pass) => {
    const second = Math.floor(clock.ms / 1000);
    bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    await pause(LOYALTY_MS);
    return pass();
  };
  const ledger = slowLedger(first.ledger, () => pause(LEDGER_MS));
  const line = tokenLine(() => pause(LEDGER_MS));
  const began = clock.ms;
  const processes = Array.from({ length: workers }, () => {
    const rate =
      perSecond && createCallRate({ perSecond, shared: line, now: () => clock.ms, pause });
    const limits = { parallel: PARALLEL, ...(rate && { takeTurn: rate.take }) };
    const process = openConnector({ beside: first, ...limits });
    process.parts.ledger = ledger;
    return process;
  });
  let working = workers;
  for (const { work } of processes) {
    void (async () => {
      while (first.queues.orders.size > 0) {
        await work('orders');
        await pause(BATCH_MS);
      }
      working -= 1;
    })();
  }
  await runUntil(() => working === 0);
  const sent = loyalty.journal.filter(({ operation }) => operation === 'sendOrder').length;
  if (sent !== orders || first.dead.size > 0) throw new Error(`${sent} of ${orders} were sent`);
  const most = Math.max(...bySecond.values());
  // A token may be used up to a second late: see shared/core/calls/rate-limit.ts.
  if (perSecond && most > perSecond * 2 + 1) {
    throw new Error(`${most} calls in a second: the limit is not kept`);
  }
  return { seconds: (clock.ms - began) / 1000, most };
}

function openTimers(clock: { ms: number }) {
  const timers: { readonly at: number; readonly wake: () => void }[] = [];
  return {
    pause: (ms: number) =>
      new Promise<void>((wake) => {
        const at = clock.ms + Math.max(ms, 0);
        const place = timers.findLastIndex((one) => one.at <= at);
        timers.splice(place + 1, 0, { at, wake });
      }),
    async runUntil(isOver: () => boolean) {
      while (!isOver()) {
        // Everything that needs no time happens before the clock moves.
        await new Promise(setImmediate);
        const next = timers.shift();
        if (!next) continue;
        clock.ms = Math.max(clock.ms, next.at);
        next.wake();
      }
    },
  };
}

function slowLedger(ledger: Ledger, wait: () => Promise<void>): Ledger {
  return {
    ...ledger,
    readMany: async (keys) => {
      await wait();
      return ledger.readMany(keys);
    },
    write: async (...given) => {
      await wait();
      return ledger.write(...given);
    },
  };
}

/** As the ledger's item: one write at a time. */
function tokenLine(wait: () => Promise<void>): SharedRate {
  let booked = 0;
  return {
    async book(lengthMs, now, latest) {
      await wait();
      const from = Math.max(booked, now);
      if (from > latest) return { kind: 'full' };
      booked = from + lengthMs;
      return { kind: 'booked', from };
    },
  };
}
