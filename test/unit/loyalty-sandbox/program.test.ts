import { describe, expect, it } from 'vitest';
import type { CatalogReward } from '../../../local/loyalty-sandbox/catalog.ts';
import type { PartialSettings } from '../../../local/loyalty-sandbox/settings.ts';
import {
  balanceOf,
  codeOf,
  makeCustomer,
  openSandbox,
  openSandboxWithPoints,
  pointsIn,
  type Sandbox,
  sendOrder,
  takeTopics,
} from '../../support/sandbox-program.ts';

/*
 * What the service's documents say stands in documented-facts and documented-answers, what it refuses in refusals, and
 * that no sequence of calls loses or invents a point is a law of test/integration/laws. Here are the rules left over.
 */

const path = { id: 'c1' };
const customerIn = (sandbox: Sandbox) => sandbox.call('getCustomer', { path }).Result;

describe('an order', () => {
  const orderId = 'o1';
  const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'cancelled' };
  const open = { IsCompleted: false, OrderCompletedDate: null };

  it('changes nothing when it comes again', () => {
    const sandbox = openSandbox();
    const changes = { Metadatas: [{ Name: 'a', Value: 'b' }], Coupon: 'X' };
    const first = sendOrder(sandbox, changes);
    const state = sandbox.snapshot();
    expect(sendOrder(sandbox, changes)).toEqual(first);
    expect(sandbox.snapshot()).toBe(state);
  });

  it('gives points once its customer takes part, and they follow it after the customer left', () => {
    const sandbox = openSandbox();
    const Customer = makeCustomer({ IsEnrolled: false });
    sendOrder(sandbox, { Customer });
    expect(balanceOf(sandbox).points).toBe(0);
    sendOrder(sandbox);
    expect(balanceOf(sandbox).points).toBe(100);
    sendOrder(sandbox, { Customer, OrderTotal: 60 });
    expect(balanceOf(sandbox).points).toBe(60);
  });

  it("marks a customer's coupon as used, and a public one never", () => {
    const sandbox = openSandbox();
    const Customer = makeCustomer();
    sandbox.call('createCoupon', { body: { OriginalId: 'k1', CouponCode: 'ROBIN10', Customer } });
    sandbox.call('createCoupon', { body: { OriginalId: 'k2', CouponCode: 'AUTUMN10' } });
    sendOrder(sandbox, { Coupon: 'ROBIN10' });
    sendOrder(sandbox, { OriginalId: 'o2', Coupon: 'AUTUMN10' });
    expect(sandbox.tables.coupons.get('k1')).toMatchObject({ IsUsed: true, usedByOrderId: 'o1' });
    expect(sandbox.tables.coupons.get('k2')).toMatchObject({ IsUsed: false, usedByOrderId: null });
  });

  describe.each(['cancelPosOrder', 'cancelOrder'] as const)('under %s', (operation) => {
    const cancel = (sandbox: Sandbox, body: object = cancellation) =>
      sandbox.call(operation, { path: { orderId }, body });

    it('is cancelled for good, and its points are removed', () => {
      const sandbox = openSandbox();
      sendOrder(sandbox);
      sandbox.takeEvents();
      const UpdatedAt = '2026-10-07T12:00:00.000Z';
      expect(cancel(sandbox).Result).toEqual({ isCanceled: true, UpdatedAt, Status: 3 });
      expect(sandbox.tables.orders.get(orderId)?.OrderStatus).toBe('cancelled');
      expect(takeTopics(sandbox)).toEqual([['Point_Removed', 100]]);
      expect([codeOf(cancel(sandbox)), codeOf(sendOrder(sandbox))]).toEqual([33, 33]);
    });

    it('keeps its status when none is sent', () => {
      const sandbox = openSandbox();
      sendOrder(sandbox, open);
      cancel(sandbox, { ...cancellation, OrderStatus: null });
      expect(sandbox.tables.orders.get(orderId)?.OrderStatus).toBe('fulfilled');
    });

    it('that is completed is never cancelled where the settings say so', () => {
      const sandbox = openSandbox({ settings: { error13: 'cancel-completed' } });
      sendOrder(sandbox);
      expect(codeOf(cancel(sandbox))).toBe(13);
      expect(balanceOf(sandbox).points).toBe(100);
    });

    it('shows the cancellation a day later where the settings say so', () => {
      const sandbox = openSandbox({ settings: { lateCancel: true } });
      sendOrder(sandbox);
      const notYet = { isCanceled: false, Status: 2 };
      expect(cancel(sandbox).Result).toMatchObject(notYet);
      sandbox.clock.now = new Date('2026-10-08T11:59:00Z');
      expect(cancel(sandbox).Result).toMatchObject(notYet);
      sandbox.clock.now = new Date('2026-10-08T12:00:00Z');
      sandbox.call('getOrder', { path: { orderId } });
      expect(codeOf(cancel(sandbox))).toBe(33);
      expect(balanceOf(sandbox).points).toBe(0);
    });
  });
});

