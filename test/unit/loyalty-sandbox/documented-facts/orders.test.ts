import { describe, expect, it } from 'vitest';
import {
  codeOf,
  openSandbox,
  openSandboxWithPoints,
  passDays,
  pointsIn,
  redeemByKey,
  type Sandbox,
  sendOrder,
  takeTopics,
} from '../../../support/sandbox-program.ts';

const order = { orderId: 'o1' };

describe('orders', () => {
  it('State is 1 pending, 2 completed, 3 cancelled, and Origin 1 is the API', () => {
    const sandbox = openSandbox();
    const read = () => sandbox.call('getOrder', { path: order });
    sendOrder(sandbox, { IsCompleted: false, OrderCompletedDate: null });
    expect(read()).toMatchObject({ State: 1, Origin: 1 });
    const OrderCompletedDate = '2026-10-06T09:00:00Z';
    sandbox.call('completeOrder', { path: order, body: { OrderCompletedDate } });
    expect(read()).toMatchObject({ State: 2, IsCompleted: true });
    const OrderCancelledDate = '2026-10-07T09:00:00Z';
    sandbox.call('cancelOrder', { path: order, body: { OrderCancelledDate } });
    expect(read()).toMatchObject({ State: 3, IsCancelledOrReturned: true });
  });

  it('OrderStatus is informative: the flags alone decide', () => {
    const sandbox = openSandbox();
    const read = () => sandbox.call('getOrder', { path: order });
    sendOrder(sandbox, {
      ...{ IsCompleted: false, OrderCompletedDate: null, OrderStatus: 'completed' },
    });
    expect(read()).toMatchObject({ State: 1, OrderStatus: 'completed' });
    sendOrder(sandbox, { OrderStatus: 'cancelled' });
    expect(read()).toMatchObject({ State: 2, OrderStatus: 'cancelled' });
  });

  it('points come after the set number of days, with their event', () => {
    const sandbox = openSandbox({ settings: { daysToWaitToGrantPoints: 3 } });
    sendOrder(sandbox);
    passDays(sandbox, 2);
    expect(pointsIn(sandbox).PointsBalance).toBe(0);
    expect(takeTopics(sandbox)).toEqual([]);
    passDays(sandbox, 1);
    expect(pointsIn(sandbox).PointsBalance).toBe(100);
    expect(takeTopics(sandbox)).toEqual([['Point_Add', 100]]);
  });

  it('a refund may come before its points, and a cancelled order never earns them', () => {
    const sandbox = openSandbox({ settings: { daysToWaitToGrantPoints: 3 } });
    sendOrder(sandbox);
    sendOrder(sandbox, { OriginalId: 'o2' });
    const part = { ValueToRefund: 40, CancelKey: 'r1' };
    sandbox.call('partiallyCancelOrder', { path: order, body: part });
    const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z' };
    sandbox.call('cancelOrder', { path: { orderId: 'o2' }, body: cancellation });
    passDays(sandbox, 3);
    expect(pointsIn(sandbox).PointsBalance).toBe(60);
    expect(takeTopics(sandbox)).toEqual([['Point_Add', 60]]);
  });

  it('a changed total keeps the points already given where the settings say so', () => {
    const sandbox = openSandbox({ settings: { changedTotal: 'keeps-points' } });
    sendOrder(sandbox);
    sendOrder(sandbox, { OrderTotal: 60 });
    expect(pointsIn(sandbox).PointsBalance).toBe(100);
  });
});

describe('a partial cancel', () => {
  const Products = [
    { OriginalId: 'p1', ProductPrice: 33.35 },
    { OriginalId: 'p2', ProductPrice: 66.65 },
  ];
  const cancelPart = (sandbox: Sandbox, body: object, on = 'partiallyCancelOrder' as const) =>
    sandbox.call(on, { path: order, body }).Result?.RefundErrorDetails;

  it('takes back the points of its part, on both paths, under keys of its order', () => {
    const sandbox = openSandbox();
    sendOrder(sandbox);
    sendOrder(sandbox, { OriginalId: 'o2' });
    expect(cancelPart(sandbox, { ValueToRefund: 10, CancelKey: 'k' })).toBeNull();
    const body = { ValueToRefund: 20, CancelKey: 'k' };
    for (const orderId of ['o1', 'o2']) {
      sandbox.call('partiallyCancelPosOrder', { path: { orderId }, body });
    }
    // On `o1` the key was used before, so only `o2` lost its 20.
    expect(pointsIn(sandbox).PointsBalance).toBe(200 - 10 - 20);
  });

  it('of a used key fails in RefundErrorDetails, or in the envelope, and takes nothing', () => {
    const body = { ValueToRefund: 10, CancelKey: 'k' };
    const sandbox = openSandboxWithPoints(0);
    sendOrder(sandbox);
    cancelPart(sandbox, body);
    expect(cancelPart(sandbox, body)).toMatchObject({ Field: 'CancelKey' });
    expect(pointsIn(sandbox).PointsBalance).toBe(90);
    const other = openSandbox({ settings: { usedCancelKey: 'envelope-error' } });
    sendOrder(other);
    cancelPart(other, body);
    expect(codeOf(other.call('partiallyCancelOrder', { path: order, body }))).toBe(97);
  });

  it('has products that add up to the cent and are on the order', () => {
    const sandbox = openSandbox();
    sendOrder(sandbox, { Products });
    const part = (ValueToRefund: number, OriginalId = 'p1') => ({
      ValueToRefund: 40,
      CancelKey: 'k',
      Products: [
        { OriginalId: 'p2', ValueToRefund: 6.65 },
        { OriginalId, ValueToRefund },
      ],
    });
    const faulty = { ExpectedValue: 40, ActualValue: 39.99 };
    expect(cancelPart(sandbox, part(33.34))).toMatchObject(faulty);
    expect(cancelPart(sandbox, part(33.35, 'p9'))).toMatchObject({ ProductOriginalId: 'p9' });
    expect(cancelPart(sandbox, part(33.35))).toBeNull();
    expect(pointsIn(sandbox).PointsBalance).toBe(60);
  });

  it('is at most the total last sent, together or each alone', () => {
    const sandbox = openSandbox();
    sendOrder(sandbox);
    cancelPart(sandbox, { ValueToRefund: 60, CancelKey: 'k1' });
    const tooMuch = { Field: 'ValueToRefund', ExpectedValue: 40 };
    expect(cancelPart(sandbox, { ValueToRefund: 60, CancelKey: 'k2' })).toMatchObject(tooMuch);
    const each = openSandbox({ settings: { partialCancelLimit: 'each' } });
    sendOrder(each);
    cancelPart(each, { ValueToRefund: 60, CancelKey: 'k1' });
    expect(cancelPart(each, { ValueToRefund: 60, CancelKey: 'k2' })).toBeNull();
  });

  it('gives back the reward that was used where ShouldRefundRedeem says so', () => {
    const sandbox = openSandboxWithPoints(200);
    const { Result } = redeemByKey(sandbox);
    sendOrder(sandbox, { Coupon: Result?.ExternalCode });
    const Reward = { Id: Result?.RewardId };
    expect(sandbox.call('getOrder', { path: order })).toMatchObject({ Reward });
    expect(pointsIn(sandbox).PointsBalance).toBe(100);
    cancelPart(sandbox, { ValueToRefund: 10, CancelKey: 'r', ShouldRefundRedeem: true });
    expect(pointsIn(sandbox).PointsBalance).toBe(290);
  });
});
