import { describe, expect, it } from 'vitest';
import { defaultCatalog } from '../../../local/loyalty-sandbox/catalog.ts';
import {
  codeOf,
  EMAIL,
  makeCustomer,
  openSandbox,
  openSandboxWithPoints,
  pointsIn,
  redeemByKey,
  type Sandbox,
  sendOrder,
  takeTopics,
} from '../../support/sandbox-program.ts';

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
    const usable = { 1: 0, 2: 1, 8: 0, 9: 0, 10: 0 };
    expect(reasons(sandbox, { PurchaseValue: 60, Products: inCart })).toMatchObject(usable);
    expect(reasons(sandbox, { PurchaseValue: 10 })).toMatchObject({ 1: 2, 9: 9 });
    expect(reasons(sandbox, { PurchaseValue: 2 })).toMatchObject({ 3: 5 });
    const discounted = { PurchaseValue: 60, DiscountValue: 10 };
    expect(reasons(sandbox, discounted)).toMatchObject({ 1: 8, 8: 0 });
    expect(reasons(sandbox, { CustomerId: 'unknown@example.com' })).toMatchObject({ 1: 4 });
    const poor = openSandboxWithPoints(0);
    expect(reasons(poor, { PurchaseValue: 60 })).toMatchObject({ 8: 3 });
    sendOrder(poor, { Customer: makeCustomer({ IsEnrolled: false }) });
    expect(reasons(poor, { PurchaseValue: 60 })).toMatchObject({ 1: 7 });
  });

  it('cashback may pay the balance or its part of the purchase, whichever is less', () => {
    const sandbox = openSandboxWithPoints(1000);
    const most = (PurchaseValue: number) =>
      available(sandbox, { PurchaseValue }).get(8)?.MaxCashbackForCurrentPurchase;
    expect([most(60), most(200)]).toEqual([30, 50]);
    const { Result } = redeemByKey(sandbox, { Value: 30 }, '8');
    expect(Result?.Point?.Quantity).toBe(-600);
    expect(pointsIn(sandbox)).toMatchObject({ PointsBalance: 400, CashbackBalance: 20 });
  });

  it.each([
    ['percent', 0, 9],
    ['final-price', 1, 9],
    ['free-gift', 2, 0],
    ['amount-off', 3, 9],
  ] as const)(
    'a product reward of %s has mode %d without its product in the cart: %d',
    (...row) => {
      const [mode, ProductDiscountMode, CannotUseReason] = row;
      const rewards = defaultCatalog.rewards.flatMap((reward) =>
        reward.product ? [{ ...reward, product: { ...reward.product, mode } }] : [],
      );
      const sandbox = openSandboxWithPoints(300, { catalog: { rewards } });
      const offer = available(sandbox, { PurchaseValue: 60 }).get(9);
      expect(offer).toMatchObject({ ProductDiscountMode, CannotUseReason });
    },
  );

  it('product rewards name the product, its mode and value; the redeem answer repeats the id', () => {
    const sandbox = openSandboxWithPoints(100);
    expect(available(sandbox, { PurchaseValue: 60 }).get(9)).toMatchObject({
      ExternalProductId: '8012300098313',
      ProductDiscountMode: 0,
      ProductDiscountValue: 50,
      ProductMaxUnitsPerRedeem: 1,
    });
    const { Result } = redeemByKey(sandbox, {}, '9');
    expect(Result?.ExternalProductId).toBe('8012300098313');
  });
});

