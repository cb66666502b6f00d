import { describe, expect, it } from 'vitest';
import { defaultCatalog } from '../../../local/loyalty-sandbox/catalog.ts';
import {
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
  type Sandbox,
} from '../../support/sandbox-program.ts';

/** What the service documents about the fields of requests and answers. Rules: documented-facts. */

const EMAIL = 'robin.sample@example.com';
const order = { orderId: 'o1' };
const redemption = { CustomerId: EMAIL, OriginalKey: 'k' };
const redeem = (sandbox: Sandbox, id: string, body: object = {}) =>
  sandbox.call('redeemRewardByKey', { path: { id }, body: { ...redemption, ...body } }).Result;

describe('conventions', () => {
  it('orders, redeemed rewards, points, available rewards and the challenge come without an envelope', () => {
    const sandbox = openSandboxWithPoints(500);
    sandbox.call('sendOrder', { body: makeOrder() });
    const id = String(redeem(sandbox, '2')?.RewardId);
    const bare = [
      sandbox.call('getOrder', { path: order }),
      sandbox.call('getRedeemedReward', { path: { id } }),
      sandbox.call('getCustomerPoints', { path: { id: 'c1' } }),
      sandbox.call('listAvailableRewards', { body: { CustomerId: EMAIL } }),
      sandbox.call('startChallenge', { path: { id: EMAIL }, body: { TransactionId: 'sale' } }),
    ];
    for (const answer of bare) {
      expect(answer).not.toHaveProperty('Result');
      expect(answer).not.toHaveProperty('HasError');
    }
  });

  it('dates are in UTC or name their offset', () => {
    const sandbox = openSandbox();
    const send = (OrderCompletedDate: string) =>
      codeOf(sandbox.call('sendOrder', { body: makeOrder({ OrderCompletedDate }) }));
    expect(send('2026-10-05T09:00:01Z')).toBeUndefined();
    expect(send('2026-10-05T06:00:01-03:00')).toBeUndefined();
    // The same clock time, but an hour before the order was placed.
    expect(send('2026-10-05T09:00:01+01:00')).toBe(12);
  });

  it('reports count pages from 1 and have 10 items', () => {
    const sandbox = openSandbox();
    for (let n = 0; n < 12; n += 1) {
      const Customer = makeCustomer({ OriginalId: `c${n}`, Email: `c${n}@example.com` });
      sandbox.call('sendOrder', { body: makeOrder({ OriginalId: `o${n}`, Customer }) });
    }
    const report = (query: Record<string, string>) =>
      sandbox.call('listCustomersReport', { query });
    expect(report({})).toMatchObject({ PageNumber: 1, PageSize: 10, HasNextPage: true });
    expect(report({ pageNumber: '2' }).Items?.map(({ OriginalId }) => OriginalId)).toEqual([
      'c10',
      'c11',
    ]);
    expect(codeOf(report({ pageNumber: '0' }))).toBe(45);
  });
});

describe('orders', () => {
  it('OrderStatus is informative: the flags alone decide', () => {
    const sandbox = openSandbox();
    const open = { IsCompleted: false, OrderCompletedDate: null };
    sandbox.call('sendOrder', { body: makeOrder({ ...open, OrderStatus: 'completed' }) });
    const read = () => sandbox.call('getOrder', { path: order });
    expect(read()).toMatchObject({ State: 1, OrderStatus: 'completed' });
    sandbox.call('sendOrder', { body: makeOrder({ OrderStatus: 'cancelled' }) });
    expect(read()).toMatchObject({ State: 2, OrderStatus: 'cancelled' });
  });

  it('products may carry a category, and payments come as a list beside PaymentMethod', () => {
    const Products = [
      {
        OriginalId: 'p1',
        Title: 'Shirt',
        ProductPrice: 100,
        ProductCategory: { OriginalId: 'k1', Name: 'Clothes' },
      },
    ];
    const PaymentMethods = [{ OriginalId: 'visa', Name: 'Visa', PaidAmount: 100 }];
    const body = makeOrder({ Products, PaymentMethods, PaymentMethod: { OriginalId: 'visa' } });
    const answer = openSandbox().call('sendOrder', { body });
    expect(answer).toMatchObject({ HasError: false, Result: { Products: [{ OriginalId: 'p1' }] } });
  });

  it('complete answers with IsCompleted, UpdatedAt and Status', () => {
    const sandbox = openSandbox();
    const open = { IsCompleted: false, OrderCompletedDate: null };
    sandbox.call('sendOrder', { body: makeOrder(open) });
    const body = { OrderCompletedDate: '2026-10-06T09:00:00Z', OrderStatus: 'delivered' };
    expect(sandbox.call('completeOrder', { path: order, body }).Result).toEqual({
      IsCompleted: true,
      UpdatedAt: sandbox.clock.now.toISOString(),
      Status: 2,
    });
  });

  it('isCanceled of a partial cancel may be false on success', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder() });
    const cancel = (ValueToRefund: number, CancelKey: string) =>
      sandbox.call('partiallyCancelOrder', { path: order, body: { ValueToRefund, CancelKey } })
        .Result;
    expect(cancel(40, 'k1')).toMatchObject({ isCanceled: false, RefundErrorDetails: null });
    expect(cancel(60, 'k2')).toMatchObject({ isCanceled: true, RefundErrorDetails: null });
  });
});

