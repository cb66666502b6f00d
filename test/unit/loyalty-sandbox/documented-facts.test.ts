import { describe, expect, it } from 'vitest';
import {
  codeOf,
  EMAIL,
  makeCustomer,
  openSandbox,
  openSandboxWithPoints,
  passDays,
  pointsIn,
  redeemByKey,
  type Sandbox,
  sendOrder,
  takeTopics,
} from '../../support/sandbox-program.ts';

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

  it('is at most the total last sent, together', () => {
    const sandbox = openSandbox();
    sendOrder(sandbox);
    cancelPart(sandbox, { ValueToRefund: 60, CancelKey: 'k1' });
    const tooMuch = { Field: 'ValueToRefund', ExpectedValue: 40 };
    expect(cancelPart(sandbox, { ValueToRefund: 60, CancelKey: 'k2' })).toMatchObject(tooMuch);
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

describe('customers', () => {
  it('are found by e-mail or document under /POS, and by store id where the settings say so', () => {
    const Customer = makeCustomer({ Document: '123.456-7' });
    const found = (settings: object, CustomerId: string) => {
      const sandbox = openSandbox({ settings });
      sendOrder(sandbox, { Customer });
      const answer = sandbox.call('listAvailableRewards', { body: { CustomerId } });
      return 'Customer' in answer && answer.Customer !== null;
    };
    for (const id of [EMAIL.toUpperCase(), '1234567', 'c1']) expect(found({}, id)).toBe(true);
    const strict = { posCustomerId: 'email-or-document' };
    expect([EMAIL, '1234567', 'c1'].map((id) => found(strict, id))).toEqual([true, true, false]);
  });

  it('upsert says created or updated, and gives the balances', () => {
    const sandbox = openSandbox();
    const upsert = (body: object) => sandbox.call('upsertCustomer', { body });
    const EnrolledDate = '2026-01-02T00:00:00Z';
    const created = { Operation: 'created', BalanceOfPoints: 0 };
    expect(upsert({ ...makeCustomer(), EnrolledDate }).Result).toMatchObject(created);
    expect(sandbox.tables.customers.get('c1')?.enrolledAt).toBe(EnrolledDate);
    sendOrder(sandbox);
    const changed = { Email: 'new@example.com' };
    const balances = { BalanceOfPoints: 100, BalanceCashback: 5 };
    const updated = { Operation: 'updated', ...changed, ...balances };
    expect(upsert({ ...makeCustomer(), ...changed }).Result).toMatchObject(updated);
  });

  it('keep their points when their e-mail changes: they follow the id in the store', () => {
    const sandbox = openSandboxWithPoints(100);
    const Email = 'robin.new@example.com';
    sandbox.call('upsertCustomer', { body: { ...makeCustomer(), Email } });
    const balance = (id: string) => {
      const answer = sandbox.call('getCustomerPoints', { path: { id } });
      return 'PointsBalance' in answer && answer.CustomerExists ? answer.PointsBalance : undefined;
    };
    expect([balance('c1'), balance(Email), balance(EMAIL)]).toEqual([100, 100, undefined]);
  });

  it('inactive, earn and redeem nothing', () => {
    const sandbox = openSandboxWithPoints(500);
    const status = (IsEnabled: boolean) =>
      sandbox.call('changeCustomerStatus', {
        path: { originalId: 'c1' },
        body: { IsEnabled, Reason: 'Asked' },
      });
    status(false);
    sendOrder(sandbox);
    expect(pointsIn(sandbox).PointsBalance).toBe(500);
    expect(codeOf(redeemByKey(sandbox))).toBe(47);
    status(true);
    expect(codeOf(redeemByKey(sandbox))).toBeUndefined();
  });

  it('that the service does not know have no balance: CustomerExists is false', () => {
    const path = { id: 'unknown' };
    const answer = openSandbox().call('getCustomerPoints', { path });
    expect(answer).toMatchObject({ CustomerExists: false, PointsBalance: 0 });
  });
});

describe('points', () => {
  it('PointsToExpire holds only points close to their expiry', () => {
    const sandbox = openSandboxWithPoints(100, { settings: { pointsValidDays: 60 } });
    expect(pointsIn(sandbox).PointsToExpire).toEqual([]);
    passDays(sandbox, 31);
    const expiring = { Points: 100, When: '2026-12-06T12:00:00.000Z' };
    expect(pointsIn(sandbox).PointsToExpire).toEqual([expiring]);
  });

  it('CashbackBalance is 0 while the cashback reward is off', () => {
    expect(pointsIn(openSandboxWithPoints(100)).CashbackBalance).toBe(5);
    const without = openSandboxWithPoints(100, { catalog: { rewards: [] } });
    expect(pointsIn(without).CashbackBalance).toBe(0);
  });

  it.each([
    ['store-id', 'c1'],
    ['null', null],
    ['email', EMAIL],
    ['document', '123.456-7'],
  ] as const)('an event names its customer with the %s in Id', (eventCustomerId, Id) => {
    const sandbox = openSandbox({ settings: { eventCustomerId } });
    sendOrder(sandbox, { Customer: makeCustomer({ Document: '123.456-7' }) });
    expect(sandbox.takeEvents()[0]?.payload.Customer).toMatchObject({ Id, Email: EMAIL });
  });

  it('the report lists enrolled customers, others on request, and those whose points moved', () => {
    const sandbox = openSandbox();
    sendOrder(sandbox);
    const other = makeCustomer({ OriginalId: 'c2', IsEnrolled: false, Email: 'b@example.com' });
    sendOrder(sandbox, { OriginalId: 'o2', Customer: other });
    const report = (query: Record<string, string>) =>
      sandbox
        .call('listCustomersReport', { query })
        .Items?.map(({ OriginalId, PointsBalance }) => [OriginalId, PointsBalance]);
    expect(report({})).toEqual([['c1', 100]]);
    expect(report({ isEnrolled: 'false' })).toEqual([['c2', 0]]);
    expect(report({ email: 'ROBIN.sample@example.com' })).toHaveLength(1);
    expect(report({ originalId: 'c2' })).toEqual([]);
    expect(report({ pointDateFrom: '2026-10-07T00:00:00Z' })).toEqual([['c1', 100]]);
    expect(report({ pointDateFrom: '2026-10-08T00:00:00Z' })).toEqual([]);
    const pages = (pageSize: string) =>
      codeOf(sandbox.call('listCustomersReport', { query: { pageSize } }));
    expect([pages('501'), pages('500')]).toEqual([45, undefined]);
  });

  it('the history has pages of at most 50, newest first', () => {
    const sandbox = openSandboxWithPoints(300);
    sandbox.call('redeemReward', { path: { id: '2' }, body: { CustomerId: 'c1' } });
    const history = (query: Record<string, string>) =>
      sandbox.call('listPointsHistory', { path: { id: 'c1' }, query });
    expect(history({ PageSize: '1', PageNumber: '1' })).toMatchObject({
      Items: [{ Points: -200, CouponIsUsed: false, IsTierHistory: false }],
      TotalItemCount: 2,
      HasNextPage: true,
    });
    expect(codeOf(history({ PageSize: '51' }))).toBe(45);
  });

  it('a coupon read says IsUsed when it was used or made inactive', () => {
    const sandbox = openSandbox();
    const body = { OriginalId: 'k1', CouponCode: 'TEN', CouponType: 1, CouponValue: 10 };
    sandbox.call('createCoupon', { body });
    const read = () => sandbox.call('getCoupon', { path: { code: 'TEN' } }).Items?.[0]?.IsUsed;
    expect(read()).toBe(false);
    sandbox.call('deactivateCoupon', { path: { code: 'TEN' } });
    expect(read()).toBe(true);
  });
});

describe('envelopes', () => {
  const path = { originalId: 'unknown' };
  const body = { IsEnabled: true, Reason: 'x' };

  it.each([
    ['A', { Severity: 2, CodeName: 'CustomerNotFound', ErrorCode: 59, HasError: true }],
    ['A-without-numbers', { CodeName: 'CustomerNotFound', ErrorCode: null, HasError: true }],
    ['B', { ErrorCode: 59, HasError: true }],
  ] as const)('of moved operations are %s where the settings say so', (envelope, expected) => {
    const sandbox = openSandbox({ settings: { envelope } });
    const answer = sandbox.call('changeCustomerStatus', { path, body });
    expect(answer).toMatchObject(expected);
    expect('Severity' in answer).toBe(envelope !== 'B');
  });
});
