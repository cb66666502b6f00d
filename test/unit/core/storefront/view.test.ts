import { describe, expect, it } from 'vitest';
import type { View as PageView } from '../../../../app/program/answers.ts';
import type { Redemption } from '../../../../shared/core/redemptions/redemption.ts';
import { rememberBook } from '../../../../shared/core/redemptions/redemption-record.ts';
import type { View } from '../../../../shared/core/storefront/read-view.ts';
import { answerOf, TIME_OUT } from '../../../fixtures/service-answers.ts';
import { SHOP, serveInProcess } from '../../../support/served-storefront.ts';

type Served = ReturnType<typeof serveInProcess>;

const CART = { items: '11:100:1' };

async function look(shop: Served, customerId = '7', own = CART): Promise<View> {
  const { status, json } = await shop.ask('view', { customerId, own });
  expect(status).toBe(200);
  // The pages read just these fields.
  return json satisfies PageView;
}

const rewardIn = ({ rewards }: View, id: number) => rewards?.find((one) => one.id === id);
const operations = (shop: Served, from: number) =>
  shop.loyalty.journal
    .slice(from)
    .map(({ operation }) => operation)
    .toSorted();

/** A customer with 300 points in the service, of which the ledger knows. */
async function open(known = '300') {
  const shop = serveInProcess();
  await shop.enroll('7', 300);
  await shop.remember('7', known, '15', 'Bronze', { readAt: shop.clock.ms });
  return shop;
}

async function write(shop: Served, state: Redemption['state'], revision?: number): Promise<void> {
  const at = new Date(shop.clock.ms).toISOString();
  const terms = { title: '3 off', points: 50, kind: 'fixed', value: 3, combines: false } as const;
  const redemption = {
    ...{ id: 'R3', rewardId: 3, clientKeys: [], intendedAt: at, since: at, state },
    terms: { ...terms, codePrefix: '', limited: false },
  };
  const entry = { version: 1, uncertain: false, outcomes: [] };
  await shop.parts.ledger.write(
    { shop: SHOP, kind: 'redemption', id: '7' },
    { ...entry, remembered: rememberBook({ redemptions: [redemption], intents: [] }) },
    revision,
  );
}

const CODE = {
  code: 'THREE-1',
  kind: 'fixed',
  value: 3,
  startsAt: '2026-10-09T00:00:00Z',
} as const;

describe('a view', () => {
  it('has the points that its rewards were judged by, although the ledger knows an older balance', async () => {
    const shop = await open('394');
    const view = await look(shop);
    expect(view).toMatchObject({ points: 300, cashback: 15, asOf: '2026-10-09T12:00:00.000Z' });
    expect(rewardIn(view, 2)?.redeemable).toBe(true);
    expect(view.tier?.next?.goals[0]).toMatchObject({ value: 300, goal: 500 });
  });

  it('shows a change that no event has reported yet, in all that it says', async () => {
    const shop = await open();
    await look(shop);
    await shop.loyalty.client.sendOrder({
      ...{ OriginalId: 'second', IsCompleted: true, OrderTotal: 100 },
      OrderPlacementDate: '2026-10-03T09:00:00Z',
      OrderCompletedDate: '2026-10-04T09:00:00Z',
      Customer: { OriginalId: '7', Name: 'Name 7', Email: '7@example.com' },
    });
    const view = await look(shop);
    expect(view.points).toBe(400);
    expect(view.tier?.next?.goals[0]).toMatchObject({ value: 400 });
  });

  it.each(['AvailablePoints', 'AvailableCashback'])(
    'asks for the balance again where only %s has changed since the page before',
    async (counted) => {
      const shop = await open('394');
      await look(shop);
      shop.loyalty.world.interfere = ({ operation }, pass) => {
        if (operation !== 'listAvailableRewards') return pass();
        const answer = JSON.parse(pass().text);
        return answerOf({ ...answer, [counted]: answer[counted] + 1 });
      };
      await look(shop);
      expect(shop.calls('getCustomerPoints')).toBe(2);
    },
  );

  it('has what an event changed, of the tier too, although the points are the same', async () => {
    const shop = await open();
    await look(shop);
    const before = shop.loyalty.journal.length;
    await shop.remember('7', '300', '15', 'Bronze', { readAt: shop.clock.ms }, 1);
    await look(shop);
    expect(operations(shop, before)).toEqual(['listAvailableRewards', 'listTiers']);
  });

  it('costs as many calls as the rewards alone, once the customer is known', async () => {
    const shop = await open();
    const before = shop.loyalty.journal.length;
    await look(shop);
    expect(operations(shop, before)).toEqual([
      'getCustomer',
      // Of the two rewards that the service does not offer, for ten minutes.
      ...['getRewardConfiguration', 'getRewardConfiguration'],
      ...['listAvailableRewards', 'listRewardConfigurations', 'listTiers'],
    ]);
    const after = shop.loyalty.journal.length;
    await look(shop);
    await look(shop, '7', { items: '11:20:2' });
    expect(operations(shop, after)).toEqual(['listAvailableRewards', 'listAvailableRewards']);
  });

  it('asks for the balance of every page where the service does not say what it counted', async () => {
    const shop = serveInProcess();
    await shop.enroll('7', 300);
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      if (operation !== 'listAvailableRewards') return pass();
      const { AvailablePoints: _, ...answer } = JSON.parse(pass().text);
      return answerOf(answer);
    };
    for (const _ of ['first page', 'second page']) await look(shop);
    expect([shop.calls('getCustomerPoints'), shop.calls('listTiers')]).toEqual([2, 1]);
  });

  it('asks once about a customer of whom nothing is known', async () => {
    const shop = serveInProcess();
    for (const _ of ['first page', 'second page']) await look(shop);
    expect([shop.calls('getCustomerPoints'), shop.calls('listTiers')]).toEqual([1, 1]);
  });

  it('reads the ledger once', async () => {
    const shop = await open();
    let reads = 0;
    const { ledger } = shop.parts;
    shop.parts.ledger = {
      ...ledger,
      readMany: (keys) => {
        reads += 1;
        return ledger.readMany(keys);
      },
    };
    await look(shop);
    expect(reads).toBe(1);
  });

  it('is the balance of the ledger, with its own moment and without rewards, while the service is away', async () => {
    const shop = await open('394');
    shop.loyalty.world.interfere = () => TIME_OUT;
    expect(await look(shop)).toEqual({
      ...{ loggedIn: true, points: 394, cashback: 15, asOf: '2026-10-09T11:30:00.000Z' },
      ...{ expiring: null, tier: { name: 'Bronze', color: null, next: null } },
      ...{ rewards: null, retryAfterSeconds: expect.any(Number), redemptions: [] },
      needsChallenge: false,
    });
  });

  it('does not fall back to an older balance than this process has shown', async () => {
    const shop = await open('394');
    const before = await look(shop);
    shop.loyalty.world.interfere = () => TIME_OUT;
    const { rewards: _, retryAfterSeconds: __, ...away } = await look(shop);
    const { rewards: ___, retryAfterSeconds: ____, ...shown } = before;
    expect(away).toEqual(shown);
  });

  it('mixes nothing where the service says what it offers and not what the balance is', async () => {
    const shop = await open('394');
    shop.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'getCustomerPoints' ? TIME_OUT : pass();
    const view = await look(shop);
    expect(view).toMatchObject({ points: 394, asOf: '2026-10-09T11:30:00.000Z', rewards: null });
  });

  it('of a visitor has the rewards, and nothing of a customer', async () => {
    const shop = await open();
    const { json, headers } = await shop.ask('view', {});
    expect(headers['cache-control']).toBe('private, no-store');
    expect(json).toMatchObject({ loggedIn: false, points: null, tier: null, redemptions: [] });
    expect(json.needsChallenge).toBe(false);
    expect(json.rewards[0]).toMatchObject({ redeemable: false, why: 'not-logged-in' });
  });
});

