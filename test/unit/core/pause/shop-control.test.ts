import { describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../../../../local/harness/memory-ledger.ts';
import {
  changeControl,
  controlIn,
  pausedMs,
  pauseIn,
  resumed,
  type ShopControl,
  withOperatorPause,
  withServicePause,
  woken,
} from '../../../../shared/core/calls/shop-pause.ts';

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

  it('stops every queue, and the functions without one', () => {
    const control = throttled(never, 100, 7);
    for (const queue of ['orders', 'products', 'coupons', 'balances', undefined] as const) {
      expect(pauseIn(control, queue, at(101))).toMatchObject({ by: 'service', why: 'throttled' });
    }
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
    expect(withOperatorPause(orders, 'orders', 'kim', at(200))).toBe(orders);
  });

  it('ends with its own part, or with everything, the pause by the service included', () => {
    const both = throttled(withOperatorPause(orders, 'all', 'kim', at(200)), 200, 60);
    const shopOnly = resumed(both, 'orders', at(300));
    expect(pauseIn(shopOnly, 'products', at(300))).toMatchObject({ part: 'all' });
    const none = resumed(throttled(both, 300, 60), 'all', at(301));
    expect(pauseIn(none, 'orders', at(301))).toBeUndefined();
  });

  it('is measured without counting a moment twice, from the moment asked for', () => {
    let control = withOperatorPause(orders, 'all', 'kim', at(150));
    control = resumed(control, 'all', at(200));
    control = withOperatorPause(control, 'products', 'kim', at(200));
    control = withOperatorPause(control, 'orders', 'kim', at(300));
    expect(pausedMs(control, 'orders', 0, at(310))).toBe(110_000);
    expect(pausedMs(control, 'orders', 180_000, at(310))).toBe(30_000);
    expect(pausedMs(control, 'coupons', 0, at(310))).toBe(50_000);
  });

  it('of one queue that ends leaves the pause by the service', () => {
    const both = throttled(orders, 200, 60);
    expect(secondsLeft(resumed(both, 'orders', at(201)), 201)).toBe(59);
  });

  it('that ends for the twenty-first time is all that is forgotten of them', () => {
    let control = never;
    for (let minute = 0; minute < 21; minute += 1) {
      control = withOperatorPause(control, 'orders', 'kim', at(minute * 60));
      control = resumed(control, 'orders', at(minute * 60 + 30));
    }
    expect(control.past).toHaveLength(20);
    expect(control.past.at(-1)?.until).toBe((20 * 60 + 30) * 1_000);
  });

  it('is remembered as long as a message can be on a queue, and not without end', () => {
    let control = never;
    for (let day = 0; day < 40; day += 1) {
      control = withOperatorPause(control, 'orders', 'kim', at(day * 86_400));
      control = resumed(control, 'orders', at(day * 86_400 + 60));
    }
    expect(control.past).toHaveLength(14);
    expect(pausedMs(control, 'orders', 27 * 86_400_000, at(40 * 86_400))).toBe(13 * 60_000);
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

  it('is given up after five writes of others', async () => {
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
    expect(tries).toBe(5);
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
