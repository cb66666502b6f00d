import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { components } from '../../../shared/loyalty/contract.gen.ts';
import { codeOf, startClientAndSandbox, unwrap } from '../../support/client-and-sandbox.ts';

type Schemas = components['schemas'];

// What the service's rules are is the subject of test/unit/loyalty-sandbox, and how each error is read that of
// test/unit/loyalty/read-answer. Here every operation is called over HTTP once with success.
let world: Awaited<ReturnType<typeof startClientAndSandbox>>;
beforeAll(async () => {
  world = await startClientAndSandbox();
});
beforeEach(() => world.sandbox.reset());
afterEach(() => world.checkAnswers());
afterAll(() => world.sandbox.stop());

const robin = { OriginalId: 'c1', Name: 'Robin Sample', Email: 'robin@example.com' };
const order = (changes: object = {}): Schemas['Order'] => ({
  OriginalId: 'o1',
  OrderPlacementDate: '2026-10-05T09:00:00Z',
  OrderCompletedDate: '2026-10-06T09:00:00Z',
  OrderStatus: 'fulfilled',
  IsCompleted: true,
  IsCancelledOrReturned: false,
  OrderTotal: 100,
  Customer: robin,
  Products: [{ OriginalId: 'p1', Title: 'Shirt', IsActive: true, ProductPrice: 100 }],
  UpdatedDate: '2026-10-06T09:00:00Z',
  ...changes,
});
const open = (changes: object = {}) =>
  order({ IsCompleted: false, OrderCompletedDate: null, OrderStatus: 'paid', ...changes });
const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'cancelled' };
const product = (changes: object = {}): Schemas['Product'] => ({
  OriginalId: 'p1',
  Title: 'Linen shirt',
  Url: 'https://shop.example.com/shirt',
  ImageUrl: null,
  IsActive: true,
  ProductPrice: 49.9,
  ProductBrand: { OriginalId: 'b1', Name: 'North Loom' },
  ProductCategory: {
    OriginalId: 'shirts',
    Name: 'Shirts',
    ParentCategory: { OriginalId: 'clothes', Name: 'Clothes', ParentCategory: null },
  },
  ...changes,
});
const coupon = (changes: object = {}): Schemas['Coupon'] => ({
  OriginalId: 'k1',
  CouponCode: 'AUTUMN10',
  CreatedDate: '2026-10-01T00:00:00Z',
  CouponType: 1,
  IsUsed: false,
  CouponValue: 10,
  ValidDateStart: '2026-10-01T00:00:00Z',
  ValidDateEnd: '2027-10-01T00:00:00Z',
  ...changes,
});
const cashback = (changes: object = {}) => ({
  Value: 2,
  OperationType: 0 as const,
  Reason: 'goodwill',
  ChangeKey: 'key-1',
  ...changes,
});
const answers = [
  { QuizQuestionId: 11, OptionIds: [101, 103], OpenAnswer: null },
  { QuizQuestionId: 12, OptionIds: null, OpenAnswer: 'green' },
];