describe('a redemption by key', () => {
  it('redeems once under its key, and answers a repetition with the first result', () => {
    const sandbox = openSandboxWithPoints(500);
    const first = redeemByKey(sandbox);
    expect(redeemByKey(sandbox)).toEqual(first);
    expect(pointsIn(sandbox).PointsBalance).toBe(300);
    expect(takeTopics(sandbox)).toEqual([['Point_Removed', -200]]);
    redeemByKey(sandbox, { OriginalKey: 'k2' });
    expect(pointsIn(sandbox).PointsBalance).toBe(100);
  });

  it.each([
    ['refuse', { HasError: true, ErrorCode: 47 }],
    ['null-result', { HasError: false, Result: null }],
  ] as const)(
    'answers a repetition with %s where the settings say so',
    (repeatedRedeem, answer) => {
      const sandbox = openSandboxWithPoints(500, { settings: { repeatedRedeem } });
      redeemByKey(sandbox);
      expect(redeemByKey(sandbox)).toMatchObject(answer);
      expect(pointsIn(sandbox).PointsBalance).toBe(300);
    },
  );

  it('makes no coupon unless forced; ExternalCode is what the order names', () => {
    const sandbox = openSandboxWithPoints(500);
    const { Result } = redeemByKey(sandbox);
    expect(Result).not.toHaveProperty('Coupon');
    expect(sandbox.tables.coupons.size).toBe(0);
    const forced = { OriginalKey: 'k2', ForceGenerateCoupon: true };
    const { Result: second } = redeemByKey(sandbox, forced);
    expect(second?.Coupon).toMatchObject({ CouponCode: second?.ExternalCode, CouponType: 1 });
  });

  it.each(['cancelRedemption', 'cancelRedemptionByKey'] as const)(
    '%s gives the points back once: 74 afterwards, and the key is used up',
    (cancel) => {
      const sandbox = openSandboxWithPoints(200);
      const { Result } = redeemByKey(sandbox);
      sandbox.takeEvents();
      const asked = { path: { id: String(Result?.RewardId) }, query: { OriginalKey: 'k' } };
      expect(sandbox.call(cancel, asked).Result).toMatchObject({ IsCanceled: true });
      expect(pointsIn(sandbox)).toMatchObject({ PointsBalance: 200 });
      const history = [{ IsCanceled: false }, { IsCanceled: true }];
      expect(pointsIn(sandbox).PointHistory).toMatchObject(history);
      expect(takeTopics(sandbox)).toEqual([['Point_Add', 200]]);
      expect(codeOf(sandbox.call(cancel, asked))).toBe(74);
      expect(codeOf(redeemByKey(sandbox))).toBe(47);
      expect(codeOf(redeemByKey(sandbox, { OriginalKey: 'k2' }))).toBeUndefined();
    },
  );

  it('spends under Point_Add where the settings say so', () => {
    const sandbox = openSandboxWithPoints(200, { settings: { spendingTopic: 'Point_Add' } });
    redeemByKey(sandbox);
    expect(takeTopics(sandbox)).toEqual([['Point_Add', -200]]);
  });

  it('asks for a PIN, and insists on it, where the settings say so', () => {
    const sandbox = openSandboxWithPoints(500, { settings: { challenge: 'enforced' } });
    const asked = () =>
      sandbox.call('listAvailableRewards', { body: { CustomerId: EMAIL, PurchaseValue: 9 } });
    expect(asked()).toMatchObject({ ShouldValidateCustomer: true });
    expect(codeOf(redeemByKey(sandbox))).toBe(47);
    const TransactionId = 'sale-1';
    sandbox.call('startChallenge', { path: { id: EMAIL }, body: { TransactionId } });
    const Code = sandbox.tables.challenges.get('c1')?.pin;
    sandbox.call('validateChallenge', { path: { id: EMAIL }, body: { TransactionId, Code } });
    expect(asked()).toMatchObject({ ShouldValidateCustomer: false });
    expect(codeOf(redeemByKey(sandbox))).toBeUndefined();
    expect(codeOf(redeemByKey(sandbox, { OriginalKey: 'k2' }))).toBe(47);
  });
});

describe('a challenge', () => {
  const TransactionId = 'sale-1';
  const start = (sandbox: Sandbox, id: string, body: object = {}) =>
    sandbox.call('startChallenge', { path: { id }, body: { TransactionId, ...body } });
  const validate = (sandbox: Sandbox, id: string, body: object) =>
    sandbox.call('validateChallenge', { path: { id }, body: { TransactionId, ...body } });
  const pinOf = (sandbox: Sandbox, id: string) => sandbox.tables.challenges.get(id)?.pin;
  const withCustomer = (changes: Parameters<typeof makeCustomer>[0], settings: object = {}) => {
    const sandbox = openSandbox({ settings: { challenge: 'asked', ...settings } });
    sendOrder(sandbox, { Customer: makeCustomer(changes) });
    return sandbox;
  };

  it('is passed under the TransactionId that it was started with, and under no other', () => {
    const sandbox = withCustomer({});
    expect(start(sandbox, EMAIL)).toMatchObject({
      Success: true,
      TransactionId,
      SentByEmail: true,
    });
    const Code = pinOf(sandbox, 'c1');
    expect(start(sandbox, EMAIL)).toMatchObject({ Code: pinOf(sandbox, 'c1') });
    const wrong = { Success: false, FriendlyErrorMessage: expect.any(String) };
    expect(validate(sandbox, EMAIL, { Code })).toMatchObject(wrong);
    const right = pinOf(sandbox, 'c1');
    const other = { TransactionId: 'sale-2', Code: right };
    expect(validate(sandbox, EMAIL, other)).toMatchObject({ ...wrong, TransactionId: 'sale-2' });
    expect(codeOf(validate(sandbox, EMAIL, { Code: right, TransactionId: undefined }))).toBe(7);
    expect(validate(sandbox, EMAIL, { Code: right })).toEqual({
      Success: true,
      FriendlyErrorMessage: null,
      TransactionId,
    });
  });

  it.each([
    ['sms-or-email', { Phone: '+55 11 5550 0100' }, { Success: true, SentBySMS: true }],
    ['sms-or-email', {}, { Success: true, SentByEmail: true }],
    ['sms', {}, { Success: false, ShouldInformPhone: true, ShouldInformEmail: false, Code: null }],
    ['email', { Email: null, Document: '123' }, { Success: false, ShouldInformEmail: true }],
  ] as const)('goes by %s to a customer with %o', (challengeSentBy, changes, answer) => {
    const sandbox = withCustomer({ Document: '123', ...changes }, { challengeSentBy });
    expect(start(sandbox, '123')).toMatchObject(answer);
  });
});
