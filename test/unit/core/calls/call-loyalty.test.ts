import { describe, expect, it } from 'vitest';
import {
  type AskingDeps,
  askLoyalty,
  type CallEnd,
  callForShopper,
  createCircuitBreaker,
  createTimedCache,
  type LocalBreaker,
  type Permit,
} from '../../../../shared/core/calls/call-loyalty.ts';
import type { CallOptions } from '../../../../shared/loyalty/client.ts';
import { type LoyaltyResult, transportFailure } from '../../../../shared/loyalty/result.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';

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

  it('sends away those who wait for a probe that fails', async () => {
    const breaker = await opened();
    const probe = await permit(breaker, 10);
    const others = [await next(breaker, 10), await next(breaker, 12)];
    probe.settle('failed', second(13));
    for (const { entered } of others) {
      expect(await entered).toMatchObject({ kind: 'call-refused', retry: { afterSeconds: 20 } });
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

  it('returns from a pause by one call at a time, and opens at the first that fails', async () => {
    const breaker = createCircuitBreaker(settings);
    breaker.enterHalfOpen();
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

const failure = { mayHaveHappened: false, message: '' };

describe('a call for a shopper', () => {
  it.each<[string, LoyaltyResult<object>, number[]]>([
    ['refused credentials', transportFailure('misconfigured', failure), [1, 0]],
    ['too many calls', transportFailure('throttled', failure), [0, 1]],
    ['no answer', transportFailure('time-out', failure), [0, 0]],
    ['an answer', { kind: 'success', value: {} }, [0, 0]],
  ])('counts for the alarms what it means: %s', async (_, result, counted) => {
    const telemetry = recordTelemetry();
    const world = { breaker: createCircuitBreaker(), now: () => new Date(), telemetry };
    await callForShopper('getCustomerPoints', async () => result, world);
    expect([telemetry.total('misconfigured'), telemetry.total('throttled')]).toEqual(counted);
    const logged = telemetry.logged.map(({ fields }) => fields.operation);
    expect(logged).toEqual(result.kind === 'success' ? [] : ['getCustomerPoints']);
  });
});

describe('a question to the loyalty service', () => {
  const NOON = Date.parse('2026-10-09T12:00:00Z');

  const open = () => ({
    ...{ breaker: createCircuitBreaker(), telemetry: recordTelemetry() },
    now: () => new Date(NOON),
  });
  const ask = (call: (options: CallOptions) => unknown, deps: AskingDeps) => {
    const listTiers = (_: unknown, options: CallOptions) => call(options);
    return askLoyalty('listTiers', [{}], { ...deps, loyalty: { listTiers } as never });
  };
  const fail = (retryAfterSeconds?: number) => async () =>
    transportFailure('unavailable', {
      ...{ mayHaveHappened: false, message: 'HTTP 503.' },
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });

  it('is not waited for longer than a page waits', async () => {
    const given: CallOptions[] = [];
    const call = async (options: CallOptions) => {
      given.push(options);
      return { kind: 'success', value: 1 } as const;
    };
    const { signal } = new AbortController();
    await ask(call, open());
    await ask(call, { ...open(), deadline: signal });
    expect(given).toEqual([{ timeoutMs: 3_000 }, { timeoutMs: 3_000, signal }]);
  });

  it.each([
    [undefined, 5],
    [2, 5],
    [60, 60],
  ])('may be asked again as late as the service says: %s', async (seconds, afterSeconds) => {
    const asked = await ask(fail(seconds), open());
    expect(asked).toEqual({ kind: 'unavailable', afterSeconds, mayHaveHappened: false });
  });

  it('that was not asked has surely not happened', async () => {
    const world = open();
    for (let n = 0; n < 3; n += 1) await ask(fail(), world);
    const asked = await ask(() => expect.fail('asked'), world);
    expect(asked).toEqual({ kind: 'unavailable', afterSeconds: 10, mayHaveHappened: false });
  });
});

describe('a timed cache', () => {
  const clock = { ms: 0 };
  const now = () => new Date(clock.ms);

  it('forgets after its time', () => {
    const cache = createTimedCache<number>({ seconds: 60, most: 10, now });
    cache.keep('a', 1);
    clock.ms += 59_999;
    expect(cache.recall('a')).toBe(1);
    clock.ms += 1;
    expect(cache.recall('a')).toBeUndefined();
  });

  it('never holds more than it may, and drops what it has held longest', () => {
    const cache = createTimedCache<number>({ seconds: 60, most: 3, now });
    for (const key of ['a', 'b', 'a', 'c', 'd']) cache.keep(key, 1);
    const held = ['a', 'b', 'c', 'd'].filter((key) => cache.recall(key) !== undefined);
    expect(held).toEqual(['a', 'c', 'd']);
  });
});