describe('a customer', () => {
  it('keeps what a later order leaves out', () => {
    const sandbox = openSandbox();
    sendOrder(sandbox, { Customer: makeCustomer({ Phone: '+15555550100', Document: 'A-1' }) });
    sendOrder(sandbox, { OriginalId: 'o2', Customer: { OriginalId: 'c1', Name: 'Robin Other' } });
    expect(customerIn(sandbox)).toMatchObject({
      ...{ Name: 'Robin Other', Email: 'robin.sample@example.com' },
      ...{ Phone: '+15555550100', Document: 'A-1', IsEnrolled: true },
    });
  });

  it.each([true, false])('takes part by default where the settings say %s', (is) => {
    const sandbox = openSandbox({ settings: { enrolledByDefault: is } });
    const { IsEnrolled: _, ...silent } = makeCustomer();
    sendOrder(sandbox, { Customer: silent });
    expect(customerIn(sandbox)?.IsEnrolled).toBe(is);
  });

  it.each([
    ['documentAlphanumericOnly', { Document: 'A-1' }, { OriginalId: 'c2', Document: 'B-2' }, 51],
    ['uniqueEmail', {}, { OriginalId: 'c2', Email: 'ROBIN.sample@example.com' }, 118],
    ['uniqueDocument', { Document: 'a1' }, { OriginalId: 'c2', Document: 'A1' }, 119],
    [
      'birthdayIsFinal',
      { BirthdayDate: '1990-04-01T00:00:00Z' },
      { BirthdayDate: '1990-04-02T00:00:00Z' },
      72,
    ],
  ])('is held to %s only when it is set', (setting, first, second, code) => {
    for (const isSet of [true, false]) {
      const sandbox = openSandbox({ settings: { [setting]: isSet } });
      // The first one breaks no rule but that of the document's characters.
      sendOrder(sandbox, { Customer: makeCustomer(first) });
      const answer = sendOrder(sandbox, { OriginalId: 'o2', Customer: makeCustomer(second) });
      expect(codeOf(answer)).toBe(isSet ? code : undefined);
    }
  });

  it('may have an id of any characters', () => {
    const sandbox = openSandbox();
    for (const id of ['a/b', '%2F', 'é 🎈', '__proto__', 'constructor']) {
      sendOrder(sandbox, { OriginalId: id, Customer: makeCustomer({ OriginalId: id }) });
      const { Result } = sandbox.call('getCustomer', { path: { id } });
      expect(Result?.OriginalId).toBe(id);
    }
  });

  it('is in the tier of what was earned, not of what is left of it', () => {
    const sandbox = openSandboxWithPoints(499.99);
    for (const id of ['a', 'b']) sendOrder(sandbox, { OriginalId: id, OrderTotal: 0 });
    sendOrder(sandbox, { OriginalId: 'c', IsCompleted: false, OrderCompletedDate: null });
    const tiers = () => {
      const answer = sandbox.call('listTiers', { body: { CustomerId: 'c1' } });
      if (!('AllTiers' in answer)) throw new Error('a failure');
      return answer;
    };
    expect(tiers()).toMatchObject({
      CurrentTier: { Name: 'Bronze' },
      NextTiers: [{ Name: 'Silver' }, { Name: 'Gold' }],
    });
    expect(tiers().AllTiers[1]?.Goals).toEqual([
      { Name: 'Points earned', GoalValue: 500, CurrentValue: 499.99, PercentToGoal: 99 },
      { Name: 'Completed orders', GoalValue: 3, CurrentValue: 3, PercentToGoal: 100 },
    ]);
    sendOrder(sandbox, { OriginalId: 'a', OrderTotal: 700 });
    sandbox.call('redeemReward', { path: { id: '2' }, body: { CustomerId: 'c1' } });
    expect(tiers()).toMatchObject({ CurrentTier: { Name: 'Silver' } });
    expect(customerIn(sandbox)?.CurrentTier?.Name).toBe('Silver');
  });
});

