import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallEnd,
  createCircuitBreaker,
  type LocalBreaker,
  type Permit,
} from '../../../shared/core/calls/call-loyalty.ts';
import {
  isRetryWindowOver,
  type RetryRequest,
  retryDelaySeconds,
} from '../../../shared/core/events/outcome.ts';

const settings = {
  failuresToOpen: 3,
  openSeconds: 10,
  longestOpenSeconds: 40,
};
const second = (s: number) => new Date(s * 1000);

async function permit(breaker: LocalBreaker, at: number): Promise<Permit<void>> {
  const entered = await breaker.enter(second(at));
  if (entered.kind !== 'permit') throw new Error(`kept away for ${entered.retry.afterSeconds} s`);
  return entered;
}

async function call(breaker: LocalBreaker, end: CallEnd, at: number): Promise<void> {
  (await permit(breaker, at)).settle(end, second(at));
}

const permits = (breaker: LocalBreaker, count: number, at: number) =>
  Promise.all(Array.from({ length: count }, () => permit(breaker, at)));

async function opened(): Promise<LocalBreaker> {
  const breaker = createCircuitBreaker(settings);
  for (let n = 0; n < 3; n += 1) await call(breaker, 'failed', 0);
  return breaker;
}

/** One more call: whether it still waits for others that are under way. */
async function next(breaker: LocalBreaker, at: number) {
  const entered = breaker.enter(second(at));
  const waits = new Promise<'waits'>((resolve) => setImmediate(resolve, 'waits'));
  return { entered, state: await Promise.race([entered, waits]) };
}

