import { describe, expect, it } from 'vitest';
import type { Redemption, RedemptionState } from '../../../../shared/core/redeem/redemption.ts';
import { tidy } from '../../../../shared/core/redeem/redemption-book.ts';
import { advance, type Step } from '../../../../shared/core/redeem/redemption-state.ts';
import { codeFrom } from '../../../../shared/core/redeem/reward-code.ts';
import { readTerms } from '../../../../shared/core/redeem/reward-terms.ts';
import type { components } from '../../../../shared/loyalty/contract.gen.ts';

const now = new Date('2026-10-09T12:00:00.000Z');
const IN_30_DAYS = '2026-11-08T12:00:00.000Z';

type Coupon = components['schemas']['PreGeneratedCoupon'];

const reward = { Id: 1, Title: 'Five off', Points: 100, RewardType: 0, Value: 5, ValidDays: 30 };

function redemption(state: RedemptionState = { at: 'calling' }, id = 'AAAABBBBCCCC'): Redemption {
  const terms = readTerms(reward, reward, { kind: 'fixed', value: 5 });
  if (!terms) throw new Error('no terms');
  const at = now.toISOString();
  return { id, rewardId: 1, clientKeys: [], terms, intendedAt: at, since: at, state };
}

const codeOf = (...coupons: Coupon[]) =>
  codeFrom({ PreGeneratedCouponLists: [{ PreGeneratedCoupons: coupons }] }, redemption(), now);

const OWN = { code: 'REWARD-AAAABBBBCCCC', kind: 'fixed', value: 5 };

describe('the code of a redeemed reward', () => {
  it('is the one that the answer assigns, of its kind, value and dates', () => {
    const coupon = {
      CouponCode: ' TEN-1 ',
      CouponType: 1,
      CouponValue: 10,
      IsAssigned: true,
    } as const;
    const dates = { ValidDateStart: '2026-10-10T00:00:00Z', ValidDateEnd: '2026-12-01T00:00:00' };
    expect(codeOf({ CouponCode: 'OTHER' }, { ...coupon, ...dates })).toEqual({
      code: 'TEN-1',
      kind: 'percent',
      value: 10,
      startsAt: '2026-10-10T00:00:00.000Z',
      endsAt: '2026-12-01T00:00:00.000Z',
    });
  });

  it('is one of ours where the answer gives none, or does not say which', () => {
    const own = { ...OWN, startsAt: now.toISOString(), endsAt: IN_30_DAYS };
    expect(codeFrom(undefined, redemption(), now)).toEqual(own);
    expect(codeOf()).toEqual(own);
    expect(codeOf({ CouponCode: '' })).toEqual(own);
    expect(codeOf({ CouponCode: 'ONE' }, { CouponCode: 'TWO' })).toEqual(own);
    expect(codeOf({ CouponCode: 'x'.repeat(256) })).toEqual(own);
    // A list that shows whom else it gave to: the first of them is somebody else's.
    const assigned = { IsAssigned: true };
    expect(
      codeOf({ CouponCode: 'THEIRS', ...assigned }, { CouponCode: 'MINE', ...assigned }),
    ).toEqual(own);
  });

  it('gives what was offered where the coupon is of a kind that a store does not have', () => {
    for (const CouponType of [3, 4] as const) {
      expect(codeOf({ CouponCode: 'X', CouponType, CouponValue: 99 })).toMatchObject({
        ...{ code: 'X', kind: 'fixed', value: 5 },
      });
    }
    expect(codeOf({ CouponCode: 'X', CouponType: 1, CouponValue: 101 })).toMatchObject({
      value: 5,
    });
  });

  it('ends after the days of the reward where the coupon’s own dates make no sense', () => {
    const ValidDateEnd = '2026-10-09T11:00:00Z';
    expect(codeOf({ CouponCode: 'X', ValidDateEnd })).toMatchObject({ endsAt: IN_30_DAYS });
    expect(codeOf({ CouponCode: 'X', ValidDateEnd: 'soon' })).toMatchObject({ endsAt: IN_30_DAYS });
  });
});

describe('a redemption', () => {
  const code = codeFrom(undefined, redemption(), now);
  const states: readonly RedemptionState[] = [
    { at: 'intended' },
    { at: 'calling' },
    { at: 'unknown', why: 'time-out' },
    { at: 'refused', why: 'refused' },
    { at: 'redeemed', code },
    { at: 'lost', code, why: 'refused' },
    { at: 'compensating', code },
    { at: 'compensated', code },
    { at: 'ready', code, discountId: '1' },
    { at: 'used', code, discountId: '1' },
  ];
  const steps: readonly Step[] = [
    { kind: 'call' },
    { kind: 'answer', code },
    { kind: 'refuse', why: 'refused' },
    { kind: 'lose-sight', why: 'time-out' },
    { kind: 'spent', by: 'Point_Add/1' },
    { kind: 'operator-happened' },
    { kind: 'operator-did-not-happen' },
    { kind: 'operator-happened', code: 'GIVEN' },
    { kind: 'made', code: code.code, discountId: '1' },
    { kind: 'taken', code: code.code },
    { kind: 'store-refused', code: code.code, why: 'INVALID' },
    { kind: 'compensate' },
    { kind: 'compensated' },
    { kind: 'use' },
  ];

  it('goes the ways that are drawn above its code, and no other', () => {
    const ways = states.flatMap((state) =>
      steps.flatMap((step) => {
        const to = advance(redemption(state), step, now)?.state.at;
        return to === undefined || to === state.at ? [] : [`${state.at} → ${to}`];
      }),
    );
    expect([...new Set(ways)].toSorted()).toEqual([
      'calling → redeemed',
      'calling → refused',
      'calling → unknown',
      'compensating → compensated',
      'intended → calling',
      'lost → compensating',
      'lost → ready',
      'lost → redeemed',
      'ready → used',
      'redeemed → lost',
      'redeemed → ready',
      'unknown → redeemed',
      'unknown → refused',
    ]);
  });

  it('shows the code that the store has, also when another was wanted meanwhile', () => {
    const other = { ...code, code: 'OTHER' };
    const lost = redemption({ at: 'lost', code, why: 'INVALID' });
    const given = advance(lost, { kind: 'operator-happened', code: 'OTHER' }, now) ?? lost;
    expect(given.state).toEqual({ at: 'redeemed', code: other });
    // Of a try that began before: the store did not take the old one, or did.
    const refused = { kind: 'store-refused', code: code.code, why: 'INVALID' } as const;
    expect(advance(given, refused, now)).toBeUndefined();
    const made = { kind: 'made', code: code.code, discountId: '1' } as const;
    expect(advance(given, made, now)?.state).toEqual({ at: 'ready', code, discountId: '1' });
  });

  it('that is open is never dropped, however many are closed after it', () => {
    const closed = Array.from({ length: 50 }, (_, index) =>
      redemption({ at: 'refused', why: 'refused' }, `CLOSED${String(index).padStart(6, '0')}`),
    );
    const open = redemption({ at: 'unknown', why: 'time-out' });
    const ready = redemption({ at: 'ready', code, discountId: '1' }, 'READY0000000');
    const { redemptions } = tidy({ redemptions: [open, ready, ...closed], intents: [] });
    expect(redemptions).toHaveLength(22);
    expect(redemptions.slice(0, 2)).toEqual([open, ready]);
    expect(redemptions.at(-1)).toEqual(closed.at(-1));
  });
});
