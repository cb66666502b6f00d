import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import type { PartialSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { startSandbox } from './start-sandbox.ts';

/*
 * A till as the service's own sample client is described: in what it sends, in which order, and in what it takes
 * for a failure. It knows only the service's documentation: nothing of our client, and no type of our contract.
 */

// biome-ignore lint/suspicious/noExplicitAny: the fields are those of the documentation.
type Answer = any;

interface Access {
  readonly address: string;
  readonly credentials: { readonly token: string; readonly key: string };
}

interface Line {
  readonly id: string;
  readonly title: string;
  /** Of the whole line, before the reward. */
  readonly price: number;
}

interface Sale {
  readonly number: string;
  readonly customer: {
    /** How operations of the till name the customer: e-mail address or document. */
    readonly id: string;
    /** In the till's own books. */
    readonly ownId: string;
    readonly Name?: string;
    readonly Email?: string;
    /** What the customer says when the service does not know how to reach them. */
    readonly tells?: { readonly Phone?: string; readonly Email?: string };
    /** Reads out the code of the message. */
    readonly readPin: () => string | Promise<string>;
  };
  readonly lines: readonly Line[];
  /** Percent off, or nothing. */
  readonly wants?: (reward: Answer) => boolean;
}

const TRIES = 3;
const cents = (amount: number) => Math.round(amount * 100);
const sum = (amounts: readonly number[]) =>
  amounts.reduce((total, amount) => total + cents(amount), 0) / 100;

function createSampleTill({ address, credentials }: Access) {
  const authorization = `Basic ${btoa(`${credentials.token}:${credentials.key}`)}`;

  async function send(method: string, path: string, body?: object): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await fetch(`${address}/v1/pvt${path}`, {
          method,
          headers: { authorization, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        if (response.status < 500 || tries === TRIES) return response;
      } catch (error) {
        if (tries === TRIES) throw error;
      }
    }
  }

  async function ask(method: string, path: string, body?: object): Promise<Answer> {
    const response = await send(method, path, body);
    const answer: Answer = await response.json();
    const failed =
      response.status >= 400 || answer.HasError || answer.Severity === 2 || answer.Result === null;
    if (failed) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer.Result ?? answer;
  }

  /** The customer shows that they are present. The answer's `Code` is left alone. */
  async function challenge({ number: TransactionId, customer }: Sale): Promise<void> {
    const path = `/POS/customers/${encodeURIComponent(customer.id)}`;
    let started = await ask('POST', `${path}/challenge`, { TransactionId });
    if (!started.Success && (started.ShouldInformPhone || started.ShouldInformEmail)) {
      const told = { TransactionId, ...customer.tells };
      started = await ask('POST', `${path}/challenge`, told);
    }
    if (!started.Success) throw new Error(started.FriendlyErrorMessage);
    const Code = await customer.readPin();
    const passed = await ask('POST', `${path}/challengevalidate`, { TransactionId, Code });
    if (!passed.Success) throw new Error(passed.FriendlyErrorMessage);
  }

  const available = ({ customer, lines }: Sale): Promise<Answer> =>
    ask('POST', '/POS/rewards/available', {
      CustomerId: customer.id,
      PurchaseValue: sum(lines.map(({ price }) => price)),
      DiscountValue: 0,
      Products: lines.map(({ id, title, price }, n) => ({
        ...{ OriginalId: id, LineId: String(n), Title: title },
        ...{ Quantity: 1, ProductPrice: price, IsActive: true },
      })),
    });

  return {
    ask,

    /** From the customer's rewards to the booked order. */
    async sell(sale: Sale) {
      const { number, customer, lines, wants } = sale;
      let offer = await available(sale);
      if (offer.ShouldValidateCustomerSignup) {
        await challenge(sale);
        offer = await available(sale);
      }
      const reward = offer.HasRewards && wants ? offer.Rewards.find(wants) : undefined;
      if (reward && offer.ShouldValidateCustomer) await challenge(sale);
      const redeemed = reward
        ? await ask('POST', `/POS/rewards/${reward.Id}/redeem`, {
            ...{ CustomerId: customer.id, OriginalKey: number, RedeemOrigin: 5 },
          })
        : undefined;
      const percentOff = reward?.Value ?? 0;
      // Of each line, to the cent, so that the products add up to what was paid.
      const products = lines.map(({ id, title, price }) => ({
        ...{ OriginalId: id, Title: title },
        ProductPrice: cents((price * (100 - percentOff)) / 100) / 100,
      }));
      const at = new Date().toISOString();
      const booked = await ask('POST', '/POS/orders', {
        OriginalId: number,
        OrderPlacementDate: at,
        OrderCompletedDate: at,
        UpdatedDate: at,
        OrderStatus: 'sold',
        IsCompleted: true,
        IsCancelledOrReturned: false,
        OrderTotal: sum(products.map(({ ProductPrice }) => ProductPrice)),
        Customer: {
          OriginalId: customer.ownId,
          Name: customer.Name,
          Email: customer.Email,
          // As received: an answer without it un-enrols the member.
          IsEnrolled: offer.Customer?.IsEnrolled ?? false,
        },
        Products: products,
        Branch: { OriginalId: 'b1', Name: 'Harbour Street' },
        SalesPerson: { OriginalId: 's1', Name: 'Alex Sample' },
        ...(redeemed && { Coupon: redeemed.ExternalCode }),
      });
      return { offer, redeemed, booked };
    },

    /** Null: the part was taken back. Otherwise the service's reason, in an answer that reports no error. */
    async refund(number: string, CancelKey: string, lines: readonly Line[]): Promise<Answer> {
      const Products = lines.map(({ id, price }) => ({ OriginalId: id, ValueToRefund: price }));
      const ValueToRefund = sum(lines.map(({ price }) => price));
      const body = { ValueToRefund, CancelKey, Products };
      const { RefundErrorDetails } = await ask('POST', `/POS/${number}/partialcancel`, body);
      return RefundErrorDetails;
    },

    async cancel(number: string): Promise<void> {
      const body = { OrderCancelledDate: new Date().toISOString(), OrderStatus: 'returned' };
      const { isCanceled } = await ask('POST', `/POS/orders/${number}/cancel`, body);
      if (isCanceled !== true) throw new Error(`${number} is not cancelled`);
    },

    balance: async (id: string): Promise<number> =>
      (await ask('GET', `/Customer/${encodeURIComponent(id)}/points`)).PointsBalance,
  };
}

const EMAIL = 'kim.sample@example.com';
const PHONE = '+55 11 5550 0100';
const shirt: Line = { id: 'p1', title: 'Shirt', price: 279.5 };
const socks: Line = { id: 'p2', title: 'Socks', price: 20.5 };
const isPercent = ({ RewardType, CanUse }: { RewardType: number; CanUse: boolean }) =>
  RewardType === 0 && CanUse;

let sandbox: LoyaltySandbox;
let till: ReturnType<typeof createSampleTill>;

async function open(settings: PartialSettings = {}) {
  sandbox = await startSandbox({
    settings: { challenge: 'enforced', posCustomerId: 'email-or-document', ...settings },
  });
  till = createSampleTill(sandbox);
}
beforeEach(() => open());
afterEach(() => sandbox.stop());

/** The message that the customer got last: nothing else tells a PIN. */
const readPin = () => sandbox.state().challenges.at(-1)?.pin ?? '';
const kim = { id: EMAIL, ownId: 'till-1', Name: 'Kim Sample', Email: EMAIL, readPin };
const sale = (number: string, more: Partial<Sale> = {}): Sale => ({
  ...{ number, customer: kim, lines: [shirt, socks] },
  ...more,
});

/** Kim is a member with 300 points. */
async function enrol(IsEnrolled = true) {
  const at = '2026-10-05T09:00:00Z';
  await till.ask('POST', '/POS/orders', {
    ...{ OriginalId: 'sale-0', OrderPlacementDate: at, OrderCompletedDate: at, IsCompleted: true },
    OrderTotal: 300,
    Customer: { OriginalId: kim.ownId, Name: kim.Name, Email: EMAIL, IsEnrolled },
  });
}

describe('a till as the service publishes it', () => {
  it('books a sale with a reward, takes a part of it back once, and cancels it', async () => {
    await enrol();
    const { offer, redeemed, booked } = await till.sell(sale('sale-1', { wants: isPercent }));
    expect(offer).toMatchObject({ ShouldValidateCustomer: true, Customer: { IsEnrolled: true } });
    expect(redeemed).toMatchObject({ OriginalKey: 'sale-1', Point: { Quantity: -200 } });
    expect(booked).toMatchObject({
      OrderTotal: 270,
      Coupon: redeemed.ExternalCode,
      Branch: { OriginalId: 'b1' },
      TenantSalesman: { OriginalId: 's1' },
      EstimatedBonus: { EstimatedPoints: 270, EstimatedCashbackFormatted: 'R$13.50' },
    });
    expect(booked.OrderCompletedDate).toBe(booked.OrderPlacementDate);
    expect(await till.balance(EMAIL)).toBe(100 + 270);
    const read = await till.ask('GET', '/Order/sale-1');
    expect(read).toMatchObject({ State: 2, Origin: 1, Reward: { Id: redeemed.RewardId } });

    const part = [{ ...socks, price: 18.45 }];
    expect(await till.refund('sale-1', 'refund-1', part)).toBeNull();
    expect(await till.balance(EMAIL)).toBe(351.55);
    expect(await till.refund('sale-1', 'refund-1', part)).toMatchObject({ Field: 'CancelKey' });
    expect(await till.balance(EMAIL)).toBe(351.55);

    await till.cancel('sale-1');
    expect(await till.balance(EMAIL)).toBe(100);
    const back = await till.ask('DELETE', `/POS/rewards/${redeemed.RewardId}`);
    expect(back).toMatchObject({ IsCanceled: true });
    expect(await till.balance(EMAIL)).toBe(300);
  });

  it('signs a newcomer up by the challenge, and books their first sale', async () => {
    const newcomer = {
      ...{ id: '12345678909', ownId: '12345678909', Name: 'New Sample', readPin },
      tells: { Phone: PHONE },
    };
    const { offer, booked } = await till.sell(sale('sale-1', { customer: newcomer }));
    expect(offer.Customer).toMatchObject({ IsEnrolled: true, Document: newcomer.id, Phone: PHONE });
    expect(booked.Customer).toMatchObject({ IsEnrolled: true, Name: 'New Sample' });
    const points = await till.ask('POST', `/POS/rewards/available`, { CustomerId: newcomer.id });
    expect(points.AvailablePoints).toBe(300);
    const starts = sandbox.journal.entries({ operation: 'startChallenge' });
    expect(starts.map(({ body }) => body)).toEqual([
      { TransactionId: 'sale-1' },
      { TransactionId: 'sale-1', Phone: PHONE },
    ]);
  });

  it('redeems and books once when answers are lost: it repeats under the same key', async () => {
    await enrol();
    const repeated = ['redeemRewardByKey', 'sendOrder', 'partiallyCancelPosOrder'] as const;
    for (const operation of repeated) {
      sandbox.faults.add({ kind: 'reset-after', operation, count: 1 });
      sandbox.faults.add({ kind: 'http-503', operation, count: 1 });
    }
    await till.sell(sale('sale-1', { wants: isPercent }));
    expect(await till.balance(EMAIL)).toBe(370);
    // The first attempt was carried out: the answer to the last says so.
    const part = [{ ...shirt, price: 251.55 }];
    expect(await till.refund('sale-1', 'refund-1', part)).toMatchObject({ Field: 'CancelKey' });
    expect(await till.balance(EMAIL)).toBe(118.45);
  });
});
