import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../../../../local/harness/memory-ledger.ts';
import { recordTelemetry } from '../../../../local/harness/recorded-telemetry.ts';
import { askLoyalty } from '../../../../shared/core/calls/ask-loyalty.ts';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import {
  changeControl,
  createPauses,
  resumed,
  waitFor,
  withOperatorPause,
  withServicePause,
} from '../../../../shared/core/calls/shop-pause.ts';
import type { LoyaltyResult } from '../../../../shared/loyalty/result.ts';

const SHOP = 'example-store.myshopify.com';

const throttled = {
  kind: 'transport-failure',
  class: 'throttled',
  reason: 'throttled',
  mayHaveHappened: false,
  retryAfterSeconds: 30,
  message: 'HTTP 429.',
} as LoyaltyResult<string>;

/** A storefront's process: it reads no batch, and learns of pauses by itself. */
function openStorefront() {
  const clock = { ms: 1_000_000 };
  const now = () => new Date(clock.ms);
  const memory = createMemoryLedger();
  const parts = { readMany: memory.readMany };
  let [calls, reads] = [0, 0];
  const ledger = {
    ...memory,
    readMany: (keys: Parameters<typeof memory.readMany>[0]) => {
      reads += 1;
      return parts.readMany(keys);
    },
  };
  const telemetry = recordTelemetry();
  const pauses = createPauses({ ledger, telemetry });
  const breaker = pauses.guard(SHOP, createCircuitBreaker());
  const answers: (LoyaltyResult<string> | Promise<LoyaltyResult<string>>)[] = [];
  const ask = () =>
    askLoyalty<string>(
      'listTiers',
      async () => {
        calls += 1;
        return answers.shift() ?? ({ kind: 'success', value: 'tiers' } as LoyaltyResult<string>);
      },
      { breaker, telemetry, now },
    );
  return { clock, now, memory, parts, answers, ask, counts: () => ({ calls, reads }) };
}

describe('a process without batches', () => {
  it('answers a shopper of a paused shop without a call, and reads the record every ten seconds at most', async () => {
    const { clock, now, memory, ask, counts } = openStorefront();
    await changeControl(memory, SHOP, (control) => withOperatorPause(control, 'all', 'kim', now()));
    for (let n = 0; n < 5; n += 1) expect(await ask()).toMatchObject({ kind: 'unavailable' });
    expect(counts()).toEqual({ calls: 0, reads: 1 });
    await changeControl(memory, SHOP, (control) => resumed(control, 'all', now()));
    clock.ms += 10_000;
    expect(await ask()).toEqual({ kind: 'answered', value: 'tiers' });
    expect(counts()).toEqual({ calls: 1, reads: 2 });
  });

  it('makes no call for a page that asks twice at once, as the first of a new process', async () => {
    const { now, memory, parts, ask, counts } = openStorefront();
    await changeControl(memory, SHOP, (control) => withOperatorPause(control, 'all', 'kim', now()));
    parts.readMany = (keys) => tick().then(() => memory.readMany(keys));
    const [one, other] = await Promise.all([ask(), ask()]);
    expect([one, other]).toMatchObject([{ kind: 'unavailable' }, { kind: 'unavailable' }]);
    expect(counts()).toEqual({ calls: 0, reads: 1 });
  });

  it('keeps a pause that began while it read the record', async () => {
    const { clock, memory, parts, answers, ask, counts } = openStorefront();
    expect(await ask()).toMatchObject({ kind: 'answered' });
    const read = Promise.withResolvers<void>();
    parts.readMany = async (keys) => {
      const before = await memory.readMany(keys);
      await read.promise;
      return before;
    };
    // This call began before the record was too old, and is refused while another one reads it.
    const refused = Promise.withResolvers<LoyaltyResult<string>>();
    answers.push(refused.promise);
    const early = ask();
    await Promise.resolve();
    clock.ms += 10_000;
    const late = ask();
    parts.readMany = memory.readMany;
    refused.resolve(throttled);
    expect(await early).toMatchObject({ kind: 'unavailable' });
    read.resolve();
    expect(await late).toMatchObject({ kind: 'unavailable' });
    expect(counts().calls).toBe(2);
  });

  it('asks again with its next call if the first read of its life failed', async () => {
    const { now, memory, parts, ask, counts } = openStorefront();
    await changeControl(memory, SHOP, (control) => withOperatorPause(control, 'all', 'kim', now()));
    parts.readMany = async () => Promise.reject(new Error('down'));
    expect(await ask()).toMatchObject({ kind: 'answered' });
    parts.readMany = memory.readMany;
    expect(await ask()).toMatchObject({ kind: 'unavailable' });
    expect(counts()).toEqual({ calls: 1, reads: 2 });
  });

  it('goes on where only a queue is paused', async () => {
    const { now, memory, ask } = openStorefront();
    await changeControl(memory, SHOP, (control) =>
      withOperatorPause(control, 'orders', 'kim', now()),
    );
    expect(await ask()).toMatchObject({ kind: 'answered' });
  });

  it('pauses the shop for the others when it is throttled itself, and calls on when the ledger fails', async () => {
    const { clock, memory, parts, answers, ask, counts } = openStorefront();
    answers.push(throttled);
    expect(await ask()).toMatchObject({ kind: 'unavailable' });
    const control = await changeControl(memory, SHOP, () => undefined);
    expect(control.service).toMatchObject({ why: 'throttled', until: clock.ms + 30_000 });
    expect(await ask()).toMatchObject({ kind: 'unavailable', afterSeconds: 30 });
    expect(counts().calls).toBe(1);

    clock.ms += 31_000;
    parts.readMany = async () => Promise.reject(new Error('down'));
    expect(await ask()).toMatchObject({ kind: 'answered' });
  });
});

