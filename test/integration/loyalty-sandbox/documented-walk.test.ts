import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { startSandbox } from './start-sandbox.ts';

/*
 * A till that knows only the service's documentation: nothing of our client is used here. It follows
 * the service's sample client in what it takes for a failure.
 */

let sandbox: LoyaltySandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    settings: { challenge: 'enforced', posCustomerId: 'email-or-document' },
  });
});
afterAll(() => sandbox.stop());

// biome-ignore lint/suspicious/noExplicitAny: the fields are those of the documentation.
type Answer = any;

async function ask(method: string, path: string, body?: object): Promise<Answer> {
  const { token, key } = sandbox.credentials;
  const response = await fetch(`${sandbox.address}/v1/pvt${path}`, {
    method,
    headers: {
      authorization: `Basic ${btoa(`${token}:${key}`)}`,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: Answer = await response.json();
  const failed =
    response.status >= 400 || answer.HasError || answer.Severity === 2 || answer.Result === null;
  if (failed) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer.Result ?? answer;
}

const EMAIL = 'kim.sample@example.com';
const purchase = (OriginalId: string, OrderTotal: number, more: object = {}) => ({
  OriginalId,
  OrderPlacementDate: '2026-10-05T09:00:00Z',
  OrderCompletedDate: '2026-10-05T09:00:01Z',
  OrderStatus: 'sold',
  IsCompleted: true,
  OrderTotal,
  Customer: { OriginalId: 'till-1', Name: 'Kim Sample', Email: EMAIL, IsEnrolled: true },
  Products: [
    { OriginalId: 'p1', Title: 'Shirt', ProductPrice: OrderTotal - 20.5 },
    { OriginalId: 'p2', Title: 'Socks', ProductPrice: 20.5 },
  ],
  ...more,
});
const balance = async () => (await ask('GET', `/Customer/${EMAIL}/points`)).PointsBalance;

describe('a till written from the documentation', () => {
  it('walks from available rewards over challenge, redeem and order to partial cancel and cancel', async () => {
    await ask('POST', '/POS/orders', purchase('sale-1', 300));
    expect(await balance()).toBe(300);

    const cart = { CustomerId: EMAIL, PurchaseValue: 120.5, DiscountValue: 0, Products: [] };
    const offer = await ask('POST', '/POS/rewards/available', cart);
    expect(offer).toMatchObject({ HasRewards: true, ShouldValidateCustomer: true });
    const reward = offer.Rewards.find((one: Answer) => one.RewardType === 0 && one.CanUse);
    expect(reward).toMatchObject({ Title: '10 percent off', Points: 200, CannotUseReason: 0 });

    const redemption = { CustomerId: EMAIL, OriginalKey: 'till-1/42', RedeemOrigin: 5 };
    const redeem = () => ask('POST', `/POS/rewards/${reward.Id}/redeem`, redemption);
    await expect(redeem()).rejects.toThrow('47');
    await ask('POST', `/POS/customers/${EMAIL}/challenge`);
    // The customer reads the PIN in the e-mail; here it stands on the page.
    const page = await (await fetch(`${sandbox.address}/state`)).text();
    const state: Answer = await (await fetch(`${sandbox.address}/sandbox/state`)).json();
    const Code = state.challenges[0].pin;
    expect(page).toContain(Code);
    const validated = await ask('POST', `/POS/customers/${EMAIL}/challengevalidate`, { Code });
    expect(validated).toMatchObject({ Success: true });

    const redeemed = await redeem();
    expect(redeemed).toMatchObject({ OriginalKey: 'till-1/42', Point: { Quantity: -200 } });
    // The answer was lost, says the till, and asks again.
    expect(await redeem()).toEqual(redeemed);
    expect(await balance()).toBe(100);

    const sale = purchase('sale-2', 108.45, { Coupon: redeemed.ExternalCode });
    await ask('POST', '/POS/orders', sale);
    expect(await balance()).toBe(208.45);
    const read = await ask('GET', '/Order/sale-2');
    expect(read).toMatchObject({ State: 2, Origin: 1, Reward: { Id: redeemed.RewardId } });

    const part = {
      ValueToRefund: 20.5,
      CancelKey: 'refund-1',
      Products: [{ OriginalId: 'p2', ValueToRefund: 20.5 }],
    };
    const refunded = await ask('POST', '/POS/sale-2/partialcancel', part);
    expect(refunded.RefundErrorDetails).toBeNull();
    expect(await balance()).toBe(187.95);
    const again = await ask('POST', '/POS/sale-2/partialcancel', part);
    expect(again.RefundErrorDetails).not.toBeNull();
    expect(await balance()).toBe(187.95);

    const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'returned' };
    const cancelled = await ask('POST', '/POS/orders/sale-2/cancel', cancellation);
    expect(cancelled).toMatchObject({ isCanceled: true, Status: 3 });
    expect(await balance()).toBe(100);

    const back = await ask('DELETE', `/POS/rewards/${redeemed.RewardId}`);
    expect(back).toMatchObject({ IsCanceled: true });
    expect(await balance()).toBe(300);
    await expect(ask('DELETE', '/POS/rewards?OriginalKey=till-1/42')).rejects.toThrow('74');
  });

  it('gets the points of a sale after the waiting days, and time passes on request', async () => {
    const waiting = await startSandbox({ settings: { daysToWaitToGrantPoints: 2 } });
    const before = sandbox;
    sandbox = waiting;
    try {
      await ask('POST', '/POS/orders', purchase('sale-1', 100));
      expect(await balance()).toBe(0);
      const response = await fetch(`${waiting.address}/sandbox/time`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"hours":48}',
      });
      expect(response.status).toBe(200);
      expect(waiting.events.all()).toMatchObject([{ topic: 'Point_Add' }]);
      expect(await balance()).toBe(100);
    } finally {
      sandbox = before;
      await waiting.stop();
    }
  });
});
