import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, startClientAndSandbox, unwrap } from '../../support/client-and-sandbox.ts';

let world: Awaited<ReturnType<typeof startClientAndSandbox>>;
beforeAll(async () => {
  world = await startClientAndSandbox();
});
beforeEach(() => world.sandbox.reset());
afterEach(() => world.checkAnswers());
afterAll(() => world.sandbox.stop());

/** A customer `c1` who earned that many points with one order. */
async function earn(points: number, id = 'funding'): Promise<void> {
  const sent = await world.client.sendOrder({
    OriginalId: id,
    OrderPlacementDate: '2026-10-05T09:00:00Z',
    OrderCompletedDate: '2026-10-06T09:00:00Z',
    IsCompleted: true,
    OrderTotal: points,
    Customer: { OriginalId: 'c1', Name: 'Robin Sample', Email: 'robin@example.com' },
  });
  expect(sent.kind).toBe('success');
}

describe('getCustomer', () => {
  it('reads who a customer is, and in which tier', async () => {
    await earn(100);
    expect(unwrap(await world.client.getCustomer('c1'))).toMatchObject({
      OriginalId: 'c1',
      Email: 'robin@example.com',
      ReferralURL: null,
      CurrentTier: { Name: 'Bronze' },
    });
  });

  it('does not know a stranger: 59', async () => {
    expect(codeOf(await world.client.getCustomer('nobody'))).toBe(59);
  });
});

describe('changeCashback', () => {
  const change = (changes = {}) => ({
    Value: 2,
    OperationType: 0 as const,
    Reason: 'goodwill',
    ChangeKey: 'key-1',
    ...changes,
  });

  it('adds and removes, as the setting says which type does which', async () => {
    await earn(100);
    expect(unwrap(await world.client.changeCashback('c1', change()))).toMatchObject({
      CustomerExists: true,
      CashbackBalance: 7,
    });
    const removal = change({ OperationType: 1, ChangeKey: 'key-2' });
    expect(unwrap(await world.client.changeCashback('c1', removal))).toMatchObject({
      CashbackBalance: 5,
    });
    expect(world.sandbox.events.all()).toHaveLength(3);
  });

  it.each([
    [59, 'a stranger', 'nobody', change()],
    [64, 'nothing', 'c1', change({ Value: 0 })],
    [62, 'adding less than nothing', 'c1', change({ Value: -1 })],
    [63, 'removing less than nothing', 'c1', change({ Value: -1, OperationType: 1 })],
    [65, 'no key', 'c1', change({ ChangeKey: null })],
    [67, 'no reason', 'c1', change({ Reason: ' ' })],
    [70, 'more than there is', 'c1', change({ Value: 100, OperationType: 1 })],
  ])('refuses with %i: %s', async (code, _, customer, body) => {
    await earn(100);
    expect(codeOf(await world.client.changeCashback(customer, body))).toBe(code);
  });

  it('happens once for a key: 66, which is done', async () => {
    await earn(100);
    await world.client.changeCashback('c1', change());
    const again = await world.client.changeCashback('c1', change());
    expect(again).toMatchObject({ code: 66, class: 'done' });
    const other = unwrap(await world.client.changeCashback('c1', change({ ChangeKey: 'other' })));
    expect(other.CashbackBalance).toBe(9);
  });
});