describe('the client and the sandbox', () => {
  it('agree on a product, also in the older form of its answer', async () => {
    const stored = { kind: 'success', value: { OriginalId: 'p1', ProductPrice: 49.9 } };
    expect(await world.client.updateProduct('p1', product())).toMatchObject(stored);
    expect(await world.client.updateProduct('p1', product({ ProductPrice: null }))).toMatchObject({
      kind: 'warning',
      code: expect.stringMatching(/^\d\d$/),
    });
    const asked = { Id: 'p1', Price: 49.9, PriceCurrency: 'EUR', Name: 'Shirt' };
    expect(unwrap(await world.client.calculateProductPoints([asked]))).toEqual([
      { Id: 'p1', Points: 49.9, Cashback: expect.closeTo(2.5, 1) },
    ]);
    const older = await startClientAndSandbox({ settings: { productAnswer: 'older' } });
    const answer = await older.client.updateProduct('p1', product());
    expect(answer).toMatchObject({ kind: 'success', value: { OriginalId: 'p1' } });
    expect(codeOf(await older.client.updateProduct('p1', product({ OriginalId: 'x' })))).toBe(38);
    older.checkAnswers();
    await older.sandbox.stop();
  });

  it('agree on an order and its customer', async () => {
    expect(unwrap(await world.client.sendOrder(order()))).toMatchObject({
      OriginalId: 'o1',
      IsCompleted: true,
      OrderTotal: 100,
      Customer: { OriginalId: 'c1', PointsBalance: 100, Cashback: 5 },
      Products: [{ OriginalId: 'p1', ProductPrice: 100 }],
    });
    expect(unwrap(await world.client.getCustomer('c1'))).toMatchObject({
      ...robin,
      ReferralURL: null,
      CurrentTier: { Name: 'Bronze' },
    });
  });

  it.each(['cancelPosOrder', 'cancelOrder'] as const)('agree on %s', async (cancel) => {
    await world.client.sendOrder(open());
    const cancelled = await world.client[cancel]('o1', cancellation);
    expect(unwrap(cancelled)).toMatchObject({ isCanceled: true });
    const again = await world.client[cancel]('o1', cancellation);
    expect(again).toMatchObject({ code: 33, class: 'done' });
    expect(codeOf(await world.client.sendOrder(order()))).toBe(33);
    const unknown = await world.client[cancel]('unknown', cancellation);
    expect(unknown).toMatchObject({ code: 37, class: 'done' });
    await world.client.sendOrder(order({ OriginalId: 'o2' }));
    const completed = await world.client[cancel]('o2', cancellation);
    expect(unwrap(completed)).toMatchObject({ isCanceled: true, Status: 3 });
    await world.client.sendOrder(open({ OriginalId: 'o3' }));
    expect(codeOf(await world.client[cancel]('o3', { OrderStatus: 'x' }))).toBe(14);
    const early = { OrderCancelledDate: '2026-10-01T00:00:00Z' };
    expect(codeOf(await world.client[cancel]('o3', early))).toBe(15);
  });

  it('agree on a coupon', async () => {
    expect(unwrap(await world.client.createCoupon(coupon()))).toMatchObject({
      Items: [{ CouponCode: 'AUTUMN10', CouponValue: 10 }],
      TotalItemCount: 1,
      HasNextPage: false,
    });
    const ended = unwrap(await world.client.deactivateCoupon('AUTUMN10'));
    expect(ended.Items).toMatchObject([{ CouponValue: 10 }]);
    expect(world.sandbox.state().coupons).toMatchObject([{ isActive: false }]);
    const unknown = await world.client.deactivateCoupon('UNKNOWN');
    expect(unknown).toMatchObject({ kind: 'business-error', code: 57, class: 'done' });
  });

  it('agree on a change of cashback, which happens once for a key', async () => {
    await world.client.sendOrder(order());
    const change = async (changes = {}) => world.client.changeCashback('c1', cashback(changes));
    expect(unwrap(await change())).toMatchObject({ CustomerExists: true, CashbackBalance: 7 });
    expect(await change()).toMatchObject({ code: 66, class: 'done' });
    const removed = await change({ Value: -2, OperationType: 1, ChangeKey: 'key-2' });
    expect(unwrap(removed)).toMatchObject({ CashbackBalance: 5 });
  });

  it('agree on rewards: in pages, one by one, redeemed and with metadata', async () => {
    const page = await world.client.listRewardConfigurations({ PageSize: 3, PageNumber: 1 });
    expect(unwrap(page)).toMatchObject({ TotalItemCount: 10, HasNextPage: true, PageSize: 3 });
    const active = await world.client.listRewardConfigurations({ IsActive: true });
    expect(unwrap(active).TotalItemCount).toBe(9);
    const one = await world.client.getRewardConfiguration(1);
    expect(unwrap(one)).toMatchObject({ Id: 1, Points: 100 });

    await world.client.sendOrder(order({ OrderTotal: 250 }));
    const [reward] = unwrap(await world.client.redeemReward(2, { CustomerId: 'c1' })).Items;
    const code = reward?.PreGeneratedCouponLists?.[0]?.PreGeneratedCoupons?.[0]?.CouponCode;
    expect(code).toMatch(/^TEN/);
    expect(world.sandbox.state().customers).toMatchObject([{ points: 50 }]);
    const [redemption] = world.sandbox.state().redemptions;
    const OriginalKey = String((redemption as { OriginalKey?: unknown }).OriginalKey);
    const Metadatas = [{ Name: 'order', Value: 'o1' }];
    const updated = await world.client.updateRewardMetadata({ OriginalKey, Metadatas });
    expect(unwrap(updated)).toMatchObject({
      OriginalKey,
      ExternalCode: code,
      Point: { Metadatas },
      Coupon: { CouponCode: code, CouponType: 1, CouponValue: 10 },
    });
  });

  it('agree on an order that is read, completed and cancelled in parts', async () => {
    await world.client.sendOrder(open());
    expect(unwrap(await world.client.getOrder('o1'))).toMatchObject({ State: 1, Origin: 1 });
    const done = { OrderCompletedDate: '2026-10-06T09:00:00Z', OrderStatus: 'paid' };
    const completed = unwrap(await world.client.completeOrder('o1', done));
    expect(completed).toMatchObject({ IsCompleted: true, Status: 2 });
    const points = async () => unwrap(await world.client.getCustomerPoints('c1')).PointsBalance;
    expect(await points()).toBe(100);
    const part = { ValueToRefund: 30, CancelKey: 'r1' };
    const first = unwrap(await world.client.partiallyCancelOrder('o1', part));
    expect(first).toMatchObject({ isCanceled: false, RefundErrorDetails: null });
    expect(await points()).toBe(70);
    // A repetition is refused and takes nothing; so is what the order does not hold.
    for (const [wrong, finding] of [
      [part, 'cancel-key-used'],
      [{ ValueToRefund: 80, CancelKey: 'r2' }, 'refund-refused'],
    ] as const) {
      const refused = { kind: 'business-error', finding, class: 'rejected' };
      expect(await world.client.partiallyCancelPosOrder('o1', wrong)).toMatchObject(refused);
    }
    expect(await points()).toBe(70);
  });

  it('agree on a redemption by key, its repetition and its cancellation', async () => {
    await world.client.sendOrder(order({ OrderTotal: 250 }));
    const request = { CustomerId: 'robin@example.com', OriginalKey: 'intent-1' };
    const first = unwrap(await world.client.redeemRewardByKey(2, request));
    expect(first).toMatchObject({ OriginalKey: 'intent-1', Point: { Quantity: -200 } });
    expect(first).not.toHaveProperty('Coupon');
    expect(unwrap(await world.client.redeemRewardByKey(2, request))).toEqual(first);
    const lookedUp = await world.client.updateRewardMetadata({ OriginalKey: 'intent-1' });
    expect(unwrap(lookedUp)).toEqual(first);
    const id = first.RewardId ?? 0;
    const read = async () => unwrap(await world.client.getRedeemedReward(id));
    expect(await read()).toMatchObject({ IsCanceled: false, ExternalCode: first.ExternalCode });
    expect(unwrap(await world.client.cancelRedemption(id))).toMatchObject({ IsCanceled: true });
    expect(await world.client.cancelRedemptionByKey('intent-1')).toMatchObject({
      code: 74,
      class: 'done',
    });
    expect(await read()).toMatchObject({ IsCanceled: true });
    expect(unwrap(await world.client.getCustomerPoints('c1')).PointsBalance).toBe(250);
    const history = unwrap(await world.client.listPointsHistory('c1', { PageSize: 50 }));
    expect(history.Items).toMatchObject([{ Points: -200, IsCanceled: true }, { Points: 250 }]);
  });

  it('agree on available rewards and on a PIN', async () => {
    await world.client.sendOrder(order());
    const purchase = { CustomerId: 'robin@example.com', PurchaseValue: 60, DiscountValue: 0 };
    const available = unwrap(await world.client.listAvailableRewards(purchase));
    expect(available).toMatchObject({ HasRewards: true, AvailablePoints: 100 });
    expect(available.Rewards?.find(({ Id }) => Id === 1)).toMatchObject({ CanUse: true });
    const started = unwrap(await world.client.startChallenge('c1', { TransactionId: 'sale-1' }));
    expect(started).toMatchObject({ Success: true, SentByEmail: true, TransactionId: 'sale-1' });
    const pin = world.sandbox.state().challenges[0]?.pin ?? '';
    const answerWith = async (Code: string, TransactionId = 'sale-1') =>
      unwrap(await world.client.validateChallenge('c1', { TransactionId, Code }));
    expect(await answerWith('none')).toMatchObject({
      Success: false,
      FriendlyErrorMessage: expect.any(String),
    });
    expect((await answerWith(pin, 'sale-2')).Success).toBe(false);
    expect((await answerWith(pin)).Success).toBe(true);
  });

  it('agree on a change of points', async () => {
    await world.client.sendOrder(order());
    const change = { Points: 25, OperationType: 0, Reason: 'Sorry', ChangeKey: 'k1' } as const;
    expect(unwrap(await world.client.changePoints('c1', change)).PointsBalance).toBe(125);
    expect(await world.client.changePoints('c1', change)).toMatchObject({
      class: 'done',
      code: 66,
    });
    const removal = { ...change, Points: -125, OperationType: 1, ChangeKey: 'k2' } as const;
    const left = unwrap(await world.client.changePoints('c1', removal));
    expect([left.PointsBalance, left.CashbackBalance]).toEqual([0, 0]);
  });

  it('agree on customers: created, updated, reported, made inactive; and on one coupon', async () => {
    const created = unwrap(await world.client.upsertCustomer({ ...robin, Phone: null }));
    expect(created).toMatchObject({ Operation: 'created', BalanceOfPoints: 0 });
    const changed = await world.client.upsertCustomer({ ...robin, Name: 'Robin S' });
    expect(unwrap(changed)).toMatchObject({ Operation: 'updated', Name: 'Robin S' });
    await world.client.sendOrder(order());
    const report = await world.client.listCustomersReport({ originalId: 'c1', pageSize: 500 });
    expect(unwrap(report).Items).toMatchObject([{ OriginalId: 'c1', PointsBalance: 100 }]);
    const status = { IsEnabled: false, Reason: 'Asked' };
    expect((await world.client.changeCustomerStatus('c1', status)).kind).toBe('success');
    await world.client.createCoupon(coupon());
    await world.client.deactivateCoupon('AUTUMN10');
    const [read] = unwrap(await world.client.getCoupon('AUTUMN10')).Items;
    expect(read).toMatchObject({ IsUsed: true });
  });

  it('agree on tiers', async () => {
    for (const OriginalId of ['o1', 'o2', 'o3']) {
      await world.client.sendOrder(order({ OriginalId, OrderTotal: 200 }));
    }
    const tiers = unwrap(await world.client.listTiers({ CustomerId: 'c1' }));
    expect(tiers).toMatchObject({
      CurrentTier: { Name: 'Silver' },
      NextTiers: [
        { Name: 'Gold', Goals: [{ GoalValue: 2000, CurrentValue: 600, PercentToGoal: 30 }, {}] },
      ],
    });
    expect(tiers.AllTiers).toHaveLength(3);
    const base = unwrap(await world.client.listTiers({ CustomerId: null }));
    expect(base.CurrentTier).toMatchObject({ Name: 'Bronze' });
  });

  it('agree on a quiz', async () => {
    await world.client.sendOrder(order());
    const quizzes = async () => unwrap(await world.client.listQuizzes({ customerId: 'c1' }));
    expect(await quizzes()).toMatchObject([{ Id: 1, IsCompleted: false, AmountOfPoints: 25 }]);
    const send = async () => unwrap(await world.client.answerQuiz({ customerId: 'c1' }, answers));
    expect(await send()).toMatchObject({ Success: true, PointsAwarded: 25 });
    expect(await send()).toMatchObject({ Success: false, PointsAwarded: 0 });
    expect(await quizzes()).toMatchObject([{ IsCompleted: true }]);
  });
});
