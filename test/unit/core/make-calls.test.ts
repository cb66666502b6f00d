import { describe, expect, it } from 'vitest';
import { defaultAssumptions } from '../../../shared/config/connector-settings.ts';
import { judge } from '../../../shared/core/calls/call-loyalty.ts';
import type { WantedOther } from '../../../shared/core/sync/decide.ts';
import type { CallAssumptions, LoyaltyCalls } from '../../../shared/core/sync/dependencies.ts';
import { cancelOrder, readHeld, takePart } from '../../../shared/core/sync/held-order.ts';
import { makeCall } from '../../../shared/core/sync/sync-entity.ts';
import { classify, nameOfError } from '../../../shared/loyalty/error-codes.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import { type LoyaltyResult, transportFailure } from '../../../shared/loyalty/result.ts';

const limits = { signal: new AbortController().signal, waitedForADay: false };
const cancelled = {
  kind: 'cancelled-order' as const,
  id: '1',
  cancellation: { OrderCancelledDate: '2026-10-09T12:00:00.000Z' },
  order: { OriginalId: '1', IsCancelledOrReturned: true, Customer: { OriginalId: '7' } },
  sold: [],
  changed: false,
  isFine: false,
};

/** A service that answers each operation with this code; undefined is a success. */
function service(codes: Partial<Record<OperationId, number>>): LoyaltyCalls {
  const answer = async (operation: OperationId): Promise<LoyaltyResult<never>> => {
    const code = codes[operation];
    if (code === undefined) return { kind: 'success', value: {} as never };
    const name = nameOfError(code);
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
    partiallyCancelPosOrder: () => answer('partiallyCancelPosOrder'),
    updateProduct: () => answer('updateProduct'),
    createCoupon: () => answer('createCoupon'),
    deactivateCoupon: () => answer('deactivateCoupon'),
    upsertCustomer: () => answer('upsertCustomer'),
    getCustomerPoints: () => answer('getCustomerPoints'),
    changeCustomerStatus: () => answer('changeCustomerStatus'),
  };
}

const cancel = async (
  codes: Partial<Record<OperationId, number>>,
  assumptions: Partial<CallAssumptions> = {},
) => {
  const all = { ...defaultAssumptions, ...assumptions };
  return (await cancelOrder(cancelled, service(codes), all, limits)).outcome;
};

