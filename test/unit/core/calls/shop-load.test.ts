import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createShopLoad, PLACE_MS } from '../../../../shared/core/calls/shop-load.ts';
import { retryDelaySeconds } from '../../../../shared/core/events/outcome.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { createMemoryQueue } from '../../../support/memory-queue.ts';

const FLOODED = 'flooded.myshopify.com';
const OTHER = 'other.myshopify.com';
const CALM = 'calm.myshopify.com';
const isCrowded = async () => false;

/** The processes of one queue, on one clock. */
function openQueue(workers: number | undefined) {
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const ledger = createMemoryLedger();
  const write = vi.fn(ledger.write);
  const start = () => {
    const load = createShopLoad({
      ...{ queue: 'orders', ledger: { ...ledger, write }, most: 5, workers },
      now: () => clock.ms,
      random: () => 0.5,
    });
    /** One batch; says which of its shops must wait. */
    async function begin(groups: Readonly<Record<string, number>>) {
      const visit = load.enter(new Map(Object.entries(groups)));
      const entries = await ledger.readMany(visit.keys);
      const waiting = [...(await visit.take(Object.keys(groups), entries, isCrowded))];
      return { waiting, read: visit.keys.length, leave: visit.leave };
    }
    return { ...load, begin };
  };
  return { clock, ledger, write, start };
}

describe('the share of a shop', () => {
  it('costs one more item in the read of a batch while all shops are calm', async () => {
    const { start, write } = openQueue(10);
    const { begin } = start();
    for (let batch = 0; batch < 10; batch += 1) {
      const { waiting, read, leave } = await begin({ [FLOODED]: 4, [OTHER]: 4, [CALM]: 2 });
      await leave();
      expect({ waiting, read }).toEqual({ waiting: [], read: 3 });
    }
    expect(write).not.toHaveBeenCalled();
  });

  it('has no limit and costs nothing where it is the only shop', async () => {
    const { start, write } = openQueue(undefined);
    const batches = await Promise.all(
      Array.from({ length: 10 }, () => start().begin({ [FLOODED]: 10 })),
    );
    expect(batches.map(({ waiting, read }) => [waiting, read])).toEqual(batches.map(() => [[], 0]));
    expect(write).not.toHaveBeenCalled();
  });

  it('is half of the workers for a shop that floods, and one more for another one', async () => {
    const { start } = openQueue(10);
    const held: string[] = [];
    for (const shop of [FLOODED, FLOODED, FLOODED, FLOODED, FLOODED, FLOODED, OTHER, OTHER]) {
      const { waiting } = await start().begin({ [shop]: 10, [CALM]: 1 });
      expect(waiting).not.toContain(CALM);
      if (!waiting.includes(shop)) held.push(shop);
    }
    expect(held).toEqual([FLOODED, FLOODED, FLOODED, FLOODED, FLOODED, OTHER]);
  });

  it('never leaves less than one worker to calm shops, however many begin at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 20 }),
        fc.array(fc.constantFrom(FLOODED, OTHER, 'third.myshopify.com'), { maxLength: 40 }),
        async (workers, shops) => {
          const { start } = openQueue(workers);
          const batches = await Promise.all(shops.map((shop) => start().begin({ [shop]: 10 })));
          const held = batches.filter(({ waiting }) => waiting.length === 0).length;
          expect(held).toBeLessThanOrEqual(Math.min(Math.floor(workers / 2) + 1, workers - 1));
          expect(held > 0).toBe(shops.length > 0);
        },
      ),
    );
  });

  it('is free again when a batch ends, and when its worker died', async () => {
    const { start, clock } = openQueue(2);
    const first = await start().begin({ [FLOODED]: 10 });
    expect((await start().begin({ [FLOODED]: 10 })).waiting).toEqual([FLOODED]);
    await first.leave();
    // Its worker dies.
    expect((await start().begin({ [FLOODED]: 10 })).waiting).toEqual([]);
    expect((await start().begin({ [OTHER]: 10 })).waiting).toEqual([OTHER]);
    clock.ms += PLACE_MS;
    expect((await start().begin({ [OTHER]: 10 })).waiting).toEqual([]);
  });

  it('counts for what comes back one by one, and does not ask again at once', async () => {
    const { start, clock, ledger } = openQueue(2);
    await start().begin({ [FLOODED]: 10 });
    const { begin } = start();
    expect((await begin({ [FLOODED]: 10 })).waiting).toEqual([FLOODED]);
    const readMany = vi.spyOn(ledger, 'readMany');
    expect((await begin({ [FLOODED]: 1 })).waiting).toEqual([FLOODED]);
    expect(readMany).toHaveBeenCalledWith([]);
    clock.ms += 1_000;
    expect(await begin({ [FLOODED]: 1 })).toMatchObject({ waiting: [FLOODED], read: 2 });
    clock.ms += 60_000;
    expect(await begin({ [FLOODED]: 1 })).toMatchObject({ waiting: [], read: 1 });
  });

  it('counts for a shop whose service is slow, with one message too', async () => {
    const { start } = openQueue(2);
    await start().begin({ [FLOODED]: 10 });
    const { begin, learn } = start();
    expect((await begin({ [OTHER]: 1 })).waiting).toEqual([]);
    learn(OTHER, 5_000);
    expect((await begin({ [OTHER]: 1, [CALM]: 1 })).waiting).toEqual([OTHER]);
  });

  it('is known to every process after the first slow answer, before a flood of single messages', async () => {
    const { start, clock } = openQueue(10);
    const first = start();
    const { leave } = await first.begin({ [FLOODED]: 1 });
    first.learn(FLOODED, 5_000);
    await leave();
    clock.ms += 50 * 60_000;
    const held: string[] = [];
    for (let worker = 0; worker < 10; worker += 1) {
      const { waiting } = await start().begin({ [FLOODED]: 1, [CALM]: 1 });
      expect(waiting).not.toContain(CALM);
      if (waiting.length === 0) held.push(FLOODED);
    }
    expect(held).toHaveLength(5);
    clock.ms += 60 * 60_000;
    expect(await start().begin({ [FLOODED]: 1 })).toMatchObject({ waiting: [], read: 1 });
  });

  it('stops no work when the ledger cannot be written', async () => {
    const { start, write } = openQueue(10);
    write.mockRejectedValue(new Error('down'));
    const { waiting, leave } = await start().begin({ [FLOODED]: 10 });
    await leave();
    expect(waiting).toEqual([]);
  });
});

