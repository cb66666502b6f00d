import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallRate,
  createCallRate,
  createShopperRate,
  type SharedRate,
} from '../../../../shared/core/calls/rate-limit.ts';

/** Time that passes only when everything that runs waits for it. */
function createVirtualClock(start = 1_800_000_000_000) {
  let at = start;
  const timers: { readonly due: number; readonly ring: () => void }[] = [];
  return {
    now: () => at,
    pause: (ms: number) =>
      new Promise<void>((ring) => {
        timers.push({ due: at + Math.max(ms, 0), ring });
      }),
    /** Rings every timer up to then, in order, and lets each finish what it causes. */
    async runUntil(end: number): Promise<void> {
      for (;;) {
        await settled();
        const next = timers.toSorted((a, b) => a.due - b.due)[0];
        if (!next || next.due > end) break;
        timers.splice(timers.indexOf(next), 1);
        at = Math.max(at, next.due);
        next.ring();
      }
      at = end;
    },
  };
}

/** All promises that can go on without a timer have gone on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const START = 1_800_000_000_000;

/** The timeline as the ledger keeps it; `latencyMs` of a write may let another one pass. */
function createTimeline(clock: ReturnType<typeof createVirtualClock>, latencyMs = () => 5) {
  let end = 0;
  const bookings: number[] = [];
  const shared: SharedRate = {
    async book(lengthMs, now, latest) {
      bookings.push(clock.now());
      await clock.pause(latencyMs());
      const from = Math.max(end, now);
      if (from > latest) return { kind: 'full' };
      end = from + lengthMs;
      await clock.pause(latencyMs());
      return { kind: 'booked', from };
    },
  };
  return { shared, bookings, bookedUntil: () => end };
}

interface Process {
  readonly parallel: number;
  readonly callMs: number;
  /** Does nothing for this long, after every tenth call. */
  readonly idleMs: number;
}

/** Each process has a backlog without an end. Returns the moments at which calls began, in ms. */
async function run(perSecond: number, processes: readonly Process[], seconds: number) {
  const clock = createVirtualClock(START);
  const { shared } = createTimeline(clock);
  const calls: number[] = [];
  async function work(rate: CallRate, { callMs, idleMs }: Process) {
    for (let count = 1; ; count += 1) {
      const turn = await rate.take();
      if (turn.kind === 'go') {
        calls.push(clock.now() - START);
        await clock.pause(callMs);
      } else await clock.pause(200);
      if (count % 10 === 0) await clock.pause(idleMs);
    }
  }
  for (const process of processes) {
    const rate = createCallRate({ perSecond, shared, ...clock });
    for (let one = 0; one < process.parallel; one += 1) void work(rate, process);
  }
  await clock.runUntil(START + seconds * 1_000);
  return calls;
}

const anyRate = fc.oneof(
  fc.double({ min: 0.3, max: 5, noNaN: true }),
  fc.integer({ min: 5, max: 40 }),
);
const anyProcess = (idleMs: fc.Arbitrary<number>) =>
  fc.record({
    parallel: fc.integer({ min: 1, max: 5 }),
    callMs: fc.integer({ min: 1, max: 3_000 }),
    idleMs,
  });
const manyProcesses = (idleMs: fc.Arbitrary<number>) =>
  fc.array(anyProcess(idleMs), { minLength: 1, maxLength: 8 });