describe('rewards', () => {
  it('are listed in pages, all or only the active ones', async () => {
    const all = unwrap(await world.client.listRewardConfigurations({ PageSize: 3, PageNumber: 1 }));
    expect(all).toMatchObject({ TotalItemCount: 7, HasNextPage: true, PageSize: 3 });
    expect(all.Items).toHaveLength(3);
    const active = unwrap(await world.client.listRewardConfigurations({ IsActive: true }));
    expect(active.Items.every(({ IsActive }) => IsActive)).toBe(true);
    expect(active.TotalItemCount).toBe(6);
  });

  it('come at most 50 a page: 45', async () => {
    expect((await world.client.listRewardConfigurations({ PageSize: 50 })).kind).toBe('success');
    expect(codeOf(await world.client.listRewardConfigurations({ PageSize: 51 }))).toBe(45);
  });

  it('are read one by one; an unknown one is 44', async () => {
    expect(unwrap(await world.client.getRewardConfiguration(1))).toMatchObject({
      Id: 1,
      Points: 100,
    });
    expect(codeOf(await world.client.getRewardConfiguration(99))).toBe(44);
  });

  it('cost points and give a coupon, whose key takes metadata', async () => {
    await earn(250);
    const redeemed = unwrap(await world.client.redeemReward(2, { CustomerId: 'c1' }));
    const [reward] = redeemed.Items;
    const code = reward?.PreGeneratedCouponLists?.[0]?.PreGeneratedCoupons?.[0]?.CouponCode;
    expect(code).toMatch(/^TEN/);
    const [customer] = world.sandbox.state().customers;
    expect(customer).toMatchObject({ points: 50 });

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

  it.each([
    [43, 'an unknown reward', 99, 'c1'],
    [46, 'a stranger', 1, 'nobody'],
    [47, 'an inactive reward', 7, 'c1'],
    [47, 'a reward whose time is over', 6, 'c1'],
    [47, 'too few points', 2, 'c1'],
    [47, "a reward of another tier's", 5, 'c1'],
  ])('refuses with %i: %s', async (code, _, reward, CustomerId) => {
    await earn(100);
    expect(codeOf(await world.client.redeemReward(reward, { CustomerId }))).toBe(code);
  });

  it('keep to their limit per customer: 47', async () => {
    await earn(100);
    await world.client.redeemReward(4, { CustomerId: 'c1' });
    expect(codeOf(await world.client.redeemReward(4, { CustomerId: 'c1' }))).toBe(47);
  });

  it('have no metadata under an unknown key: 87', async () => {
    expect(codeOf(await world.client.updateRewardMetadata({ OriginalKey: 'nobody' }))).toBe(87);
  });
});

describe('listTiers', () => {
  it('measures progress by real balances', async () => {
    for (const n of [1, 2, 3]) await earn(200, `o${n}`);
    const tiers = unwrap(await world.client.listTiers({ CustomerId: 'c1' }));
    expect(tiers.CurrentTier).toMatchObject({ Name: 'Silver' });
    expect(tiers.NextTiers).toMatchObject([
      { Name: 'Gold', Goals: [{ GoalValue: 2000, CurrentValue: 600, PercentToGoal: 30 }, {}] },
    ]);
    expect(tiers.AllTiers).toHaveLength(3);
  });

  it('shows the base tier to nobody in particular, and 59 to a stranger', async () => {
    const tiers = unwrap(await world.client.listTiers({ CustomerId: null }));
    expect(tiers.CurrentTier).toMatchObject({ Name: 'Bronze' });
    expect(codeOf(await world.client.listTiers({ CustomerId: 'nobody' }))).toBe(59);
  });
});

describe('quizzes', () => {
  const answers = [
    { QuizQuestionId: 11, OptionIds: [101, 103], OpenAnswer: null },
    { QuizQuestionId: 12, OptionIds: null, OpenAnswer: 'green' },
  ];

  it('award their points once', async () => {
    await earn(10);
    expect(unwrap(await world.client.listQuizzes({ customerId: 'c1' }))).toMatchObject([
      { Id: 1, IsCompleted: false, AmountOfPoints: 25 },
    ]);
    const first = await world.client.answerQuiz({ customerId: 'c1' }, answers);
    expect(unwrap(first)).toMatchObject({ Success: true, PointsAwarded: 25 });
    const again = await world.client.answerQuiz({ customerId: 'c1' }, answers);
    expect(unwrap(again)).toMatchObject({ Success: false, PointsAwarded: 0 });
    expect(world.sandbox.state().customers[0]).toMatchObject({ points: 35 });
    expect(unwrap(await world.client.listQuizzes({ customerId: 'c1' }))).toMatchObject([
      { IsCompleted: true },
    ]);
  });

  it.each([
    [105, 'an unknown question', [{ QuizQuestionId: 99, OptionIds: [1] }]],
    [
      107,
      'more options than allowed',
      [{ QuizQuestionId: 11, OptionIds: [101, 102, 103] }, answers[1]],
    ],
  ])('refuse with %i: %s', async (code, _, given) => {
    await earn(10);
    const sent = given as Parameters<typeof world.client.answerQuiz>[1];
    expect(codeOf(await world.client.answerQuiz({ customerId: 'c1' }, sent))).toBe(code);
  });

  it('do not know a stranger: 59', async () => {
    expect(codeOf(await world.client.listQuizzes({ customerId: 'nobody' }))).toBe(59);
  });
});