describe('a change of the balance', () => {
  const change = (changes: object = {}) => ({
    ...{ Value: 5.5, OperationType: 0, Reason: 'Complaint 12', ChangeKey: 'k1', ...changes },
  });
  const ask = (sandbox: Sandbox, body: object, id = 'c1') =>
    sandbox.call('changeCashback', { path: { id }, body });

  it('is made once under its key, for whichever customer', () => {
    const sandbox = openSandboxWithPoints(100);
    sendOrder(sandbox, { Customer: makeCustomer({ OriginalId: 'c2' }) });
    ask(sandbox, change({ Value: 0 }));
    expect(ask(sandbox, change()).Result).toMatchObject({
      ...{ PointsBalance: 210, CashbackBalance: 10.5, RedeemKey: 'k1' },
      PointHistory: [{ Amount: 100 }, { Amount: 110, CashbackAmount: 5.5 }],
    });
    for (const id of ['c1', 'c2']) expect(codeOf(ask(sandbox, change(), id))).toBe(66);
    const { Value: _, ...rest } = change({ Points: 40 });
    expect(codeOf(sandbox.call('changePoints', { path, body: rest }))).toBe(66);
  });

  it('removes the oldest points first, down to nothing', () => {
    const sandbox = openSandboxWithPoints(100);
    sendOrder(sandbox, { OrderTotal: 60 });
    sandbox.takeEvents();
    ask(sandbox, change({ OperationType: 1, Value: -6 }));
    const Origins = [
      { PointId: 1, UsedPoints: 100, UsedCashback: 5 },
      { PointId: 2, UsedPoints: 20, UsedCashback: 1 },
    ];
    const payload = { Points: -120, Cashback: -6, ValidDate: null, Origins };
    expect(sandbox.takeEvents()).toMatchObject([{ topic: 'Point_Removed', payload }]);
    const points = { Points: -40, OperationType: 1, Reason: 'r', ChangeKey: 'k2' };
    sandbox.call('changePoints', { path, body: points });
    expect(balanceOf(sandbox)).toEqual({ points: 0, cashback: 0 });
  });

  it('tells the customer CustomerReason without its HTML, and never Reason', () => {
    const sandbox = openSandboxWithPoints(100);
    ask(sandbox, change({ CustomerReason: '<b>A gift</b> from us' }));
    const history = sandbox.call('listPointsHistory', { path });
    expect(history.Items?.[0]?.Title).toBe('A gift from us');
    expect(JSON.stringify(history)).not.toContain('Complaint');
    const long = change({ CustomerReason: 'x'.repeat(256), ChangeKey: 'k2' });
    expect(codeOf(ask(sandbox, long))).toBe(7);
  });
});