describe('how many groups of a shop a worker works on side by side', () => {
  function open() {
    const { start, clock } = openQueue(10);
    const load = start();
    const allowed = () => load.parallelOf(OTHER);
    return {
      ...{ allowed, load },
      /** So many calls side by side, all of them this slow. */
      call(tookMs: number, calls = allowed()) {
        clock.ms += tookMs;
        for (let one = 0; one < calls; one += 1) load.learn(OTHER, tookMs);
      },
    };
  }

  it('is halved once for calls that were slow together, never ends, and is no other shop’s', () => {
    const { call, allowed, load } = open();
    const seen = Array.from({ length: 4 }, () => {
      call(10_000);
      return allowed();
    });
    expect(seen).toEqual([2, 1, 1, 1]);
    expect(load.parallelOf(CALM)).toBe(5);
  });

  it('comes back one by one, not at the first quick answer', () => {
    const { call, allowed } = open();
    for (let one = 0; one < 4; one += 1) call(10_000);
    const seen: number[] = [];
    for (let one = 0; one < 20; one += 1) {
      call(200);
      seen.push(allowed());
    }
    expect(seen[0]).toBe(2);
    expect(seen.slice(1).every((next, index) => next - (seen[index] ?? 0) <= 1)).toBe(true);
    expect(seen.at(-1)).toBe(5);
  });
});