describe('customers', () => {
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

  it('may be sent with nulls: only OriginalId is required', () => {
    const sandbox = openSandbox({ settings: { requireDocumentOrEmail: false } });
    const nothing = { Email: null, Phone: null, BirthdayDate: null, SignupDate: null };
    const body = { OriginalId: 'c1', Name: 'Robin', ...nothing, Document: null };
    expect(sandbox.call('upsertCustomer', { body }).Result).toMatchObject({ OriginalId: 'c1' });
    expect(codeOf(sandbox.call('upsertCustomer', { body: { Name: 'Robin' } }))).toBeDefined();
  });

  it('are enrolled since EnrolledDate, or since their first order was placed', () => {
    const sandbox = openSandbox();
    const enrolled = (body: object) => sandbox.call('sendOrder', { body }).Result?.Customer;
    expect(enrolled(makeOrder())?.EnrolledDate).toBe('2026-10-05T09:00:00Z');
    const EnrolledDate = '2026-01-02T00:00:00Z';
    const Customer = makeCustomer({ OriginalId: 'c2', EnrolledDate });
    expect(enrolled(makeOrder({ OriginalId: 'o2', Customer }))?.EnrolledDate).toBe(EnrolledDate);
  });

  it('change their status only for a reason', () => {
    const sandbox = openSandboxWithPoints(100);
    const asked = { path: { originalId: 'c1' }, body: { IsEnabled: false, Reason: ' ' } };
    expect(codeOf(sandbox.call('changeCustomerStatus', asked))).toBe(67);
  });
});

describe('points', () => {
  it('PointHistory says what a record is, where it comes from and whether it was cancelled', () => {
    const sandbox = openSandboxWithPoints(100);
    const answer = sandbox.call('getCustomerPoints', { path: { id: 'c1' } });
    const [record] = 'PointHistory' in answer ? (answer.PointHistory ?? []) : [];
    expect(record).toMatchObject({
      Amount: 100,
      IsCanceled: false,
      OrderOriginDescription: expect.any(String),
      PointType: expect.any(Number),
      PointTypeDescription: expect.any(String),
    });
  });

  it('product points have no cashback while the cashback reward is off', () => {
    const body = [{ Id: 'p1', Price: 20 }];
    const estimate = (sandbox: Sandbox) => sandbox.call('calculateProductPoints', { body }).Result;
    expect(estimate(openSandbox())).toEqual([{ Id: 'p1', Points: 20, Cashback: 1 }]);
    const without = openSandbox({ catalog: { rewards: [] } });
    expect(estimate(without)).toEqual([{ Id: 'p1', Points: 20, Cashback: null }]);
  });

  it.each([
    ['store-id', 'c1'],
    ['null', null],
    ['email', EMAIL],
    ['document', '123.456-7'],
  ] as const)('an event names its customer with the %s in Id', (eventCustomerId, Id) => {
    const sandbox = openSandbox({ settings: { eventCustomerId } });
    const Customer = makeCustomer({ Document: '123.456-7', Phone: '+49 30 1' });
    sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
    const [event] = sandbox.takeEvents();
    expect(event?.payload.Customer).toMatchObject({
      Id,
      Email: EMAIL,
      Name: 'Robin Sample',
      Phone: '+49 30 1',
      Document: '123.456-7',
      BirthdayDate: null,
      PointsBalance: expect.any(Number),
    });
  });
});

