import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../../shared/config/loyalty-assumptions.ts';
import type { WantedState } from '../../../shared/core/mapping/wanted-state.ts';
import {
  type CallAssumptions,
  judge,
  type LoyaltyCalls,
  makeCalls,
  refuseToReplace,
} from '../../../shared/core/sync/make-calls.ts';
import { classify, findErrorCode } from '../../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import { type LoyaltyResult, transportFailure } from '../../../shared/loyalty/result.ts';

const limits = { signal: new AbortController().signal, waitedForADay: false };
const cancelled: WantedState = {
  kind: 'cancelled-order',
  id: '1',
  cancellation: { OrderCancelledDate: '2026-10-09T12:00:00.000Z' },
  order: { OriginalId: '1', IsCancelledOrReturned: true },
};

/** A service that answers each operation with this code; undefined is a success. */
function service(codes: Partial<Record<OperationId, number>>): LoyaltyCalls {
  const answer = async (operation: OperationId): Promise<LoyaltyResult<never>> => {
    const code = codes[operation];
    if (code === undefined) return { kind: 'success', value: {} as never };
    const name = findErrorCode(code)?.name;
    return {
      kind: 'business-error',
      class: classify(code, operation),
      code,
      ...(name && { name }),
      message: 'no',
      fields: [],
    };
  };
  return {
    sendOrder: () => answer('sendOrder'),
    cancelPosOrder: () => answer('cancelPosOrder'),
    getOrder: () => answer('getOrder'),
    updateProduct: () => answer('updateProduct'),
    createCoupon: () => answer('createCoupon'),
    deactivateCoupon: () => answer('deactivateCoupon'),
  };
}

const cancel = async (
  codes: Partial<Record<OperationId, number>>,
  assumptions: Partial<CallAssumptions> = {},
) => {
  const all = { ...defaultAssumptions, ...assumptions };
  return (await makeCalls(cancelled, service(codes), all, limits)).outcome;
};

describe('cancelling an order', () => {
  it('is done when the service does it, has done it already, or never knew the order', async () => {
    for (const code of [undefined, 33, 37]) {
      const codes = code === undefined ? {} : { cancelPosOrder: code };
      expect(await cancel(codes)).toEqual({ kind: 'applied', calls: ['cancelPosOrder'] });
    }
  });

  it('falls back on the order itself where a completed one cannot be cancelled', async () => {
    const both = { kind: 'applied', calls: ['cancelPosOrder', 'sendOrder'] };
    expect(await cancel({ cancelPosOrder: 13 })).toEqual(both);
    // Cancelled already is what was wanted.
    expect(await cancel({ cancelPosOrder: 13, sendOrder: 33 })).toEqual(both);
  });

  it('is for a person where the fallback is refused as well', async () => {
    expect(await cancel({ cancelPosOrder: 13, sendOrder: 13 })).toMatchObject({
      kind: 'rejected',
      code: 'Order_CompletedOrderCannotBeCancelled',
    });
  });

  it('follows what the merchant knows of the service', async () => {
    const refused = { cancelPosOrder: 13, sendOrder: 13 };
    expect(await cancel(refused, { refusedCancelledMark: 'done' })).toMatchObject({
      kind: 'applied',
    });
    const noFallback = { completedOrdersTakeTheCancelledMark: false };
    expect(await cancel({ cancelPosOrder: 13 }, noFallback)).toMatchObject({ kind: 'rejected' });
    expect(await cancel({ cancelPosOrder: 33 }, { cancellingTwice: 'rejected' })).toMatchObject({
      kind: 'rejected',
      code: 'ApiOrder_OrderIsCancelled',
    });
  });
});

describe('a cancellation that the answer does not confirm', () => {
  const finding = { kind: 'business-error', class: 'retry', finding: 'not-cancelled' } as const;
  const unconfirmed = { ...finding, message: 'not yet', fields: [] };

  const cancelUnconfirmed = async (read: LoyaltyResult<never>, waitedForADay = false) => {
    const loyalty = {
      ...service({}),
      cancelPosOrder: async () => unconfirmed,
      getOrder: async () => read,
    };
    return makeCalls(cancelled, loyalty, defaultAssumptions, { ...limits, waitedForADay });
  };
  const held = (State: number) => ({ kind: 'success', value: { State } as never }) as const;
  const both = ['cancelPosOrder', 'getOrder'];

  it('is done when the order is read as cancelled, or is not there', async () => {
    const absent = await service({ getOrder: 37 }).getOrder('1');
    for (const read of [held(3), absent as LoyaltyResult<never>]) {
      expect((await cancelUnconfirmed(read)).outcome).toEqual({ kind: 'applied', calls: both });
    }
  });

  it('is tried for a day, because cancellations show late, and is then for a person', async () => {
    expect(await cancelUnconfirmed(held(2))).toMatchObject({
      outcome: { kind: 'retry', why: 'not-cancelled', afterSeconds: 3600 },
      mayHaveHappened: true,
    });
    expect((await cancelUnconfirmed(held(2), true)).outcome.kind).toBe('rejected');
  });

  it('is tried on after a day while the order cannot be read', async () => {
    const down = transportFailure('unavailable', { mayHaveHappened: true, message: 'down' });
    const { outcome } = await cancelUnconfirmed(down, true);
    expect(outcome).toMatchObject({ kind: 'retry', why: 'unavailable' });
  });
});

describe('replacing what was sent', () => {
  const order: WantedState = { kind: 'order', id: '1', order: {} };
  const coupon: WantedState = { kind: 'coupon', id: 'A', coupon: {} };

  it('is refused for the kinds that the service does not replace, and for no others', () => {
    const noOrders = { ...defaultAssumptions, ordersAreReplaced: false };
    expect(refuseToReplace(order, noOrders)?.why).toContain('ordersAreReplaced');
    expect(refuseToReplace(coupon, noOrders)).toBeUndefined();
    const noCoupons = { ...defaultAssumptions, couponsAreReplaced: false };
    expect(refuseToReplace(coupon, noCoupons)?.why).toContain('couponsAreReplaced');
    expect(refuseToReplace(order, noCoupons)).toBeUndefined();
    expect(refuseToReplace(order, defaultAssumptions)).toBeUndefined();
  });
});

describe('credentials that cannot be read just now', () => {
  it('are a reason to try again soon, and say nothing about the service', () => {
    const failure = transportFailure('credentials-unreachable', {
      mayHaveHappened: false,
      message: 'away',
    });
    const { outcome, end } = judge(['sendOrder'], failure);
    expect(outcome).toMatchObject({ kind: 'retry', misconfigured: false, afterSeconds: 0 });
    expect(end).toBe('unused');
  });
});
