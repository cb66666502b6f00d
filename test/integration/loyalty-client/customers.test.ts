import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { components } from '../../../shared/loyalty/contract.gen.ts';
import { codeOf, startClientAndSandbox, unwrap } from '../../support/client-and-sandbox.ts';

type Customer = components['schemas']['Customer'];

/** A service with every rule about customers switched on, and the other reading of OperationType. */
let world: Awaited<ReturnType<typeof startClientAndSandbox>>;
beforeAll(async () => {
  world = await startClientAndSandbox({
    settings: {
      documentAlphanumericOnly: true,
      uniqueEmail: true,
      uniqueDocument: true,
      birthdayIsFinal: true,
      addingOperationType: 1,
      requireCouponCustomer: true,
    },
  });
});
beforeEach(() => world.sandbox.reset());
afterEach(() => world.checkAnswers());
afterAll(() => world.sandbox.stop());

const robin: Customer = {
  OriginalId: 'c1',
  Name: 'Robin Sample',
  Email: 'robin@example.com',
  Document: 'AB12',
  BirthdayDate: '1990-05-01T00:00:00Z',
  IsEnrolled: true,
};
let orders = 0;
const buy = (customer: Customer, total = 10) => {
  orders += 1;
  return world.client.sendOrder({
    OriginalId: `o${orders}`,
    OrderPlacementDate: '2026-10-05T09:00:00Z',
    OrderCompletedDate: '2026-10-06T09:00:00Z',
    IsCompleted: true,
    OrderTotal: total,
    Customer: customer,
  });
};

describe('customers inside orders', () => {
  it('are made, and learn what later orders know of them', async () => {
    await buy(robin);
    await buy({ OriginalId: 'c1', Email: 'robin@example.com', Phone: '+15555550100' });
    expect(unwrap(await world.client.getCustomer('c1'))).toMatchObject({
      Name: 'Robin Sample',
      Phone: '+15555550100',
    });
  });

  it.each<[number, string, Customer | Record<string, unknown>]>([
    [39, 'no id', { Email: 'x@example.com' }],
    [40, 'a new one that cannot be stored', { ...robin, OriginalId: 'c2', Name: 7 }],
    [50, 'neither document nor e-mail', { OriginalId: 'c2', Name: 'X' }],
    [
      51,
      'a document with other characters than letters and digits',
      {
        ...robin,
        OriginalId: 'c2',
        Email: 'x@example.com',
        Document: 'AB-12',
      },
    ],
  ])('are refused with %i: %s', async (code, _, customer) => {
    expect(codeOf(await buy(customer as Customer))).toBe(code);
    expect(world.sandbox.state().customers).toEqual([]);
  });

  it.each<[number, string, Customer | Record<string, unknown>]>([
    [41, 'a known one that cannot be stored', { ...robin, Name: 7 }],
    [72, 'another birthday than before', { ...robin, BirthdayDate: '1991-05-01T00:00:00Z' }],
    [118, "another customer's e-mail", { ...robin, OriginalId: 'c2', Document: 'CD34' }],
    [119, "another customer's document", { ...robin, OriginalId: 'c2', Email: 'two@example.com' }],
  ])('are refused with %i: %s', async (code, _, customer) => {
    await buy(robin);
    expect(codeOf(await buy(customer as Customer))).toBe(code);
    expect(world.sandbox.state().orders).toHaveLength(1);
  });

  it('earn nothing, and change no cashback (69), while they are not enrolled', async () => {
    await buy({ ...robin, IsEnrolled: false }, 100);
    expect(world.sandbox.state().customers).toMatchObject([{ points: 0 }]);
    const change = { Value: 1, OperationType: 1, Reason: 'goodwill', ChangeKey: 'k' } as const;
    expect(codeOf(await world.client.changeCashback('c1', change))).toBe(69);
  });
});

describe('the other readings', () => {
  it('OperationType 1 adds where the service says so', async () => {
    await buy(robin, 100);
    const change = { Value: 2, OperationType: 1, Reason: 'goodwill', ChangeKey: 'k1' } as const;
    expect(unwrap(await world.client.changeCashback('c1', change)).CashbackBalance).toBe(7);
    const back = { ...change, OperationType: 0, ChangeKey: 'k2' } as const;
    expect(unwrap(await world.client.changeCashback('c1', back)).CashbackBalance).toBe(5);
  });

  it('a coupon without a customer is refused with 55 where one is asked for', async () => {
    const coupon = { OriginalId: 'k', CouponCode: 'K', CouponType: 0, CouponValue: 1 } as const;
    expect(codeOf(await world.client.createCoupon(coupon))).toBe(55);
  });

  it.each([
    [
      106,
      'too few options',
      [
        { QuizQuestionId: 11, OptionIds: [] },
        { QuizQuestionId: 12, OpenAnswer: 'x' },
      ],
    ],
    [
      108,
      'more answers than questions',
      Array.from({ length: 40 }, () => ({ QuizQuestionId: 11, OptionIds: [101] })),
    ],
  ])('a quiz answered with %i: %s', async (code, _, answers) => {
    await buy(robin);
    expect(codeOf(await world.client.answerQuiz({ customerId: 'c1' }, answers))).toBe(code);
  });
});
