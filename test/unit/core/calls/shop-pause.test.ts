import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { askLoyalty, createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import {
  changeControl,
  controlIn,
  createPauses,
  pauseIn,
  resumed,
  type ShopControl,
  waitFor,
  wentLive,
  windowFrom,
  withOperatorPause,
  withServicePause,
  woken,
} from '../../../../shared/core/calls/shop-pause.ts';
import type { LoyaltyResult } from '../../../../shared/loyalty/result.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';
import { recordTelemetry } from '../../../support/recorded-telemetry.ts';

const at = (second: number) => new Date(second * 1_000);
const never: ShopControl = controlIn(undefined);
const orders = withOperatorPause(never, 'orders', 'robin', at(100));

function throttled(control: ShopControl, second: number, seconds?: number): ShopControl {
  return withServicePause(control, { why: 'throttled', seconds }, at(second)) ?? control;
}

const secondsLeft = (control: ShopControl, second: number) => {
  const pause = pauseIn(control, 'orders', at(second));
  return pause?.by === 'service' ? pause.until / 1_000 - second : undefined;
};

describe('a pause by the service', () => {
  it('lasts as long as the service asks, at least a second and at most an hour', () => {
    expect(secondsLeft(throttled(never, 100, 7), 100)).toBe(7);
    expect(secondsLeft(throttled(never, 100, 0), 100)).toBe(1);
    expect(secondsLeft(throttled(never, 100, 86_400), 100)).toBe(3_600);
    expect(pauseIn(throttled(never, 100, 7), 'orders', at(107))).toBeUndefined();
  });

  it('grows from ten seconds to two minutes while the service names no time', () => {
    let [control, second] = [never, 0];
    const lengths: (number | undefined)[] = [];
    for (let n = 0; n < 6; n += 1) {
      control = throttled(control, second);
      const left = secondsLeft(control, second);
      lengths.push(left);
      second += left ?? 0;
    }
    expect(lengths).toEqual([10, 10, 20, 40, 80, 120]);
    // After a minute without a refusal it begins anew.
    expect(secondsLeft(throttled(control, second + 61), second + 61)).toBe(10);
  });

  it('gives way only to a later end', () => {
    const long = throttled(never, 100, 60);
    expect(withServicePause(long, { why: 'throttled', seconds: 5 }, at(110))).toBeUndefined();
    // Not worth a write.
    expect(withServicePause(long, { why: 'throttled', seconds: 50.5 }, at(110))).toBeUndefined();
    expect(secondsLeft(throttled(long, 110, 90), 110)).toBe(90);
  });

  it('lasts five minutes when the service refuses the credentials, and says since when', () => {
    const first = withServicePause(never, { why: 'misconfigured' }, at(0)) ?? never;
    const second = withServicePause(first, { why: 'misconfigured' }, at(330)) ?? never;
    expect(secondsLeft(second, 330)).toBe(300);
    expect(second.service?.since).toBe(0);
  });
});

describe('a pause by an operator', () => {
  it('of one queue stops that queue only', () => {
    expect(pauseIn(orders, 'orders', at(9e6))).toEqual({
      by: 'operator',
      part: 'orders',
      since: 100_000,
    });
    expect(pauseIn(orders, 'products', at(101))).toBeUndefined();
    expect(pauseIn(orders, undefined, at(101))).toBeUndefined();
  });

  it('keeps its beginning when it is paused again', () => {
    const again = withOperatorPause(orders, 'orders', 'kim', at(200), { until: 300_000 });
    expect(again.operator.orders).toEqual({ since: 100_000, by: 'kim', until: 300_000 });
  });

  it('with an end is over then, for calls and for the retry window, and may begin again', () => {
    const short = withOperatorPause(orders, 'orders', 'kim', at(110), { until: 200_000 });
    expect(pauseIn(short, 'orders', at(199))).toMatchObject({ since: 100_000, until: 200_000 });
    expect(waitFor({ by: 'operator', part: 'orders', since: 0, until: 200_000 }, at(140))).toEqual({
      ...{ why: 'shop-paused', pausedBy: 'operator', afterSeconds: 60 },
    });
    expect(pauseIn(short, 'orders', at(200))).toBeUndefined();
    expect(windowFrom(short, 'orders', 0, at(150))).toBe(150_000);
    expect(windowFrom(short, 'orders', 0, at(900))).toBe(200_000);
    const again = withOperatorPause(short, 'orders', 'robin', at(300));
    expect(windowFrom(again, 'orders', 0, at(310))).toBe(310_000);
    expect(pauseIn(resumed(again, 'all', at(310)), 'orders', at(310))).toBeUndefined();
    expect(windowFrom(resumed(again, 'all', at(310)), 'orders', 0, at(900))).toBe(310_000);
  });

  it('ends with its own part, or with everything, the pause by the service included', () => {
    const both = throttled(withOperatorPause(orders, 'all', 'kim', at(200)), 200, 60);
    const shopOnly = resumed(both, 'orders', at(300));
    expect(pauseIn(shopOnly, 'products', at(300))).toMatchObject({ part: 'all' });
    const none = resumed(throttled(both, 300, 60), 'all', at(301));
    expect(pauseIn(none, 'orders', at(301))).toBeUndefined();
  });

  it('begins the retry window anew, of its own part, and of nothing that came later', () => {
    let control = withOperatorPause(orders, 'all', 'kim', at(150));
    control = resumed(control, 'all', at(200));
    control = withOperatorPause(control, 'products', 'kim', at(200));
    expect(windowFrom(control, 'products', 0, at(310))).toBe(310_000);
    expect(windowFrom(control, 'orders', 0, at(310))).toBe(200_000);
    expect(windowFrom(control, 'orders', 250_000, at(310))).toBe(250_000);
  });

  it.each([
    [
      'a pause of everything ends',
      resumed(withOperatorPause(never, 'all', 'kim', at(150)), 'all', at(900)),
    ],
    ['an observed shop goes live', wentLive({ ...never, observing: 50_000 }, 0, at(900))],
  ])('begins every retry window anew once %s: nothing was tried before', (_, after) => {
    for (const queue of ['orders', 'products', 'coupons', 'balances'] as const) {
      expect([queue, windowFrom(after, queue, 0, at(950))]).toEqual([queue, 900_000]);
    }
  });

  it('of one queue that ends leaves the pause by the service', () => {
    const both = throttled(orders, 200, 60);
    expect(secondsLeft(resumed(both, 'orders', at(201)), 201)).toBe(59);
  });
});

describe('the control record', () => {
  it('loses a pause of refused credentials when waits are ended, and no other', () => {
    const pause = { why: 'misconfigured', seconds: undefined } as const;
    const refused = withServicePause(orders, pause, at(200));
    const wokenAt = 201_000;
    expect(refused && woken(refused, at(201))).toEqual({ ...orders, wokenAt });
    const slow = throttled(orders, 200, 60);
    expect(woken(slow, at(201))).toEqual({ ...slow, wokenAt });
    expect(woken(orders, at(201))).toEqual({ ...orders, wokenAt });
  });

  it('is given up after twenty writes of others', async () => {
    const ledger = createMemoryLedger();
    let tries = 0;
    const busy = {
      readMany: ledger.readMany,
      async write() {
        tries += 1;
        return { kind: 'conflict' } as const;
      },
    };
    const change = (control: ShopControl) => withOperatorPause(control, 'all', 'kim', at(1));
    await expect(changeControl(busy, 'one', change)).rejects.toThrow('too often');
    expect(tries).toBe(20);
  });

  it('keeps what two processes change at the same time', async () => {
    const ledger = createMemoryLedger();
    await Promise.all([
      changeControl(ledger, 'one', (control) => withOperatorPause(control, 'all', 'kim', at(1))),
      changeControl(ledger, 'one', (control) =>
        withServicePause(control, { why: 'throttled', seconds: 9 }, at(1)),
      ),
    ]);
    const control = await changeControl(ledger, 'one', () => undefined);
    expect(control).toMatchObject({ operator: { all: { by: 'kim' } }, service: { until: 10_000 } });
  });

  it('that another release wrote pauses nothing', () => {
    const entry = { version: 0, uncertain: false, outcomes: [], revision: 1 };
    expect(controlIn({ ...entry, remembered: 'w2{"operator":[]}' })).toEqual(never);
  });
});

const SHOP = 'example-store.myshopify.com';

const THROTTLED = {
  kind: 'transport-failure',
  class: 'throttled',
  reason: 'throttled',
  mayHaveHappened: false,
  retryAfterSeconds: 30,
  message: 'HTTP 429.',
} as LoyaltyResult<string>;
const REFUSED_CREDENTIALS = {
  ...{ ...THROTTLED, class: 'misconfigured', reason: 'unauthorized' },
} as LoyaltyResult<string>;

/** A process of the storefront, or of reconcile: it reads no batch, and learns of pauses by itself. */
function openStorefront(forShoppers = true) {
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
    // Later than the answer of the call: a function may be frozen after that.
    write: (async (...given) => tick().then(() => memory.write(...given))) as typeof memory.write,
  };
  const telemetry = recordTelemetry();
  const pauses = createPauses({ ledger, telemetry, forShoppers });
  const breaker = pauses.guard(SHOP, createCircuitBreaker());
  const answers: (LoyaltyResult<string> | Promise<LoyaltyResult<string>>)[] = [];
  const loyalty = {
    listTiers: async () => {
      calls += 1;
      return answers.shift() ?? ({ kind: 'success', value: 'tiers' } as LoyaltyResult<string>);
    },
  } as never;
  const ask = () => askLoyalty('listTiers', [{}], { breaker, telemetry, now, loyalty });
  return { clock, now, memory, parts, answers, ask, counts: () => ({ calls, reads }) };
}