describe('a process with batches', () => {
  const key = createPauses({ ...openLedger(), queue: 'orders' }).keyOf(SHOP);
  /** The queue of orders was paused for the first minute. */
  async function openPaused() {
    const world = openLedger();
    await changeControl(world.ledger, SHOP, (control) =>
      resumed(withOperatorPause(control, 'orders', 'kim', new Date(0)), 'orders', new Date(60_000)),
    );
    return { world, entries: await world.ledger.readMany([key]) };
  }

  it('takes any time for paused when it read the record more than five minutes ago', async () => {
    const { world, entries } = await openPaused();
    const pauses = createPauses({ ...world, queue: 'orders' });
    const pausedAt = (ms: number) => pauses.pausedMs(SHOP, 0, new Date(ms));
    expect(pausedAt(100_000)).toBe(Number.POSITIVE_INFINITY);
    pauses.learn([SHOP], entries, new Date(100_000));
    expect(pausedAt(399_999)).toBe(60_000);
    expect(pausedAt(400_000)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the calls of a shop after the service asked for a pause', () => {
  const UNTIL = 30_000_000;
  /** A process that begins to call so many milliseconds after the end of the pause. */
  async function openGuard(after: number) {
    const { ledger, telemetry } = openLedger();
    const asked = { why: 'throttled', seconds: 30 } as const;
    const began = new Date(UNTIL - 30_000);
    await changeControl(ledger, SHOP, (control) => withServicePause(control, asked, began));
    const guard = createPauses({ ledger, telemetry }).guard(SHOP, createCircuitBreaker());
    const now = new Date(UNTIL + after);
    /** Undefined: it waits for others. */
    const enter = async () => {
      const waits = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
      const entered = await Promise.race([guard.enter(now), waits]);
      return entered?.kind === 'permit' ? entered : undefined;
    };
    return { now, enter };
  }

  it.each([0, 3_599_999])('come one at a time, and one more for each answer: %i', async (after) => {
    const { now, enter } = await openGuard(after);
    const first = await enter();
    expect([first?.kind, await enter()]).toEqual(['permit', undefined]);
    await first?.settle('answered', now);
    // The one that waited has one of the two.
    expect([await enter(), await enter()]).toMatchObject([{}, undefined]);
  });

  it('come as ever when it ended an hour ago', async () => {
    const { enter } = await openGuard(3_600_000);
    expect([await enter(), await enter()]).toMatchObject([{}, {}]);
  });

  it('write a longer pause once in a second at most, however many are refused', async () => {
    const { ledger, telemetry } = openLedger();
    let writes = 0;
    const counted: typeof ledger.write = (...given) => {
      writes += 1;
      return ledger.write(...given);
    };
    const pauses = createPauses({ ledger: { ...ledger, write: counted }, telemetry });
    const guard = pauses.guard(SHOP, createCircuitBreaker());
    const permits = [];
    for (let calls = 0; calls < 3; calls += 1) permits.push(await guard.enter(new Date(UNTIL)));
    for (const [at, after] of [0, 999, 1_000].entries()) {
      const permit = permits[at];
      if (permit?.kind !== 'permit') throw new Error('no permit');
      await permit.settle({ why: 'throttled', seconds: 30 * (at + 1) }, new Date(UNTIL + after));
    }
    expect(writes).toBe(2);
  });

  it.each(['throttled', 'misconfigured'] as const)('wait as one that was %s waits', (why) => {
    const pause = { by: 'service', why, since: 0, until: 1_500 } as const;
    expect(waitFor(pause, new Date(0))).toEqual({
      ...{ why: 'shop-paused', pausedBy: 'service', [why]: true, afterSeconds: 2 },
    });
  });
});

function openLedger() {
  return { ledger: createMemoryLedger(), telemetry: recordTelemetry() };
}