describe('what is no order', () => {
  const coupon = { OriginalId: 'c', CouponCode: 'c' };

  it.each<[OperationId, WantedOther]>([
    ['updateProduct', { kind: 'product', id: 'p', product: {} }],
    ['createCoupon', { kind: 'coupon', id: 'c', coupon }],
    ['deactivateCoupon', { kind: 'inactive-coupon', id: 'c' }],
    ['upsertCustomer', { kind: 'member', id: 'm', member: { OriginalId: 'm' } }],
  ])('is named by its call, done or refused: %s', async (operation, wanted) => {
    const done = await makeCall(wanted, service({}), limits);
    expect(done.outcome).toEqual({ kind: 'applied', calls: [operation] });
    const { outcome } = await makeCall(wanted, service({ [operation]: 50 }), limits);
    expect(outcome).toMatchObject({ kind: 'rejected', why: `${operation} was refused: no` });
  });

  it('is tried again, and is for a person only where another shop of the account may have the code', async () => {
    const refusal = service({ createCoupon: 56 });
    const whyOf = async (id: string) => {
      const { outcome } = await makeCall({ kind: 'coupon', id, coupon }, refusal, limits);
      return outcome.kind === 'rejected' ? outcome.why : outcome.kind;
    };
    expect(await whyOf('c')).toBe('retry');
    expect(await whyOf('c@shop')).toMatch(/^createCoupon was refused: no .*rename one/);
  });

  it('costs no call where the customer is deleted', async () => {
    const { outcome } = await makeCall({ kind: 'deleted-member', id: 'm' }, service({}), limits);
    expect(outcome).toEqual({ kind: 'applied', calls: [] });
  });
});

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

  it('asks the service for the customer in the fallback of a redacted order', async () => {
    const { Customer: _, ...order } = cancelled.order;
    const sent: unknown[] = [];
    const held = { OrderPlacementDate: '2026-10-01T12:00:00.000Z', OrderTotal: 20 };
    const calls: LoyaltyCalls = {
      ...service({ cancelPosOrder: 13 }),
      getOrder: async () => ({
        kind: 'success',
        value: { ...held, OriginalId: '1', Customer: { OriginalId: '7', PointsBalance: 20 } },
      }),
      sendOrder: async (form) => {
        sent.push(form);
        return { kind: 'success', value: {} };
      },
    };
    const { outcome } = await cancelOrder(
      { ...cancelled, order },
      calls,
      defaultAssumptions,
      limits,
    );
    expect(outcome).toEqual({
      kind: 'applied',
      calls: ['cancelPosOrder', 'getOrder', 'sendOrder'],
    });
    expect(sent).toEqual([{ ...held, ...order, Customer: { OriginalId: '7' } }]);
  });

  it('is tried again where the service cannot be asked for the customer of a redacted order', async () => {
    const { Customer: _, ...order } = cancelled.order;
    const away = transportFailure('unavailable', { mayHaveHappened: false, message: 'away' });
    const loyalty = { ...service({ cancelPosOrder: 13 }), getOrder: async () => away };
    const { outcome } = await cancelOrder(
      { ...cancelled, order },
      loyalty,
      defaultAssumptions,
      limits,
    );
    expect(outcome).toMatchObject({ kind: 'retry', why: 'unavailable' });
  });

  it('is for a person where the fallback is refused as well', async () => {
    expect(await cancel({ cancelPosOrder: 13, sendOrder: 13 })).toMatchObject({
      kind: 'rejected',
      code: 'Order_CompletedOrderCannotBeCancelled',
    });
  });

  it('follows what the merchant knows of the service', async () => {
    const noFallback = { completedOrdersTakeTheCancelledMark: false };
    expect(await cancel({ cancelPosOrder: 13 }, noFallback)).toMatchObject({ kind: 'rejected' });
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
    return cancelOrder(cancelled, loyalty, defaultAssumptions, { ...limits, waitedForADay });
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

describe('an order as the service holds it', () => {
  const missing = transportFailure('not-found', { mayHaveHappened: false, message: '404' });
  it.each([
    ['is there', async () => ({ kind: 'success', value: { State: 2 } }) as const, undefined],
    ['is not there', service({ getOrder: 37 }).getOrder, false],
    ['is not there, as only HTTP says', async () => missing, true],
  ] as const)('%s', async (_, getOrder, byStatus) => {
    const read = await readHeld('1', { getOrder } as unknown as LoyaltyCalls, limits);
    expect(read.outcome).toEqual({ kind: 'applied', calls: ['getOrder'] });
    expect([read.held?.State, read.byStatus]).toEqual([
      byStatus === undefined ? 2 : undefined,
      byStatus,
    ]);
  });
});

describe('a partial cancel', () => {
  const step = { sum: 30_000, value: 30_000, products: [['p1', 30_000]] as const };
  const take = async (loyalty: LoyaltyCalls, assumptions: Partial<CallAssumptions> = {}) => {
    const all = { ...defaultAssumptions, ...assumptions };
    return (await takePart('1', step, loyalty, all, limits)).outcome;
  };
  const refusedBy = (finding: 'cancel-key-used' | 'refund-refused') => ({
    ...service({}),
    partiallyCancelPosOrder: async () =>
      ({ kind: 'business-error', class: 'rejected', finding, message: '', fields: [] }) as const,
  });

  it('is done when its key was used before', async () => {
    expect(await take(refusedBy('cancel-key-used'))).toMatchObject({ kind: 'applied' });
    expect(await take(refusedBy('refund-refused'))).toMatchObject({ kind: 'rejected' });
  });

  it.each([
    [step.products, { Products: [{ OriginalId: 'p1', ValueToRefund: 30 }] }],
    [[], {}],
  ])('names the products that are known: %o', async (products, named) => {
    const bodies: unknown[] = [];
    const partiallyCancelPosOrder: LoyaltyCalls['partiallyCancelPosOrder'] = async (_, body) => {
      bodies.push(body);
      return { kind: 'success', value: {} as never };
    };
    const loyalty = { ...service({}), partiallyCancelPosOrder };
    await takePart('1', { ...step, products }, loyalty, defaultAssumptions, limits);
    expect(bodies).toEqual([{ ValueToRefund: 30, CancelKey: '1-30000', ...named }]);
  });

  it('knows a used key by its error only where the merchant names that', async () => {
    const loyalty = service({ partiallyCancelPosOrder: 66 });
    expect(await take(loyalty)).toMatchObject({ kind: 'rejected' });
    expect(await take(loyalty, { usedCancelKeyError: 66 })).toMatchObject({ kind: 'applied' });
    expect(await take(loyalty, { usedCancelKeyError: 67 })).toMatchObject({ kind: 'rejected' });
  });
});

describe('an answer that asks to try again', () => {
  const error = { kind: 'business-error', message: '', fields: [] } as const;

  it('may have been executed where it lacks only the confirmation', () => {
    const found = { ...error, class: 'retry', finding: 'not-cancelled' } as const;
    const unconfirmed = judge(['cancelPosOrder'], found);
    expect(unconfirmed).toMatchObject({ mayHaveHappened: true, outcome: { afterSeconds: 30 } });
    const busy = judge(['cancelPosOrder'], { ...error, class: 'retry' });
    expect(busy).toMatchObject({ mayHaveHappened: false, outcome: { afterSeconds: 0 } });
  });
});

describe('what a refused request says about the account', () => {
  const refusedAs = (reason: 'misconfigured' | 'forbidden') =>
    judge(['sendOrder'], transportFailure(reason, { message: 'no', mayHaveHappened: false }));

  it('stops the whole shop where the credentials are refused', () => {
    expect(refusedAs('misconfigured').end).toEqual({ why: 'misconfigured', seconds: undefined });
  });

  it('does not stop it for 403 alone, which may be about one text; the message waits and rings', () => {
    const { end, outcome } = refusedAs('forbidden');
    expect(end).toBe('failed');
    expect(outcome).toMatchObject({ kind: 'retry', misconfigured: true });
  });
});

describe('a call whose outcome is not known', () => {
  const judged = (given: { retryAfterSeconds?: number }, mayHaveHappened = true) =>
    judge(['sendOrder'], transportFailure('time-out', { mayHaveHappened, message: '', ...given }));

  it('is not repeated while the first may still be under way, or sooner than the service asks', () => {
    const outcome = (...given: Parameters<typeof judged>) => judged(...given).outcome;
    expect(outcome({})).toMatchObject({ kind: 'retry', afterSeconds: 30 });
    expect(outcome({ retryAfterSeconds: 10 })).toMatchObject({ afterSeconds: 30 });
    expect(outcome({ retryAfterSeconds: 120 })).toMatchObject({ afterSeconds: 120 });
    expect(outcome({ retryAfterSeconds: 10 }, false)).toMatchObject({ afterSeconds: 10 });
  });

  it.each([
    [
      'unused',
      ['aborted', 'blank-id', 'credentials-unreachable', 'out-of-tokens', 'tokens-unreachable'],
    ],
    ['failed', ['time-out', 'connection', 'unavailable']],
    ['answered', ['refused']],
  ] as const)('counts as %s for the circuit breaker: %s', (end, reasons) => {
    for (const reason of reasons) {
      const failure = transportFailure(reason, { mayHaveHappened: false, message: '' });
      expect([reason, judge(['sendOrder'], failure).end]).toEqual([reason, end]);
    }
  });
});