describe('the circuit breaker', () => {
  it('lets calls through until some failed in a row', async () => {
    const breaker = createCircuitBreaker(settings);
    for (const end of ['failed', 'failed', 'answered', 'failed', 'failed'] as const) {
      await call(breaker, end, 0);
    }
    expect(await breaker.enter(second(0))).toMatchObject({ kind: 'permit' });
  });

  it('keeps everybody away while it is open, and says for how long', async () => {
    const breaker = await opened();
    expect(await breaker.enter(second(4))).toMatchObject({ retry: { afterSeconds: 6 } });
  });

  it('lets a single probe through when the time is over, and the others once it has an answer', async () => {
    const breaker = await opened();
    const probe = await permit(breaker, 10);
    const other = await next(breaker, 10);
    expect(other.state).toBe('waits');
    probe.settle('answered', second(11));
    expect(await other.entered).toMatchObject({ kind: 'permit' });
  });

  it('sends away those who wait for a probe that fails', async () => {
    const breaker = await opened();
    const probe = await permit(breaker, 10);
    const others = [await next(breaker, 10), await next(breaker, 12)];
    probe.settle('failed', second(13));
    for (const { entered } of others) {
      expect(await entered).toMatchObject({ kind: 'stay-away', retry: { afterSeconds: 20 } });
    }
  });

  it('opens again for longer when the probe fails, up to a bound', async () => {
    const breaker = await opened();
    let at = 10;
    for (const wait of [20, 40, 40]) {
      await call(breaker, 'failed', at);
      expect(await breaker.enter(second(at))).toMatchObject({ retry: { afterSeconds: wait } });
      at += wait;
    }
  });

  it('comes back gently: one call more at a time for each that succeeds', async () => {
    const breaker = await opened();
    await call(breaker, 'answered', 10);
    const two = await permits(breaker, 2, 10);
    const third = await next(breaker, 10);
    expect(third.state).toBe('waits');
    for (const one of two) one.settle('answered', second(10));
    expect(await third.entered).toMatchObject({ kind: 'permit' });
    expect(await permits(breaker, 3, 10)).toHaveLength(3);
    expect((await next(breaker, 10)).state).toBe('waits');
  });

  it('counts calls that fail together as one outage, and each outage from the start', async () => {
    const breaker = createCircuitBreaker(settings);
    const six = await permits(breaker, 6, 0);
    for (const one of six) one.settle('failed', second(0));
    expect(await breaker.enter(second(0))).toMatchObject({ retry: { afterSeconds: 10 } });
    await call(breaker, 'failed', 10);
    expect(await breaker.enter(second(10))).toMatchObject({ retry: { afterSeconds: 20 } });
    await call(breaker, 'answered', 30);
    for (let n = 0; n < 3; n += 1) await call(breaker, 'failed', 30);
    expect(await breaker.enter(second(30))).toMatchObject({ retry: { afterSeconds: 10 } });
  });

  it('makes one probe at once on request, and begins with short waits again', async () => {
    const breaker = await opened();
    for (const at of [10, 30]) await call(breaker, 'failed', at);
    expect(await breaker.enter(second(31))).toMatchObject({ retry: { afterSeconds: 39 } });
    breaker.probeNow();
    const probe = await permit(breaker, 31);
    expect((await next(breaker, 31)).state).toBe('waits');
    probe.settle('failed', second(32));
    expect(await breaker.enter(second(32))).toMatchObject({ retry: { afterSeconds: 10 } });
  });

  it('learns nothing from a call that began before the probe was asked for', async () => {
    const breaker = createCircuitBreaker(settings);
    const early = await permits(breaker, 4, 0);
    for (const one of early.slice(1)) one.settle('failed', second(1));
    breaker.probeNow();
    const probe = await permit(breaker, 2);
    early[0]?.settle('failed', second(3));
    probe.settle('answered', second(4));
    expect(await permits(breaker, 2, 4)).toHaveLength(2);
  });

  it('is not slowed down by a request for a probe while all is well', async () => {
    const breaker = createCircuitBreaker(settings);
    breaker.probeNow();
    expect(await permits(breaker, 9, 0)).toHaveLength(9);
  });

  it('returns from a pause by one call at a time, and opens at the first that fails', async () => {
    const breaker = createCircuitBreaker(settings);
    breaker.returnGently();
    const first = await permit(breaker, 0);
    expect((await next(breaker, 0)).state).toBe('waits');
    first.settle('failed', second(0));
    expect(await breaker.enter(second(0))).toMatchObject({ retry: { afterSeconds: 10 } });
  });

  it('stays closed when the service refuses the account: that pauses the shop', async () => {
    const breaker = createCircuitBreaker(settings);
    for (let n = 0; n < 5; n += 1) await call(breaker, { why: 'misconfigured' }, 0);
    expect(await breaker.enter(second(1))).toMatchObject({ kind: 'permit' });
  });

  it('is not changed by a permit that was not used', async () => {
    const breaker = await opened();
    (await permit(breaker, 10)).settle('unused', second(10));
    await permit(breaker, 10);
    expect((await next(breaker, 10)).state).toBe('waits');
  });
});

const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** After this many failures, and as many receives unless more are named. */
const delayOf = (request: Partial<RetryRequest> & { readonly tries: number }, random: number) =>
  retryDelaySeconds({ why: 'time-out', receives: request.tries, ...request }, () => random);

const LONGEST = 0.9999;

