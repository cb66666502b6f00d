import { describe, expect, it } from 'vitest';
import {
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
  type Sandbox,
} from '../../support/sandbox-program.ts';

/** What the service documents beyond the contract, by fact. Errors of each rule: operations.test.ts. */

const EMAIL = 'robin.sample@example.com';
const order = { orderId: 'o1' };
const points = (sandbox: Sandbox) =>
  sandbox.call('getCustomerPoints', { path: { id: 'c1' } }) as {
    readonly PointsBalance: number;
    readonly CashbackBalance: number;
    readonly PointsToExpire: readonly unknown[];
    readonly PointHistory: readonly { readonly IsCanceled: boolean }[];
  };
const topics = (sandbox: Sandbox) =>
  sandbox.takeEvents().map(({ topic, payload }) => [topic, payload.Points]);
const dayLater = (sandbox: Sandbox, days = 1) => {
  sandbox.clock.now = new Date(sandbox.clock.now.getTime() + days * 86_400_000);
};

describe('orders', () => {
  it('State is 1 pending, 2 completed, 3 cancelled, and Origin 1 is the API', () => {
    const sandbox = openSandbox();
    const read = () => sandbox.call('getOrder', { path: order });
    const open = { IsCompleted: false, OrderCompletedDate: null };
    sandbox.call('sendOrder', { body: makeOrder(open) });
    expect(read()).toMatchObject({ State: 1, Origin: 1 });
    const OrderCompletedDate = '2026-10-06T09:00:00Z';
    sandbox.call('completeOrder', { path: order, body: { OrderCompletedDate } });
    expect(read()).toMatchObject({ State: 2, IsCompleted: true });
    const OrderCancelledDate = '2026-10-07T09:00:00Z';
    sandbox.call('cancelOrder', { path: order, body: { OrderCancelledDate } });
    expect(read()).toMatchObject({ State: 3, IsCancelledOrReturned: true });
  });

  it('points come after the set number of days, with their event', () => {
    const sandbox = openSandbox({ settings: { daysToWaitToGrantPoints: 3 } });
    sandbox.call('sendOrder', { body: makeOrder() });
    dayLater(sandbox, 2);
    expect(points(sandbox).PointsBalance).toBe(0);
    expect(topics(sandbox)).toEqual([]);
    dayLater(sandbox);
    expect(points(sandbox).PointsBalance).toBe(100);
    expect(topics(sandbox)).toEqual([['Point_Add', 100]]);
  });

  it('a refund may come before its points, and a cancelled order never earns them', () => {
    const sandbox = openSandbox({ settings: { daysToWaitToGrantPoints: 3 } });
    sandbox.call('sendOrder', { body: makeOrder() });
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2' }) });
    const part = { ValueToRefund: 40, CancelKey: 'r1' };
    sandbox.call('partiallyCancelOrder', { path: order, body: part });
    const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z' };
    sandbox.call('cancelOrder', { path: { orderId: 'o2' }, body: cancellation });
    dayLater(sandbox, 3);
    expect(points(sandbox).PointsBalance).toBe(60);
    expect(topics(sandbox)).toEqual([['Point_Add', 60]]);
  });

  it('a changed total keeps the points already given where the settings say so', () => {
    const sandbox = openSandbox({ settings: { changedTotal: 'keeps-points' } });
    sandbox.call('sendOrder', { body: makeOrder() });
    sandbox.call('sendOrder', { body: makeOrder({ OrderTotal: 60 }) });
    expect(points(sandbox).PointsBalance).toBe(100);
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
    sandbox.call('sendOrder', { body: makeOrder() });
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2' }) });
    expect(cancelPart(sandbox, { ValueToRefund: 10, CancelKey: 'k' })).toBeNull();
    const body = { ValueToRefund: 20, CancelKey: 'k' };
    for (const orderId of ['o1', 'o2']) {
      sandbox.call('partiallyCancelPosOrder', { path: { orderId }, body });
    }
    // On `o1` the key was used before, so only `o2` lost its 20.
    expect(points(sandbox).PointsBalance).toBe(200 - 10 - 20);
  });

  it('of a used key fails in RefundErrorDetails, or in the envelope, and takes nothing', () => {
    const body = { ValueToRefund: 10, CancelKey: 'k' };
    const sandbox = openSandboxWithPoints(0);
    sandbox.call('sendOrder', { body: makeOrder() });
    cancelPart(sandbox, body);
    expect(cancelPart(sandbox, body)).toMatchObject({ Field: 'CancelKey' });
    expect(points(sandbox).PointsBalance).toBe(90);
    const other = openSandbox({ settings: { usedCancelKey: 'envelope-error' } });
    other.call('sendOrder', { body: makeOrder() });
    cancelPart(other, body);
    expect(codeOf(other.call('partiallyCancelOrder', { path: order, body }))).toBe(97);
  });

  it('has products that add up to the cent and are on the order', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder({ Products }) });
    const part = (ValueToRefund: number, OriginalId = 'p1') => ({
      ValueToRefund: 40,
      CancelKey: 'k',
      Products: [
        { OriginalId: 'p2', ValueToRefund: 6.65 },
        { OriginalId, ValueToRefund },
      ],
    });
    expect(cancelPart(sandbox, part(33.34))).toMatchObject({
      ExpectedValue: 40,
      ActualValue: 39.99,
    });
    expect(cancelPart(sandbox, part(33.35, 'p9'))).toMatchObject({ ProductOriginalId: 'p9' });
    expect(cancelPart(sandbox, part(33.35))).toBeNull();
    expect(points(sandbox).PointsBalance).toBe(60);
  });

  it('is at most the total last sent, together or each alone', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder() });
    cancelPart(sandbox, { ValueToRefund: 60, CancelKey: 'k1' });
    expect(cancelPart(sandbox, { ValueToRefund: 60, CancelKey: 'k2' })).toMatchObject({
      Field: 'ValueToRefund',
      ExpectedValue: 40,
    });
    const each = openSandbox({ settings: { partialCancelLimit: 'each' } });
    each.call('sendOrder', { body: makeOrder() });
    cancelPart(each, { ValueToRefund: 60, CancelKey: 'k1' });
    expect(cancelPart(each, { ValueToRefund: 60, CancelKey: 'k2' })).toBeNull();
  });

  it('gives back the reward that was used where ShouldRefundRedeem says so', () => {
    const sandbox = openSandboxWithPoints(200);
    const redemption = { CustomerId: EMAIL, OriginalKey: 'k' };
    const { Result } = sandbox.call('redeemRewardByKey', { path: { id: '2' }, body: redemption });
    sandbox.call('sendOrder', { body: makeOrder({ Coupon: Result?.ExternalCode }) });
    expect(sandbox.call('getOrder', { path: order })).toMatchObject({
      Reward: { Id: Result?.RewardId },
    });
    expect(points(sandbox).PointsBalance).toBe(100);
    cancelPart(sandbox, { ValueToRefund: 10, CancelKey: 'r', ShouldRefundRedeem: true });
    expect(points(sandbox).PointsBalance).toBe(290);
  });
});