describe('a process without batches', () => {
  it('makes no call for a page that asks twice at once, as the first of a new process', async () => {
    const { now, memory, parts, ask, counts } = openStorefront();
    await changeControl(memory, SHOP, (control) => withOperatorPause(control, 'all', 'kim', now()));
    parts.readMany = (keys) => tick().then(() => memory.readMany(keys));
    const [one, other] = await Promise.all([ask(), ask()]);
    expect([one, other]).toMatchObject([{ kind: 'unavailable' }, { kind: 'unavailable' }]);
    expect(counts()).toEqual({ calls: 0, reads: 1 });
  });

  it('keeps a pause that began while it read the record', async () => {
    const { clock, memory, parts, answers, ask, counts } = openStorefront(false);
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
    refused.resolve(THROTTLED);
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

  // Anonymous visitors held back the orders of a shop for as long as the service's Retry-After said.
  it('that serves shoppers stops only its own calls when it is throttled, also after it read the record again', async () => {
    const { clock, memory, parts, answers, ask, counts } = openStorefront();
    answers.push(THROTTLED);
    expect(await ask()).toMatchObject({ kind: 'unavailable' });
    expect((await changeControl(memory, SHOP, () => undefined)).service).toBeUndefined();
    expect(await ask()).toMatchObject({ kind: 'unavailable', afterSeconds: 30 });
    clock.ms += 20_000;
    expect(await ask()).toMatchObject({ kind: 'unavailable', afterSeconds: 10 });
    expect(counts()).toEqual({ calls: 1, reads: 2 });

    clock.ms += 11_000;
    parts.readMany = async () => Promise.reject(new Error('down'));
    expect(await ask()).toMatchObject({ kind: 'answered' });
  });

  it.each([
    ['serves shoppers, and its credentials are refused', true, REFUSED_CREDENTIALS, 300],
    ['serves no shoppers, and is throttled', false, THROTTLED, 30],
  ])('pauses the shop for the others where it %s', async (_, forShoppers, refused, seconds) => {
    const { clock, memory, answers, ask, counts } = openStorefront(forShoppers);
    answers.push(refused);
    expect(await ask()).toMatchObject({ kind: 'unavailable' });
    const { service } = await changeControl(memory, SHOP, () => undefined);
    expect(service).toMatchObject({ until: clock.ms + seconds * 1_000 });
    expect(await ask()).toMatchObject({ kind: 'unavailable', afterSeconds: seconds });
    expect(counts().calls).toBe(1);
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

  it('ends no retry window when it read the record more than five minutes ago', async () => {
    const { world, entries } = await openPaused();
    const pauses = createPauses({ ...world, queue: 'orders' });
    const fromAt = (ms: number) => pauses.windowFrom(SHOP, 0, new Date(ms));
    expect(fromAt(100_000)).toBe(100_000);
    pauses.learn([SHOP], entries, new Date(100_000));
    expect(fromAt(399_999)).toBe(60_000);
    expect(fromAt(400_000)).toBe(400_000);
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
    /** Undefined when it waits for others. */
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