describe('the rate of calls', () => {
  it('is kept in every window of time, whatever the processes do', async () => {
    const idle = fc.integer({ min: 0, max: 8_000 });
    await fc.assert(
      fc.asyncProperty(anyRate, manyProcesses(idle), async (perSecond, processes) => {
        const calls = await run(perSecond, processes, 20);
        const inWindow = (first: number, last: number) => {
          const seconds = ((calls[last] ?? 0) - (calls[first] ?? 0)) / 1_000;
          return last - first + 1 - perSecond * (seconds + 1);
        };
        const worst = calls.reduce((most, _, first) => {
          for (let last = first; last < calls.length; last += 1) {
            most = Math.max(most, inWindow(first, last));
          }
          return most;
        }, 0);
        expect(worst).toBeLessThanOrEqual(1 + 1e-6);
      }),
      { numRuns: 15 },
    );
  });

  it('is reached to nine tenths by a backlog', async () => {
    await fc.assert(
      fc.asyncProperty(anyRate, manyProcesses(fc.constant(0)), async (perSecond, processes) => {
        const possible = processes.reduce(
          (sum, one) => sum + (one.parallel * 1_000) / one.callMs,
          0,
        );
        // A process books once a second, and no more than a second and a half: below 1.34 a second that is one call.
        const bookable = processes.length * Math.max(1, Math.floor(perSecond * 1.5));
        fc.pre(possible > perSecond * 1.5 && bookable >= perSecond);
        const seconds = Math.max(30, 60 / perSecond);
        const calls = await run(perSecond, processes, seconds);
        const warm = calls.filter((at) => at >= 5_000);
        expect(warm.length).toBeGreaterThanOrEqual(Math.floor(perSecond * (seconds - 5) * 0.9));
      }),
      { numRuns: 5 },
    );
  });

  // The first version lost a call that came while the last one before it was being let go.
  it('serves a call that comes right after another began', async () => {
    const clock = createVirtualClock(START);
    const { shared } = createTimeline(clock);
    const rate = createCallRate({ perSecond: 1, shared, ...clock });
    let began = 0;
    const work = async () => {
      for (; began < 5; began += 1) await rate.take();
    };
    void work();
    await clock.runUntil(START + 10_000);
    expect(began).toBe(5);
  });

  it.each([
    ['for those who wait, and twice as many as came too early', [0, 300, 600], 0, 1_000, 6],
    ['for as many as came in time', [0, 300, 600, 1_200, 2_200, 2_600], 0, 2_600, 3],
    ['for one who comes long after the others', [0, 1_500], 0, 1_500, 1],
    ['once for one who came before the turn of the first', [0, 100], 5_000, 5_000, 2],
  ] as const)('is booked %s', async (_, callers, ahead, from, tokens) => {
    const clock = createVirtualClock(START);
    const { shared, bookedUntil } = createTimeline(clock, () => 0);
    if (ahead > 0) await Promise.all([shared.book(ahead, START, START), clock.runUntil(START)]);
    const rate = createCallRate({ perSecond: 10, shared, ...clock });
    for (const at of callers) {
      await clock.runUntil(START + at);
      void rate.take();
    }
    await clock.runUntil(START + from + 50);
    expect(bookedUntil()).toBe(START + from + 100 * tokens);
  });

  it('saves nothing up: after a busy time and an idle hour calls are as far apart as ever', async () => {
    const clock = createVirtualClock(START);
    const { shared, bookings, bookedUntil } = createTimeline(clock);
    const rate = createCallRate({ perSecond: 2, shared, ...clock });
    for (let one = 0; one < 6; one += 1) {
      void rate.take();
      await clock.runUntil(START + 500 * (one + 1));
    }
    await clock.runUntil(START + 10_000);
    const before = bookings.length;
    await clock.runUntil(START + 3_600_000);
    // Without a caller nothing is booked.
    expect(bookings).toHaveLength(before);
    const began: number[] = [];
    for (let one = 0; one < 3; one += 1) void rate.take().then(() => began.push(clock.now()));
    await clock.runUntil(START + 3_600_020);
    // For the first of these, and none for those of the hour before.
    expect(bookedUntil()).toBe(START + 3_600_500);
    await clock.runUntil(START + 3_610_000);
    const gaps = began.slice(1).map((at, index) => at - (began[index] ?? 0));
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(490);
  });

  it('sends a call back to its queue when the timeline is booked ten seconds ahead', async () => {
    const clock = createVirtualClock(START);
    const { shared, bookings } = createTimeline(clock);
    await Promise.all([shared.book(11_000, START, START), clock.runUntil(START + 20)]);
    const rate = createCallRate({ perSecond: 10, shared, ...clock });
    const turns = [rate.take(), rate.take()];
    await clock.runUntil(START + 100);
    for (const turn of await Promise.all([...turns, rate.take()])) {
      expect(turn).toEqual({ kind: 'wait', why: 'out-of-tokens', afterSeconds: 10 });
    }
    expect(bookings).toHaveLength(2);
  });

  it('makes no call that it cannot book', async () => {
    const clock = createVirtualClock(START);
    const shared: SharedRate = { book: () => Promise.reject(new Error('no ledger')) };
    const turn = await createCallRate({ perSecond: 10, shared, ...clock }).take();
    expect(turn).toMatchObject({ kind: 'wait', why: 'tokens-unreachable' });
  });

  it('lets a call go that is no longer wanted, and gives its token to the next', async () => {
    const clock = createVirtualClock(START);
    const { shared } = createTimeline(clock);
    const rate = createCallRate({ perSecond: 1, shared, ...clock });
    const abort = new AbortController();
    const unwanted = rate.take(abort.signal);
    const next = rate.take();
    abort.abort();
    await clock.runUntil(START + 100);
    expect([await unwanted, await next]).toEqual([{ kind: 'aborted' }, { kind: 'go' }]);
    expect(await rate.take(abort.signal)).toEqual({ kind: 'aborted' });
  });

  it('never keeps a shopper from the program because the ledger does not answer, and lets none flood it then', async () => {
    const shared: SharedRate = { book: () => Promise.reject(new Error('no ledger')) };
    const rate = createShopperRate({ perSecond: 2, shared, shoppers: shared, now: () => START });
    const page = await Promise.all([rate.take(), rate.take()]);
    expect(page).toEqual([{ kind: 'go' }, { kind: 'go' }]);
    expect(await rate.take()).toMatchObject({ kind: 'wait', why: 'out-of-tokens' });
  });
});