describe('rewards', () => {
  it('RewardType is 0 percent, 1 fixed amount, 3 cashback, 4 custom, 5 product', () => {
    const { Items } = openSandbox().call('listRewardConfigurations', { query: { PageSize: '50' } });
    const types = new Map(Items?.map(({ Id, RewardType }) => [Id, RewardType]));
    expect([2, 1, 8, 10, 9].map((id) => types.get(id))).toEqual([0, 1, 3, 4, 5]);
  });

  const available = (sandbox: Sandbox, body: object) => {
    const answer = sandbox.call('listAvailableRewards', { body: { CustomerId: EMAIL, ...body } });
    const rewards = 'Rewards' in answer ? (answer.Rewards ?? []) : [];
    return new Map(rewards.map((reward) => [reward.Id, reward]));
  };
  const reasons = (sandbox: Sandbox, body: object) =>
    Object.fromEntries(
      [...available(sandbox, body)].map(([id, { CanUse, CannotUseReason }]) => {
        expect(CanUse).toBe(CannotUseReason === 0);
        return [id, CannotUseReason];
      }),
    );

  it('available lists also what cannot be used now, with CannotUseReason', () => {
    const sandbox = openSandboxWithPoints(150);
    const inCart = [{ OriginalId: '8012300098313' }];
    expect(reasons(sandbox, { PurchaseValue: 60, Products: inCart })).toMatchObject({
      1: 0,
      2: 1,
      8: 0,
      9: 0,
      10: 0,
    });
    expect(reasons(sandbox, { PurchaseValue: 10 })).toMatchObject({ 1: 2, 9: 9 });
    expect(reasons(sandbox, { PurchaseValue: 2 })).toMatchObject({ 3: 5 });
    const discounted = { PurchaseValue: 60, DiscountValue: 10 };
    expect(reasons(sandbox, discounted)).toMatchObject({ 1: 8, 8: 0 });
    expect(reasons(sandbox, { CustomerId: 'unknown@example.com' })).toMatchObject({ 1: 4 });
    const poor = openSandboxWithPoints(0);
    expect(reasons(poor, { PurchaseValue: 60 })).toMatchObject({ 8: 3 });
    const left = makeCustomer({ IsEnrolled: false });
    poor.call('sendOrder', { body: makeOrder({ Customer: left }) });
    expect(reasons(poor, { PurchaseValue: 60 })).toMatchObject({ 1: 7 });
  });

  it('cashback may pay the balance or its part of the purchase, whichever is less', () => {
    const sandbox = openSandboxWithPoints(1000);
    const most = (PurchaseValue: number) =>
      available(sandbox, { PurchaseValue }).get(8)?.MaxCashbackForCurrentPurchase;
    expect([most(60), most(200)]).toEqual([30, 50]);
    const body = { CustomerId: EMAIL, OriginalKey: 'k', Value: 30 };
    const { Result } = sandbox.call('redeemRewardByKey', { path: { id: '8' }, body });
    expect(Result?.Point?.Quantity).toBe(-600);
    expect(points(sandbox)).toMatchObject({ PointsBalance: 400, CashbackBalance: 20 });
  });

  it('product rewards name the product, its mode and value; the redeem answer repeats the id', () => {
    const sandbox = openSandboxWithPoints(100);
    expect(available(sandbox, { PurchaseValue: 60 }).get(9)).toMatchObject({
      ExternalProductId: '8012300098313',
      ProductDiscountMode: 0,
      ProductDiscountValue: 50,
      ProductMaxUnitsPerRedeem: 1,
    });
    const body = { CustomerId: EMAIL, OriginalKey: 'k' };
    const { Result } = sandbox.call('redeemRewardByKey', { path: { id: '9' }, body });
    expect(Result?.ExternalProductId).toBe('8012300098313');
  });
});

