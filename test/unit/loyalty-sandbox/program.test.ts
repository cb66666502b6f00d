import { describe, expect, it } from 'vitest';
import type { CatalogReward } from '../../../local/loyalty-sandbox/catalog.ts';
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
 * What the service's documents say of its rules stands in documented-facts, and of the fields of its answers in
 * test/integration/loyalty-sandbox; what it refuses stands in refusals. Here are the rules left over.
 */

const path = { id: 'c1' };
const customerIn = (sandbox: Sandbox) => sandbox.call('getCustomer', { path }).Result;

describe('an order', () => {
  const orderId = 'o1';
  const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'cancelled' };

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

  it.each(['cancelPosOrder', 'cancelOrder'] as const)(
    'is cancelled for good by %s, and its points are removed',
    (operation) => {
      const sandbox = openSandbox();
      const cancel = () => sandbox.call(operation, { path: { orderId }, body: cancellation });
      sendOrder(sandbox);
      sandbox.takeEvents();
      const UpdatedAt = '2026-10-07T12:00:00.000Z';
      expect(cancel().Result).toEqual({ isCanceled: true, UpdatedAt, Status: 3 });
      expect(sandbox.tables.orders.get(orderId)?.OrderStatus).toBe('cancelled');
      expect(takeTopics(sandbox)).toEqual([['Point_Removed', 100]]);
      expect([codeOf(cancel()), codeOf(sendOrder(sandbox))]).toEqual([33, 33]);
    },
  );
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

  it('is in the tier of what was earned, not of what is left of it', () => {
    const sandbox = openSandboxWithPoints(499.99);
    for (const id of ['a', 'b', 'c']) sendOrder(sandbox, { OriginalId: id, OrderTotal: 0 });
    const tier = () => customerIn(sandbox)?.CurrentTier?.Name;
    expect(tier()).toBe('Bronze');
    sendOrder(sandbox, { OriginalId: 'a', OrderTotal: 700 });
    sandbox.call('redeemReward', { path: { id: '2' }, body: { CustomerId: 'c1' } });
    expect(tier()).toBe('Silver');
  });
});

describe('a change of the balance', () => {
  const change = (changes: object = {}) => ({
    ...{ Value: 5.5, OperationType: 0, Reason: 'Complaint 12', ChangeKey: 'k1', ...changes },
  });
  const ask = (sandbox: Sandbox, body: object, id = 'c1') =>
    sandbox.call('changeCashback', { path: { id }, body });

  it.each([
    [{ OperationType: 0, Value: -5 }, 62],
    [{ OperationType: 1, Value: 5 }, 63],
    [{ OperationType: 1, Value: 0 }, 64],
    [{ OperationType: 2, Value: 5 }, 7],
    [{ OperationType: 1, Value: -500 }, 70],
    [{ OperationType: 1, Value: -5 }, undefined],
  ])('adds what is above zero, and removes what is below: %j', (changes, code) => {
    expect(codeOf(ask(openSandboxWithPoints(100), change(changes)))).toBe(code);
  });

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
});

describe('a product', () => {
  const update = (changes: object = {}) => {
    const sandbox = openSandbox();
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

  it('is listed on one page, and among the active ones', () => {
    const rewards = [1, 2, 3, 4, 5].map((id) => reward(id, { isActive: id !== 2 }));
    const sandbox = openSandbox({ catalog: { rewards } });
    const list = (query: Record<string, string>) => {
      const page = sandbox.call('listRewardConfigurations', { query });
      return [page.Items?.map(({ Id }) => Id), page.HasNextPage];
    };
    expect(list({ PageSize: '3' })).toEqual([[1, 2, 3], true]);
    expect(list({ PageSize: '3', PageNumber: '2' })).toEqual([[4, 5], false]);
    expect(list({ IsActive: 'true' })).toEqual([[1, 3, 4, 5], false]);
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