describe('a coupon', () => {
  const code = { code: 'AUTUMN10' };
  const create = (sandbox: Sandbox, changes: object = {}) =>
    sandbox.call('createCoupon', {
      body: {
        ...{ OriginalId: 'k1', CouponCode: 'AUTUMN10', CouponType: 1, CouponValue: 10 },
        ...{ CustomerId: 'c1', Customer: makeCustomer(), ...changes },
      },
    });

  it('comes with its customer, by CustomerId or whole, or with none unless the settings need one', () => {
    const sandbox = openSandbox();
    expect(create(sandbox).Items?.[0]?.CustomerId).toBe(1);
    const none = { CustomerId: undefined, Customer: undefined };
    const nobody = { OriginalId: 'k2', CouponCode: 'B', ...none };
    expect(create(sandbox, nobody).Items?.[0]?.CustomerId).toBeUndefined();
    const strict = openSandbox({ settings: { requireCouponCustomer: true } });
    expect(codeOf(create(strict, nobody))).toBe(55);
  });

  it('is replaced under its OriginalId, and frees its old code', () => {
    const sandbox = openSandbox();
    create(sandbox);
    create(sandbox, { CouponCode: 'NEW', CouponValue: 20 });
    expect([...sandbox.tables.coupons.values()]).toMatchObject([{ Id: 1, CouponCode: 'NEW' }]);
    expect(codeOf(sandbox.call('deactivateCoupon', { path: code }))).toBe(57);
    expect(codeOf(create(sandbox, { OriginalId: 'k2', CouponCode: 'NEW' }))).toBe(56);
  });

  it('that is used is never changed, but may be repeated', () => {
    const sandbox = openSandbox();
    create(sandbox);
    sendOrder(sandbox, { Coupon: 'AUTUMN10' });
    expect(codeOf(create(sandbox))).toBe(56);
    const state = sandbox.snapshot();
    expect(codeOf(create(sandbox, { IsUsed: true }))).toBeUndefined();
    expect(sandbox.snapshot()).toBe(state);
    expect(codeOf(create(sandbox, { IsUsed: true, CouponValue: 11 }))).toBe(56);
  });

  it('is inactive, as often as asked, until it is created again', () => {
    const sandbox = openSandbox();
    create(sandbox);
    for (const _ of [1, 2]) {
      const answer = sandbox.call('deactivateCoupon', { path: code });
      expect(answer).toMatchObject({ HasError: false, Items: [{ CouponCode: 'AUTUMN10' }] });
      expect(sandbox.tables.coupons.get('k1')?.isActive).toBe(false);
    }
    create(sandbox);
    expect(sandbox.tables.coupons.get('k1')?.isActive).toBe(true);
  });

  it.each([
    ['name', /^ApiExternalCoupon_Cant_Update_Coupon: /],
    ['number', /^56: /],
    ['text', /^CouponCode/],
  ] as const)('that is refused names its error by %s', (listErrors, form) => {
    const sandbox = openSandbox({ settings: { listErrors } });
    const { ErrorMessages } = sandbox.call('createCoupon', { body: { OriginalId: 'k1' } });
    expect(ErrorMessages?.[0]).toMatch(form);
  });
});