describe('the retry delay', () => {
  it('doubles from seconds to half an hour', () => {
    const delays = Array.from({ length: 10 }, (_, n) => delayOf({ tries: n + 1 }, LONGEST));
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800]);
  });

  it('spreads over half of itself, so that what failed together does not return together', () => {
    expect(delayOf({ tries: 5 }, 0)).toBe(40);
    expect(delayOf({ tries: 5 }, 0.5)).toBe(60);
  });

  it('never comes back sooner than the service asked, and never waits for an eternity', () => {
    const receives = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(receives, receives, fc.double(), anyRandom, (one, other, wish, r) => {
        const tries = Math.min(one, other);
        const seconds = delayOf({ tries, receives: one, afterSeconds: wish }, r);
        expect(Number.isInteger(seconds)).toBe(true);
        expect(seconds).toBeGreaterThanOrEqual(Math.min(Number.isNaN(wish) ? 0 : wish, 3600));
        expect(seconds).toBeLessThanOrEqual(3600 + 900);
        expect(seconds).toBeGreaterThan(0);
      }),
    );
  });

  it('is long from the start when only a person can help', () => {
    expect(delayOf({ tries: 1, misconfigured: true }, 0)).toBe(900);
  });

  it('does not grow by receives in which nothing was tried', () => {
    expect(delayOf({ tries: 2, receives: 25 }, LONGEST)).toBe(10);
    expect(delayOf({ tries: 2, receives: 400 }, LONGEST)).toBe(10);
  });

  it('is as long as the circuit breaker is open, and half as long at most in addition', () => {
    const held = (receives: number, afterSeconds: number, random: number) =>
      delayOf({ why: 'loyalty-unavailable', tries: 8, receives, afterSeconds }, random);
    for (const receives of [1, 6, 30]) {
      expect([held(receives, 20, 0), held(receives, 20, LONGEST)]).toEqual([20, 30]);
      expect([held(receives, 1, 0), held(receives, 1, LONGEST)]).toEqual([3, 5]);
    }
    expect([held(31, 20, 0), held(31, 20, LONGEST)]).toEqual([900, 1800]);
  });

  it('ends soon after an earlier call can no longer be executed', () => {
    const request = { why: 'call-under-way', afterSeconds: 12, receives: 90, tries: 9 } as const;
    expect([delayOf(request, 0), delayOf(request, LONGEST)]).toEqual([12, 18]);
  });

  it.each([
    { throttled: true },
    { why: 'shop-paused', throttled: true, pausedBy: 'service', afterSeconds: 20 },
    { why: 'out-of-tokens', afterSeconds: 10 },
  ] as const)('is two minutes at most for what waits for its turn: %o', (request) => {
    const longest = (tries: number) => delayOf({ ...request, tries }, LONGEST);
    expect(longest(2)).toBeLessThan(40);
    expect(longest(10)).toBe(120);
    expect(longest(30)).toBe(120);
    expect(longest(31)).toBe(1800);
    expect(longest(9)).toBeLessThan(delayOf({ tries: 9 }, LONGEST));
  });

  it.each([
    ['an operator', 'operator', 1800, 3600],
    ['the service', 'service', 900, 1800],
  ] as const)('spreads what waits for the end of a pause by %s', (_, pausedBy, least, most) => {
    const paused = (random: number) =>
      delayOf({ why: 'shop-paused', pausedBy, tries: 1, receives: 40 }, random);
    expect([paused(0), paused(LONGEST)]).toEqual([least, most]);
  });

  it('is an hour for what waits for its turn, where the service asks for an hour', () => {
    expect(delayOf({ tries: 3, throttled: true, afterSeconds: 3600 }, 0)).toBe(3600);
  });

  it.each([
    ['failures', {}],
    ['a service that asks for fewer calls', { throttled: true }],
    ['an open circuit breaker', { why: 'loyalty-unavailable', afterSeconds: 1 }],
    ['an account without tokens', { why: 'out-of-tokens', afterSeconds: 10 }],
  ] as const)('stays below 1000 receives of a queue for ten days of %s', (_, request) => {
    let seconds = 0;
    let receives = 0;
    while (seconds < 10 * 86_400) {
      receives += 1;
      // The shortest that chance can give.
      seconds += delayOf({ tries: receives, ...request }, 0);
    }
    expect(receives).toBeLessThan(1000);
  });
});

describe('the retry window', () => {
  const receivedAt = '2026-10-01T00:00:00.000Z';
  const over = (now: string, replays?: { at: string; by: string }[], pausedDays = 0) =>
    isRetryWindowOver({ shop: 'one', receivedAt, ...(replays && { replays }) }, 4, new Date(now), {
      pausedMs: () => pausedDays * 86_400_000,
    });

  it('counts from the day the event was accepted', () => {
    expect(over('2026-10-05T00:00:00.000Z')).toBe(false);
    expect(over('2026-10-05T00:00:00.001Z')).toBe(true);
  });

  it('begins again with a replay', () => {
    expect(over('2026-10-20T00:00:00Z', [{ at: '2026-10-19T00:00:00Z', by: 'op' }])).toBe(false);
  });
});
