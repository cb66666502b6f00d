import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import type { PartialSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { createSampleTill, type Line, type Sale } from '../../support/sample-till.ts';
import { startSandbox } from './start-sandbox.ts';

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