describe('a batch of a busy shop', () => {
  const NEIGHBOUR = 'second-store.myshopify.com';
  const ids = Array.from({ length: 8 }, (_, index) => index + 1);
  type Connector = ReturnType<typeof openConnector>;
  const sent = ({ loyalty }: Connector) =>
    [...loyalty.rows.orders.values()].map(({ OriginalId }) => Number(OriginalId)).toSorted();

  async function deliver(connector: Connector, shop: string, id: number): Promise<void> {
    const payload = orderWithId(id);
    await connector.deliver({ topic: 'orders/create', payload, shop });
  }

  /** Eight orders of one shop and one of its neighbour, while other workers hold all places. */
  async function openCrowd() {
    const connector = openConnector({ workers: 2 });
    const elsewhere = createShopLoad({
      ...{ queue: 'orders', ledger: connector.ledger, most: 4, workers: 2 },
      now: () => connector.clock.ms,
      random: () => 0.5,
    });
    const visit = elsewhere.enter(new Map([[SHOP, 10]]));
    await visit.take([SHOP], await connector.ledger.readMany(visit.keys), isCrowded);
    for (const id of ids) await deliver(connector, SHOP, id);
    await deliver(connector, NEIGHBOUR, 9);
    return { connector, leave: visit.leave };
  }

  it('sends only the orders of the others, and its own later, without a failed try', async () => {
    const { connector, leave } = await openCrowd();
    expect(await connector.work('orders')).toEqual({ received: 9, left: 8 });
    expect(sent(connector)).toEqual([9]);
    expect(connector.telemetry.total('retried', { why: 'shop-busy' })).toBe(8);
    const [wait] = connector.telemetry.logged.filter(({ fields }) => fields?.why === 'shop-busy');
    expect(wait?.fields).toMatchObject({ tries: 0, heldBack: true });
    await leave();
    await connector.drain();
    expect(sent(connector)).toEqual([...ids, 9]);
    expect(connector.dead.size).toBe(0);
  });

  it('is put off without the ledger once its process knows: the shops behind a backlog wait for that', async () => {
    const { connector } = await openCrowd();
    await connector.work('orders');
    for (const id of ids) await deliver(connector, SHOP, id + 100);
    const { ledger, telemetry } = connector;
    const read = vi.spyOn(ledger, 'readMany');
    const written = vi.spyOn(ledger, 'write');
    expect(await connector.work('orders')).toEqual({ received: 8, left: 8 });
    expect(telemetry.total('retried', { why: 'shop-busy' })).toBe(16);
    expect(read.mock.calls.flatMap(([keys]) => keys)).toEqual([]);
    expect(written).not.toHaveBeenCalled();
  });

  it('is worked on when too many messages wait: SQS would hand out none', async () => {
    const { connector } = await openCrowd();
    connector.parts.source = { delay: async () => {}, isCrowded: async () => true };
    expect(await connector.work('orders')).toEqual({ received: 9, left: 0 });
  });

  it('does not let the call of another shop wait for its own', async () => {
    const connector = openConnector({ parallel: 1 });
    const asked: string[] = [];
    const { promise: slow, resolve: answer } = Promise.withResolvers<void>();
    connector.loyalty.world.interfere = async ({ body }, pass) => {
      const { OriginalId } = body as { OriginalId: string };
      asked.push(OriginalId);
      if (OriginalId !== '9') await slow;
      return pass();
    };
    for (const id of [1, 2, 3]) await deliver(connector, SHOP, id);
    await deliver(connector, NEIGHBOUR, 9);
    const worked = connector.work('orders');
    await vi.waitFor(() => expect(asked).toEqual(['1', '9']), { timeout: 20_000 });
    answer();
    expect(await worked).toEqual({ received: 4, left: 0 });
  });
});

/** What a batch takes beside its calls. */
const OVERHEAD_MS = 50;

/**
 * Ten workers of one queue on a clock of their own: the real places, delays and FIFO queue, and calls that only take time.
 * Returns the 99th percentile of the time from arrival to answer, of 48 shops that send an order each 400 ms in turn.
 */
