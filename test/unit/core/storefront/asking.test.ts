import { describe, expect, it } from 'vitest';
import { recordTelemetry } from '../../../../local/harness/recorded-telemetry.ts';
import { askLoyalty } from '../../../../shared/core/calls/ask-loyalty.ts';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import { readCart, readCartOrNone } from '../../../../shared/core/redeem/available-rewards.ts';
import type { CodeUses, RewardStore } from '../../../../shared/core/redeem/reward-store.ts';
import { createUsesCache, withCachedUses } from '../../../../shared/core/storefront/cached-uses.ts';
import type { CallOptions } from '../../../../shared/loyalty/client.ts';
import { transportFailure } from '../../../../shared/loyalty/result.ts';

const NOON = Date.parse('2026-10-09T12:00:00Z');

describe('a question to the loyalty service', () => {
  const open = () => ({
    ...{ breaker: createCircuitBreaker(), telemetry: recordTelemetry() },
    now: () => new Date(NOON),
  });
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
    await askLoyalty('listTiers', call, open());
    await askLoyalty('listTiers', call, { ...open(), deadline: signal });
    expect(given).toEqual([{ timeoutMs: 3_000 }, { timeoutMs: 3_000, signal }]);
  });

  it.each([
    [undefined, 5],
    [2, 5],
    [60, 60],
  ])('may be asked again as late as the service says: %s', async (seconds, afterSeconds) => {
    const asked = await askLoyalty('listTiers', fail(seconds), open());
    expect(asked).toEqual({ kind: 'unavailable', afterSeconds, mayHaveHappened: false });
  });

  it('that was not asked has surely not happened', async () => {
    const world = open();
    for (let n = 0; n < 3; n += 1) await askLoyalty('listTiers', fail(), world);
    const asked = await askLoyalty('listTiers', () => expect.fail('asked'), world);
    expect(asked).toEqual({ kind: 'unavailable', afterSeconds: 10, mayHaveHappened: false });
  });
});

describe('the uses of codes', () => {
  const read: CodeUses = { kind: 'read', uses: new Map([['D1', 1]]) };
  const silent: CodeUses = { kind: 'unavailable', why: 'time-out' };

  function open(...answers: readonly CodeUses[]) {
    const clock = { ms: NOON };
    const asked: (readonly [string, readonly string[]])[] = [];
    const readUses = async (shop: string, ids: readonly string[]) => {
      asked.push([shop, ids]);
      return answers[asked.length - 1] ?? read;
    };
    const cache = createUsesCache(() => new Date(clock.ms));
    return { clock, asked, store: withCachedUses({ readUses } as unknown as RewardStore, cache) };
  }

  it('are asked for once in half a minute, for each shop and its codes', async () => {
    const { clock, asked, store } = open();
    for (const _ of ['first page', 'second page']) {
      expect(await store.readUses('one', ['D1'])).toEqual(read);
    }
    await store.readUses('one', ['D2']);
    await store.readUses('two', ['D1']);
    expect(asked).toEqual([
      ['one', ['D1']],
      ['one', ['D2']],
      ['two', ['D1']],
    ]);
    clock.ms += 30_000;
    await store.readUses('one', ['D1']);
    expect(asked).toHaveLength(4);
  });

  it('are asked for again after a silence of the store', async () => {
    const { store } = open(silent);
    expect(await store.readUses('one', ['D1'])).toEqual(silent);
    expect(await store.readUses('one', ['D1'])).toEqual(read);
  });
});

describe('a cart', () => {
  const LONGEST = '1234567890123456789:999999999.1234:9999';

  it.each(['8012300032771:64.90:2', '1:0:1', LONGEST, Array(50).fill(LONGEST).join(',')])(
    'is read: %s',
    (text) => {
      const [line] = readCart(text) ?? [];
      expect(readCart(text)).toHaveLength(text.split(',').length);
      expect([line?.id, String(line?.quantity)]).toEqual([
        text.split(':')[0],
        text.split(',')[0]?.split(':')[2],
      ]);
    },
  );

  it.each([
    ...['x1:1:1', '1:1:1x', '12345678901234567890:1:1', '1:1234567890:1', '1:1.12345:1', '1:1.:1'],
    ...['1:x:1', '1:1.x:1', '1:1:10000', '1:1:01', '1:1:1x0', '1:1x5:1', ':1:1', '1::1', '1:1:'],
    ...['x:1:1', 'x:x:x', '1:1:x', '1:1:1,x'],
  ])('is not read: %s', (text) => {
    expect(readCart(text)).toBeUndefined();
  });

  it('is empty where the page sends none', () => {
    expect([readCartOrNone(undefined), readCartOrNone('')]).toEqual([[], []]);
    expect(readCartOrNone('1:1:1')).toHaveLength(1);
  });
});