describe('a product', () => {
  const update = (changes: object = {}, settings: PartialSettings = {}) => {
    const sandbox = openSandbox({ settings });
    const Name = 'Clothing';
    const ProductCategory = { Name: 'Shirts', ParentCategory: { Name, ParentCategory: null } };
    const product = { OriginalId: 'p1', Title: 'Linen shirt', ProductPrice: 49.9 };
    const body = { ...product, ProductCategory, ...changes };
    const ask = () => sandbox.call('updateProduct', { path: { id: 'p1' }, body });
    return { sandbox, first: ask(), second: ask() };
  };

  it('is created, then updated, and a price of nothing is a warning', () => {
    const { sandbox, first, second } = update();
    expect(first).toMatchObject({ Code: '01', CodeName: 'ProductCreated', Severity: 0 });
    expect(second).toMatchObject({ Code: '02', Result: { Title: 'Linen shirt' } });
    expect(sandbox.tables.products.get('p1')?.categories).toEqual(['Clothing', 'Shirts']);
    for (const ProductPrice of [null, 0]) {
      const warning = { Severity: 1, HasWarning: true, HasError: false, Code: '03' };
      expect(update({ ProductPrice }).first).toMatchObject(warning);
    }
  });

  it('is answered in the older shape where the settings say so', () => {
    const { first } = update({}, { productAnswer: 'older' });
    expect(Object.keys(first)).toEqual(['ErrorMessage', 'ErrorCode', 'Result', 'HasError']);
  });

  it('earns what an order would, without rounding up, and its faults have their fields', () => {
    const sandbox = openSandbox({ settings: { pointsPerUnit: 0.1 } });
    const estimate = (body: unknown) => sandbox.call('calculateProductPoints', { body });
    const good = [
      { Id: 'a', Price: 49.9 },
      { Id: 'b', Price: 0.29 },
    ];
    expect(estimate(good).Result).toEqual([
      { Id: 'a', Points: 4.99, Cashback: 0.24 },
      { Id: 'b', Points: 0.02, Cashback: 0 },
    ]);
    const wrong = estimate([{ Id: ' ', Price: 0 }, { Id: 'b', Price: 'x' }, 7]);
    expect(wrong.ErrorDescriptions?.map((one) => [one.Field, one.Description])).toEqual([
      ...[
        ['[0].Id', 7],
        ['[0].Price', 9],
      ],
      ...[
        ['[1].Price', 7],
        ['[2]', 7],
      ],
    ]);
  });
});