describe('a reward of another tier', () => {
  it('says for whom it is, and cannot be redeemed', async () => {
    const shop = await open();
    expect(rewardIn(await look(shop), 5)).toMatchObject({
      ...{ title: '25 off for Gold', redeemable: false, why: 'other-tier', tiers: ['Gold'] },
    });
  });

  it('can be redeemed by customers of the tier', async () => {
    const shop = serveInProcess();
    for (const [index] of Array.from({ length: 10 }).entries()) {
      await shop.loyalty.client.sendOrder({
        ...{ OriginalId: `order-${index}`, IsCompleted: true, OrderTotal: 250 },
        OrderPlacementDate: '2026-10-03T09:00:00Z',
        OrderCompletedDate: '2026-10-04T09:00:00Z',
        Customer: { OriginalId: '7', Name: 'Name 7', Email: '7@example.com' },
      });
    }
    const view = await look(shop);
    expect(view.tier?.name).toBe('Gold');
    expect(rewardIn(view, 5)).toMatchObject({ redeemable: true, why: null, tiers: [] });
  });

  it('is not named as the reason where the customer is of that tier and cannot have it', async () => {
    const shop = await open();
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      if (operation !== 'getRewardConfiguration') return pass();
      const { Result, ...envelope } = JSON.parse(pass().text);
      const text = JSON.stringify({
        ...envelope,
        Result: { ...Result, Tiers: [{ Name: 'Bronze' }] },
      });
      return { kind: 'answer', status: 200, headers: {}, text };
    };
    expect(rewardIn(await look(shop), 5)).toBeUndefined();
  });

  it('stays away while the service does not say for whom it is, which is asked once in a minute', async () => {
    const shop = await open();
    let asked = 0;
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      if (operation !== 'getRewardConfiguration') return pass();
      asked += 1;
      return TIME_OUT;
    };
    for (const _ of ['first page', 'second page']) {
      expect(rewardIn(await look(shop), 5)).toBeUndefined();
    }
    expect(asked).toBe(2);
    shop.clock.ms += 60_000;
    shop.loyalty.world.interfere = undefined;
    expect(rewardIn(await look(shop), 5)).toMatchObject({ why: 'other-tier' });
  });
});

describe('a code', () => {
  it('that the store has counted as used is shown as used, and stays so', async () => {
    const shop = await open();
    await write(shop, { at: 'ready', code: CODE, discountId: '1' });
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'ready', code: 'THREE-1' }]);
    shop.parts.uses = { kind: 'read', uses: new Map([['1', 1]]) };
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'used', code: 'THREE-1' }]);
    shop.parts.uses = { kind: 'unavailable', why: 'time-out' };
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'used' }]);
    const alone = await shop.ask('redemptions', { customerId: '7' });
    expect(alone.json.redemptions).toMatchObject([{ state: 'used', code: 'THREE-1' }]);
  });

  it('is ready until its end, and expired from then on, unless it was used', async () => {
    const shop = await open();
    const endsAt = new Date(shop.clock.ms + 60_000).toISOString();
    await write(shop, { at: 'ready', code: { ...CODE, endsAt }, discountId: '1' });
    shop.clock.ms += 59_000;
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'ready', validUntil: endsAt }]);
    shop.clock.ms += 1_000;
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'expired', code: 'THREE-1' }]);
    shop.parts.uses = { kind: 'read', uses: new Map([['1', 1]]) };
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'used' }]);
  });
});