describe('rewards and redemptions', () => {
  it('available rewards come with the customer’s tier, points, cashback and what the cart allows', () => {
    const sandbox = openSandboxWithPoints(300);
    const body = { CustomerId: EMAIL, PurchaseValue: 60, DiscountValue: 10 };
    expect(sandbox.call('listAvailableRewards', { body })).toMatchObject({
      Customer: { Id: 1, IsEnrolled: true, CurrentTier: { Name: expect.any(String) } },
      HasRewards: true,
      AvailablePoints: 300,
      CashbackEnabled: true,
      AvailableCashback: 15,
      MaxCashbackForCurrentPurchase: 15,
      EligibleValue: 50,
      Rewards: expect.arrayContaining([
        expect.objectContaining({ Id: 8, IsCashback: true, CanSelectValue: true, CanUse: true }),
      ]),
    });
  });

  it('a free gift needs no product in the cart, other product rewards do', () => {
    const gift = (mode: 'free-gift' | 'amount-off' | 'final-price' | 'percent') => {
      const rewards = defaultCatalog.rewards.flatMap((reward) =>
        reward.product ? [{ ...reward, product: { ...reward.product, mode } }] : [],
      );
      const sandbox = openSandboxWithPoints(300, { catalog: { rewards } });
      const body = { CustomerId: EMAIL, PurchaseValue: 60 };
      const answer = sandbox.call('listAvailableRewards', { body });
      const [reward] = 'Rewards' in answer ? (answer.Rewards ?? []) : [];
      return [reward?.ProductDiscountMode, reward?.CannotUseReason];
    };
    expect(gift('percent')).toEqual([0, 9]);
    expect(gift('final-price')).toEqual([1, 9]);
    expect(gift('free-gift')).toEqual([2, 0]);
    expect(gift('amount-off')).toEqual([3, 9]);
  });

  it('Value or Points choose an amount for cashback rewards only', () => {
    const sandbox = openSandboxWithPoints(1000);
    const spent = (id: string, body: object) => redeem(sandbox, id, body)?.Point?.Quantity;
    expect(spent('8', { OriginalKey: 'k1', Value: 10 })).toBe(-200);
    expect(spent('8', { OriginalKey: 'k2', Points: 100 })).toBe(-100);
    expect(spent('1', { OriginalKey: 'k3', Value: 10 })).toBe(-100);
  });

  it('a redeemed reward is read with its customer, code, value, date and points', () => {
    const sandbox = openSandboxWithPoints(500);
    const result = redeem(sandbox, '1');
    const path = { id: String(result?.RewardId) };
    expect(sandbox.call('getRedeemedReward', { path })).toEqual({
      Id: result?.RewardId,
      Customer: { OriginalId: 'c1', Email: EMAIL },
      ExternalCode: result?.ExternalCode,
      CashValue: 5,
      IsCanceled: false,
      RedeemDate: sandbox.clock.now.toISOString(),
      Points: { Id: result?.Point?.PointId, Points: -100, Type: 3, EventKey: 'k' },
    });
  });

  it('updatemetadata finds a redemption by its OriginalKey and answers with its result', () => {
    const sandbox = openSandboxWithPoints(500);
    const Metadatas = [{ Name: 'from', Value: 'store' }];
    const result = redeem(sandbox, '2', { Metadatas });
    expect(result?.Point?.Metadatas).toEqual(Metadatas);
    const body = { OriginalKey: 'k', Metadatas: [] };
    expect(sandbox.call('updateRewardMetadata', { body }).Result).toEqual(result);
    const other = { ...body, OriginalKey: 'unknown' };
    expect(codeOf(sandbox.call('updateRewardMetadata', { body: other }))).toBe(87);
  });
});