describe('a redemption by key', () => {
  const path = { id: '2' };
  const body = { CustomerId: EMAIL, OriginalKey: 'k' };

  it('redeems once under its key, and answers a repetition with the first result', () => {
    const sandbox = openSandboxWithPoints(500);
    const first = sandbox.call('redeemRewardByKey', { path, body });
    expect(sandbox.call('redeemRewardByKey', { path, body })).toEqual(first);
    expect(points(sandbox).PointsBalance).toBe(300);
    expect(topics(sandbox)).toEqual([['Point_Removed', -200]]);
    const other = { ...body, OriginalKey: 'k2' };
    sandbox.call('redeemRewardByKey', { path, body: other });
    expect(points(sandbox).PointsBalance).toBe(100);
  });

  it.each([
    ['refuse', { HasError: true, ErrorCode: 47 }],
    ['null-result', { HasError: false, Result: null }],
  ] as const)(
    'answers a repetition with %s where the settings say so',
    (repeatedRedeem, answer) => {
      const sandbox = openSandboxWithPoints(500, { settings: { repeatedRedeem } });
      sandbox.call('redeemRewardByKey', { path, body });
      expect(sandbox.call('redeemRewardByKey', { path, body })).toMatchObject(answer);
      expect(points(sandbox).PointsBalance).toBe(300);
    },
  );

  it('makes no coupon unless forced; ExternalCode is what the order names', () => {
    const sandbox = openSandboxWithPoints(500);
    const { Result } = sandbox.call('redeemRewardByKey', { path, body });
    expect(Result).not.toHaveProperty('Coupon');
    expect(sandbox.tables.coupons.size).toBe(0);
    const forced = { ...body, OriginalKey: 'k2', ForceGenerateCoupon: true };
    const { Result: second } = sandbox.call('redeemRewardByKey', { path, body: forced });
    expect(second?.Coupon).toMatchObject({ CouponCode: second?.ExternalCode, CouponType: 1 });
  });

  it.each(['cancelRedemption', 'cancelRedemptionByKey'] as const)(
    '%s gives the points back once: 74 afterwards, and the key is used up',
    (cancel) => {
      const sandbox = openSandboxWithPoints(200);
      const { Result } = sandbox.call('redeemRewardByKey', { path, body });
      sandbox.takeEvents();
      const asked = { path: { id: String(Result?.RewardId) }, query: { OriginalKey: 'k' } };
      expect(sandbox.call(cancel, asked).Result).toMatchObject({ IsCanceled: true });
      expect(points(sandbox)).toMatchObject({ PointsBalance: 200 });
      expect(points(sandbox).PointHistory.map(({ IsCanceled }) => IsCanceled)).toEqual([
        false,
        true,
      ]);
      expect(topics(sandbox)).toEqual([['Point_Add', 200]]);
      expect(codeOf(sandbox.call(cancel, asked))).toBe(74);
      expect(codeOf(sandbox.call('redeemRewardByKey', { path, body }))).toBe(47);
      const again = { ...body, OriginalKey: 'k2' };
      expect(codeOf(sandbox.call('redeemRewardByKey', { path, body: again }))).toBeUndefined();
    },
  );

  it('spends under Point_Add where the settings say so', () => {
    const sandbox = openSandboxWithPoints(200, { settings: { spendingTopic: 'Point_Add' } });
    sandbox.call('redeemRewardByKey', { path, body });
    expect(topics(sandbox)).toEqual([['Point_Add', -200]]);
  });

  it('asks for a PIN, and insists on it, where the settings say so', () => {
    const sandbox = openSandboxWithPoints(500, { settings: { challenge: 'enforced' } });
    const asked = () =>
      sandbox.call('listAvailableRewards', { body: { CustomerId: EMAIL, PurchaseValue: 9 } });
    expect(asked()).toMatchObject({ ShouldValidateCustomer: true });
    expect(codeOf(sandbox.call('redeemRewardByKey', { path, body }))).toBe(47);
    sandbox.call('startChallenge', { path: { id: EMAIL } });
    const Code = sandbox.tables.challenges.get('c1')?.pin;
    sandbox.call('validateChallenge', { path: { id: EMAIL }, body: { Code } });
    expect(asked()).toMatchObject({ ShouldValidateCustomer: false });
    expect(codeOf(sandbox.call('redeemRewardByKey', { path, body }))).toBeUndefined();
    const other = { ...body, OriginalKey: 'k2' };
    expect(codeOf(sandbox.call('redeemRewardByKey', { path, body: other }))).toBe(47);
  });
});

