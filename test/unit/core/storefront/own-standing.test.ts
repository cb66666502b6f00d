import { beforeEach, describe, expect, it } from 'vitest';
import { TIME_OUT } from '../../../fixtures/service-answers.ts';
import { SHOP, serveInProcess } from '../../../support/served-storefront.ts';

let shop: ReturnType<typeof serveInProcess>;
beforeEach(() => {
  shop = serveInProcess();
});

const standing = async () => (await shop.ask('me', { customerId: '7' })).json;

describe('what a shopper sees of the own standing', () => {
  it('is what point events reported and the service confirms, and the tier with the way to the next', async () => {
    await shop.enroll('7', 250);
    await shop.remember('7', '250', '2.5', 'Old name');
    const { status, json, headers } = await shop.ask('me', { customerId: '7' });
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('private, no-store');
    expect(json).toEqual({
      points: 250,
      cashback: 2.5,
      asOf: '2026-10-09T12:00:00.000Z',
      expiring: null,
      tier: {
        name: expect.any(String),
        color: expect.stringMatching(/^#/),
        next: {
          name: expect.any(String),
          goals: [
            { name: 'Points earned', value: 250, goal: 500, percent: 50 },
            { name: 'Completed orders', value: 1, goal: 3, percent: 33 },
          ],
        },
      },
    });
  });

  it('is unknown, and no error, before anything is known', async () => {
    const { status, json } = await shop.ask('me', { customerId: '7' });
    expect(status).toBe(200);
    const nothing = { points: null, cashback: null, asOf: null, expiring: null, tier: null };
    expect(json).toEqual(nothing);
    expect(shop.requested).toEqual([]);
  });

  it('is what the service says for a customer whom the ledger does not know, and the worker is asked to write it', async () => {
    await shop.enroll('7', 250);
    for (const _ of ['first page', 'second page']) {
      expect(await standing()).toMatchObject({ points: 250, asOf: '2026-10-09T12:00:00.000Z' });
    }
    expect(shop.calls('getCustomerPoints')).toBe(1);
    const asked = { kind: 'balance', topic: 'visit', shop: SHOP, id: '7' };
    const delivery = {
      deliveryId: 'visit/7/2026-10-09T12',
      receivedAt: '2026-10-09T12:00:00.000Z',
    };
    expect(shop.requested).toEqual([{ ...asked, ...delivery }]);
  });

  it('names the points that expire next, until they have expired', async () => {
    const expiring = { points: '15.5', at: '2026-10-09T12:10:00Z' };
    await shop.remember('7', '40', '0', null, { expiring, readAt: shop.clock.ms });
    expect((await standing()).expiring).toEqual({ points: 15.5, at: expiring.at });
    expect(shop.requested).toEqual([]);
    shop.clock.ms += 600_000;
    expect((await standing()).expiring).toBeNull();
  });

  it('is read again for a visitor whose balance was not read for a day, once in an hour', async () => {
    await shop.remember('7', '40', '0', null, { readAt: shop.clock.ms });
    shop.clock.ms += 86_400_001;
    for (const _ of ['first page', 'second page']) await standing();
    expect(shop.requested).toHaveLength(1);
    shop.clock.ms += 3_600_000;
    await standing();
    expect(shop.requested).toHaveLength(2);
    expect(shop.calls('getCustomerPoints')).toBe(0);
  });

  it('is shown though the queue does not take the request', async () => {
    shop.parts.queueFails = true;
    await shop.remember('7', '40', '0');
    expect(await standing()).toMatchObject({ points: 40 });
  });

  it('has the way to the next tier soon after the first points', async () => {
    expect(await standing()).toMatchObject({ points: null, tier: null });
    await shop.enroll('7', 250);
    await shop.remember('7', '250', '0', 'Bronze');
    expect((await standing()).tier.next).not.toBeNull();
  });

  it('has the tier last known while the service is away', async () => {
    await shop.remember('7', '10', '0', 'Silver');
    shop.loyalty.world.interfere = () => TIME_OUT;
    const { status, json } = await shop.ask('me', { customerId: '7' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ points: 10, tier: { name: 'Silver', color: null, next: null } });
  });

  it('asks the service once for the pages of five minutes, for each customer on their own', async () => {
    for (const customerId of ['7', '7', '8', '7']) await shop.ask('me', { customerId });
    expect(shop.calls('listTiers')).toBe(2);
    shop.clock.ms += 300_000;
    await standing();
    expect(shop.calls('listTiers')).toBe(3);
  });
});