describe('the calls of shoppers', () => {
  /** One loyalty account: what is booked by all, and what by shoppers alone. */
  function openAccount(perSecond: number) {
    const clock = createVirtualClock(START);
    const all = createTimeline(clock);
    const own = createTimeline(clock);
    const settings = { perSecond, shared: all.shared, shoppers: own.shared, ...clock };
    const began = { shoppers: 0, workers: 0 };
    async function flood(rate: CallRate, until: number) {
      for (; clock.now() < until; await clock.pause(100)) {
        if ((await rate.take()).kind === 'go') began.shoppers += 1;
      }
    }
    async function work(rate: CallRate) {
      for (;;) {
        if ((await rate.take()).kind === 'go') began.workers += 1;
        else await clock.pause(200);
      }
    }
    return { clock, all, own, settings, began, flood, work };
  }

  it('go first while tokens are free, and behind a backlog, without waiting', async () => {
    const { clock, all, settings } = openAccount(2);
    const rate = createShopperRate(settings);
    const first = rate.take();
    await clock.runUntil(START + 40);
    expect(await first).toEqual({ kind: 'go' });
    expect(all.bookedUntil()).toBe(START + 500);
    const backlog = all.shared.book(9_000, clock.now(), START + 10_000);
    await clock.runUntil(START + 100);
    await backlog;
    const second = rate.take();
    await clock.runUntil(START + 200);
    expect(await second).toEqual({ kind: 'go' });
    // The workers make room for it.
    expect(all.bookedUntil()).toBe(START + 10_000);
  });

  // An anonymous visitor held back the orders of a shop for hours: every call was booked ahead without an end.
  it('leave the workers half of the tokens during a flood, and a few seconds after it all of them', async () => {
    const { clock, all, settings, began, flood, work } = openAccount(5);
    for (let one = 0; one < 20; one += 1) void flood(createShopperRate(settings), START + 60_000);
    await clock.runUntil(START + 10_000);
    expect(all.bookedUntil() - clock.now()).toBeLessThan(5_000);
    const worker = createCallRate(settings);
    for (let one = 0; one < 5; one += 1) void work(worker);
    await clock.runUntil(START + 60_000);
    expect(began.workers).toBeGreaterThanOrEqual(0.9 * 2.5 * 50);
    // 300 in a minute, what was booked ahead, and one for each process.
    expect(began.shoppers + began.workers).toBeLessThanOrEqual(5 * 60 + 5 * 10 + 20);
    expect(began.shoppers).toBeGreaterThanOrEqual(0.9 * 2.5 * 60);
  });

  it('are refused without a write for a second after they were refused', async () => {
    const { clock, own, settings } = openAccount(5);
    await Promise.all([own.shared.book(5_000, START, START), clock.runUntil(START + 20)]);
    await Promise.all([settings.shared.book(5_000, START, START), clock.runUntil(START + 40)]);
    const rate = createShopperRate(settings);
    const refused = rate.take();
    await clock.runUntil(START + 100);
    const writes = own.bookings.length;
    expect([await refused, await rate.take()]).toEqual([
      { kind: 'wait', why: 'out-of-tokens', afterSeconds: 5 },
      { kind: 'wait', why: 'out-of-tokens', afterSeconds: 5 },
    ]);
    expect(own.bookings).toHaveLength(writes);
  });

  it('of an account with a high limit are booked several at once, so that one item takes the writes', async () => {
    const { clock, all, settings } = openAccount(1_000);
    const rate = createShopperRate(settings);
    for (let call = 0; call < 10; call += 1) {
      const turn = rate.take();
      await clock.runUntil(clock.now() + 20);
      expect(await turn).toEqual({ kind: 'go' });
    }
    expect(all.bookings).toHaveLength(1);
  });
});