describe('customers', () => {
  it('are found by e-mail or document under /POS, and by store id where the settings say so', () => {
    const Customer = makeCustomer({ Document: '123.456-7' });
    const found = (settings: object, CustomerId: string) => {
      const sandbox = openSandbox({ settings });
      sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
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
    expect(upsert({ ...makeCustomer(), EnrolledDate }).Result).toMatchObject({
      Operation: 'created',
      BalanceOfPoints: 0,
    });
    expect(sandbox.tables.customers.get('c1')?.enrolledAt).toBe(EnrolledDate);
    sandbox.call('sendOrder', { body: makeOrder() });
    expect(upsert({ ...makeCustomer(), Email: 'new@example.com' }).Result).toMatchObject({
      Operation: 'updated',
      Email: 'new@example.com',
      BalanceOfPoints: 100,
      BalanceCashback: 5,
    });
  });

  it('inactive, earn and redeem nothing', () => {
    const sandbox = openSandboxWithPoints(500);
    const status = (IsEnabled: boolean) =>
      sandbox.call('changeCustomerStatus', {
        path: { originalId: 'c1' },
        body: { IsEnabled, Reason: 'Asked' },
      });
    status(false);
    sandbox.call('sendOrder', { body: makeOrder() });
    expect(points(sandbox).PointsBalance).toBe(500);
    const body = { CustomerId: EMAIL, OriginalKey: 'k' };
    expect(codeOf(sandbox.call('redeemRewardByKey', { path: { id: '2' }, body }))).toBe(47);
    status(true);
    expect(codeOf(sandbox.call('redeemRewardByKey', { path: { id: '2' }, body }))).toBeUndefined();
  });

  it('that the service does not know have no balance: CustomerExists is false', () => {
    const path = { id: 'unknown' };
    const answer = openSandbox().call('getCustomerPoints', { path });
    expect(answer).toMatchObject({ CustomerExists: false, PointsBalance: 0 });
    const flagged = openSandbox({ settings: { unknownCustomer: 'flag' } });
    const body = { Value: 1, OperationType: 0, Reason: 'x', ChangeKey: 'k' };
    expect(flagged.call('changeCashback', { path, body })).toMatchObject({
      HasError: false,
      Result: { CustomerExists: false },
    });
  });
});

describe('points', () => {
  it('PointsToExpire holds only points close to their expiry', () => {
    const sandbox = openSandboxWithPoints(100, { settings: { pointsValidDays: 60 } });
    expect(points(sandbox).PointsToExpire).toEqual([]);
    dayLater(sandbox, 31);
    expect(points(sandbox).PointsToExpire).toEqual([
      { Points: 100, When: '2026-12-06T12:00:00.000Z' },
    ]);
  });

  it('CashbackBalance is 0 while the cashback reward is off', () => {
    expect(points(openSandboxWithPoints(100)).CashbackBalance).toBe(5);
    const without = openSandboxWithPoints(100, { catalog: { rewards: [] } });
    expect(points(without).CashbackBalance).toBe(0);
  });

  it('the report lists enrolled customers, others on request, and those whose points moved', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder() });
    const other = makeCustomer({ OriginalId: 'c2', IsEnrolled: false, Email: 'b@example.com' });
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2', Customer: other }) });
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
    expect(codeOf(sandbox.call('listCustomersReport', { query: { pageSize: '501' } }))).toBe(45);
    expect(codeOf(sandbox.call('listCustomersReport', { query: { pageSize: '500' } }))).toBe(
      undefined,
    );
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
    const answer = openSandbox({ settings: { envelope } }).call('changeCustomerStatus', {
      path,
      body,
    });
    expect(answer).toMatchObject(expected);
    expect('Severity' in answer).toBe(envelope !== 'B');
  });
});