describe('a reward', () => {
  const reward = (id: number, changes: Partial<CatalogReward> = {}): CatalogReward => ({
    ...{ id, title: `Reward ${id}`, description: '', kind: 'fixed-value', value: 5, points: 10 },
    ...{ isActive: true, codePrefix: 'R', couponValidDays: 30, ...changes },
  });
  const redeem = (sandbox: Sandbox, id: number, CustomerId = 'c1') =>
    sandbox.call('redeemReward', { path: { id: String(id) }, body: { CustomerId } });

  it('is listed on one page of at most 50, and when only active ones are asked for', () => {
    const rewards = Array.from({ length: 120 }, (_, i) => reward(i + 1, { isActive: i % 2 === 0 }));
    const sandbox = openSandbox({ catalog: { rewards } });
    const list = (query: Record<string, string>) =>
      sandbox.call('listRewardConfigurations', { query });
    const pages = ['1', '2', '3'].map((PageNumber) => list({ PageNumber, PageSize: '50' }));
    expect(pages.flatMap(({ Items }) => Items?.map(({ Id }) => Id))).toEqual(
      rewards.map(({ id }) => id),
    );
    expect(pages.map(({ HasNextPage }) => HasNextPage)).toEqual([true, true, false]);
    expect(list({}).Items).toHaveLength(10);
    expect(list({ IsActive: 'true' }).TotalItemCount).toBe(60);
    expect(list({ IsActive: 'false' }).TotalItemCount).toBe(120);
  });

  it('costs points of the oldest records, and gives a coupon that an order uses', () => {
    const sandbox = openSandboxWithPoints(60);
    sendOrder(sandbox, { OrderTotal: 90 });
    const answer = redeem(sandbox, 1);
    const [configuration] = 'Items' in answer ? (answer.Items ?? []) : [];
    const [produced] = configuration?.PreGeneratedCouponLists?.[0]?.PreGeneratedCoupons ?? [];
    expect(configuration).toMatchObject({ Id: 1, PointBalance: 50, CashbackBalance: 2.5 });
    expect(produced).toMatchObject({ CouponType: 0, CouponValue: 5 });
    const Coupon = produced?.CouponCode ?? '';
    expect(Coupon).toMatch(/^FIVE-\w+$/);
    sendOrder(sandbox, { OriginalId: 'o2', Coupon });
    const id = sandbox.tables.couponCodes.get(Coupon) ?? '';
    expect(sandbox.tables.coupons.get(id)).toMatchObject({ IsUsed: true, customerId: 'c1' });
  });

  it('keeps to its limits, per customer and in all', () => {
    const rewards = [reward(1, { usesPerCustomer: 2, usesInAll: 3 })];
    const sandbox = openSandboxWithPoints(1000, { catalog: { rewards } });
    sendOrder(sandbox, { Customer: makeCustomer({ OriginalId: 'c2' }) });
    const found = ['c1', 'c1', 'c1', 'c2', 'c2'].map((id) => codeOf(redeem(sandbox, 1, id)));
    expect(found).toEqual([undefined, undefined, 47, undefined, 47]);
  });

  it('leaves a hole where its points are taken back, which new points fill first', () => {
    const sandbox = openSandbox();
    sendOrder(sandbox);
    redeem(sandbox, 1);
    const body = { OrderCancelledDate: '2026-10-07T09:00:00Z' };
    sandbox.call('cancelOrder', { path: { orderId: 'o1' }, body });
    expect(pointsIn(sandbox)).toMatchObject({ PointsBalance: -100, CashbackBalance: -5 });
    sendOrder(sandbox, { OriginalId: 'o2', OrderTotal: 149.99 });
    expect(codeOf(redeem(sandbox, 3))).toBe(47);
    sendOrder(sandbox, { OriginalId: 'o2', OrderTotal: 150 });
    expect(codeOf(redeem(sandbox, 3))).toBeUndefined();
  });

  it('gets each pair of metadata once', () => {
    const sandbox = openSandboxWithPoints(100);
    redeem(sandbox, 1);
    const [redemption] = [...sandbox.tables.redemptions.values()];
    const OriginalKey = redemption?.OriginalKey;
    const pairs = [
      { Name: 'channel', Value: 'store' },
      { Name: 'till', Value: '4' },
    ];
    const ask = (Metadatas: readonly object[]) =>
      sandbox.call('updateRewardMetadata', { body: { OriginalKey, Metadatas } });
    ask(pairs.slice(0, 1));
    expect(ask(pairs).Result?.Point).toMatchObject({ Quantity: -100, Metadatas: pairs });
  });
});

describe('a quiz', () => {
  const query = { customerId: 'c1' };
  const choice = { QuizQuestionId: 11, OptionIds: [101, 103] };
  const text = { QuizQuestionId: 12, OpenAnswer: 'The blue one' };
  const answer = (sandbox: Sandbox, ...body: object[]) =>
    sandbox.call('answerQuiz', { query, body }).Result;

  it('awards its points once', () => {
    const sandbox = openSandboxWithPoints(100);
    expect(answer(sandbox, choice, text)).toMatchObject({ Success: true, PointsAwarded: 25 });
    expect(answer(sandbox, choice, text)).toMatchObject({ Success: false, PointsAwarded: 0 });
    expect(takeTopics(sandbox)).toEqual([['Point_Add', 25]]);
    const { Result } = sandbox.call('listQuizzes', { query });
    expect(Result).toMatchObject([{ Id: 1, IsCompleted: true, AmountOfPoints: 25 }]);
  });

  it.each([
    ['that lacks an answer', [choice]],
    ['with a blank answer', [choice, { ...text, OpenAnswer: ' ' }]],
    ['that is over', [{ QuizQuestionId: 21, OptionIds: [201] }]],
  ])('%s gives nothing, without an error', (_, body) => {
    const sandbox = openSandboxWithPoints(1);
    const state = sandbox.snapshot();
    expect(answer(sandbox, ...body)).toMatchObject({ Success: false, PointsAwarded: 0 });
    expect(sandbox.snapshot()).toBe(state);
  });
});