async function percentileBeside(
  flood: number,
  workers: number | undefined,
  everyMs = 5,
): Promise<number> {
  const { clock, ledger, start } = openQueue(workers);
  const began = clock.ms;
  const queue = createMemoryQueue({
    now: () => clock.ms,
    name: 'orders',
    visibilitySeconds: 1_440,
  });
  const steps: { readonly at: number; readonly run: () => Promise<void> | void }[] = [];
  /** The next one is the last. */
  const at = (moment: number, run: () => Promise<void> | void) => {
    const later = steps.findLastIndex((one) => one.at > moment);
    steps.splice(later + 1, 0, { at: moment, run });
  };
  const arrive = (moment: number, shop: string, id: string) =>
    at(moment, () => {
      const body = JSON.stringify({ shop, at: moment });
      queue.send({ body, groupId: `${shop}/${id}`, deduplicationId: `${shop}/${id}` });
    });
  for (let one = 0; one < 300; one += 1) {
    arrive(began + one * 400, `calm-${one % 48}.myshopify.com`, `${one}`);
  }
  for (let one = 0; one < flood; one += 1) {
    // The first one long before: its service was slow already.
    arrive(began + (one === 0 ? 0 : 10_000 + one * everyMs), FLOODED, `${one}`);
  }
  const times: number[] = [];

  async function work(load: ReturnType<typeof start>): Promise<void> {
    const batch = queue.receive({ max: 10 });
    const next = (moment: number) => at(moment, () => work(load));
    if (batch.length === 0) return void next(clock.ms + 50);
    const read = batch.map((message) => ({ message, ...JSON.parse(message.body) }));
    const shops = Map.groupBy(read, ({ shop }) => shop as string);
    const visit = load.enter(new Map([...shops].map(([shop, own]) => [shop, own.length])));
    const waiting = await visit.take(shops.keys(), await ledger.readMany(visit.keys), isCrowded);
    let end = clock.ms + OVERHEAD_MS;
    for (const [shop, own] of shops) {
      if (waiting.has(shop)) {
        const receives = Math.max(...own.map(({ message }) => message.attempts));
        const seconds = retryDelaySeconds({ why: 'shop-busy', receives, tries: 0 }, () => 0.5);
        for (const { message } of own) queue.changeVisibility(message.receiptHandle, seconds);
        continue;
      }
      const callMs = shop === FLOODED ? 5_000 : 1_000;
      const rounds = Math.ceil(own.length / load.parallelOf(shop));
      const over = clock.ms + OVERHEAD_MS + rounds * callMs;
      at(over, () => load.learn(shop, callMs));
      if (shop !== FLOODED) times.push(...own.map((one) => over - one.at));
      end = Math.max(end, over);
    }
    at(end, async () => {
      for (const { shop, message } of read) {
        if (!waiting.has(shop)) queue.delete(message.receiptHandle);
      }
      await visit.leave();
      next(clock.ms);
    });
  }
  for (let one = 0; one < 10; one += 1) at(began, () => work(start()));
  while (times.length < 300) {
    const step = steps.pop();
    clock.ms = step?.at ?? Number.NaN;
    await step?.run();
  }
  return times.toSorted((one, other) => one - other)[296] ?? Number.NaN;
}

describe('48 shops beside one with 1,000 orders at 5 s a call', () => {
  it('wait at most 1.5 times as long as on a calm day, from the first order of the flood on', async () => {
    const calm = await percentileBeside(0, 10);
    expect((await percentileBeside(1_000, 10)) / calm).toBeLessThanOrEqual(1.5);
    // So slowly that each worker receives one of them, and would be held by it.
    expect((await percentileBeside(1_000, 10, 25)) / calm).toBeLessThanOrEqual(1.5);
  });

  it('would wait for many of its calls without places', async () => {
    const calm = await percentileBeside(0, undefined);
    expect((await percentileBeside(1_000, undefined)) / calm).toBeGreaterThan(10);
  });
});
