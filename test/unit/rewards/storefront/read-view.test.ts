import { beforeEach, describe, expect, it, vi } from 'vitest';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import type { Redemption } from '../../../../shared/rewards/redeem/redemption.ts';
import { rememberRedemptions } from '../../../../shared/rewards/redeem/redemption-record.ts';
import type { View } from '../../../../shared/store/storefront-answers.gen.ts';
import { redemptionAt } from '../../../fixtures/redemption.ts';
import { answerOf, TIME_OUT } from '../../../fixtures/service-answers.ts';
import { SHOP, serveInProcess } from '../../../support/served-storefront.ts';

type Served = ReturnType<typeof serveInProcess>;

const CART = { items: '11:100:1' };

async function look(shop: Served, customerId = '7', own = CART): Promise<View> {
  const { status, json } = await shop.ask('view', { customerId, own });
  expect(status).toBe(200);
  return json;
}

const rewardIn = ({ rewards }: View, id: number) => rewards?.find((one) => one.id === id);
const operations = (shop: Served, from: number) =>
  shop.loyalty.journal
    .slice(from)
    .map(({ operation }) => operation)
    .toSorted();

/** A customer with 300 points in the service, of which the ledger knows. */
async function open(known = '300', more: Parameters<typeof serveInProcess>[0] = {}) {
  const shop = serveInProcess(more);
  await shop.enroll('7', 300);
  await shop.remember('7', known, '15', 'Bronze');
  return shop;
}

async function write(shop: Served, state: Redemption['state'], revision?: number): Promise<void> {
  const redemptions = [redemptionAt(state, { id: 'R3', rewardId: 3 })];
  const remembered = rememberRedemptions({ redemptions, intents: [] });
  const entry = { version: 1, uncertain: false, outcomes: [], remembered };
  await shop.parts.ledger.write({ shop: SHOP, kind: 'redemption', id: '7' }, entry, revision);
}

const NOON = '2026-10-09T12:00:00.000Z';
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

  it('has what an event changed, of the tier too, although the points are the same', async () => {
    const shop = await open();
    await look(shop);
    const before = shop.loyalty.journal.length;
    await shop.remember('7', '300', '15', 'Bronze', {}, 1);
    await look(shop);
    expect(operations(shop, before)).toEqual(['listAvailableRewards', 'listTiers']);
  });

  it('costs as many calls as the rewards alone, once the customer is known', async () => {
    const shop = await open();
    const before = shop.loyalty.journal.length;
    await look(shop);
    expect(operations(shop, before)).toEqual([
      // The second proves, for an hour, whose the rewards are.
      ...['getCustomer', 'getCustomerPoints'],
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
    expect([shop.calls('getCustomerPoints'), shop.calls('listTiers')]).toEqual([3, 1]);
  });

  it('is the balance of the ledger, with its own moment and without rewards, while the service is away', async () => {
    const shop = await open('394');
    shop.loyalty.world.interfere = () => TIME_OUT;
    expect(await look(shop)).toEqual({
      ...{ loggedIn: true, points: 394, cashback: 15, asOf: '2026-10-09T11:30:00.000Z' },
      ...{ expiring: null, tier: { name: 'Bronze', color: null, next: null } },
      ...{ rewards: null, retryAfterSeconds: expect.any(Number), redemptions: [] },
      ...{ needsChallenge: false, referral: null },
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
    expect(json).toMatchObject({ needsChallenge: false, referral: null });
    expect(json.rewards[0]).toMatchObject({ redeemable: false, why: 'not-logged-in' });
  });
});

describe('the referral of a view', () => {
  const LINK = 'https://friends.example.com/r/7';

  /** `fields`: what the service says of the customer; `posCustomerId`: whether each page needs that reading anyway. */
  async function referralOf(
    fields: object,
    posCustomerId: 'email-or-document' | 'store-id' = 'email-or-document',
  ) {
    const shop = await open('300', { posCustomerId });
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      if (operation !== 'getCustomer') return pass();
      const { Result, ...envelope } = JSON.parse(pass().text);
      return answerOf({ ...envelope, Result: { ...Result, ...fields } });
    };
    return { shop, referral: (await look(shop)).referral };
  }

  it.each(['email-or-document', 'store-id'] as const)(
    "is the service's own, read once in a minute and in no log (%s)",
    async (posCustomerId) => {
      const WhatsappReferralUrl = 'https://wa.me/?text=Hello';
      const own = { ReferralURL: LINK, WhatsappReferralUrl };
      const { shop, referral } = await referralOf(own, posCustomerId);
      expect(referral).toEqual({ url: LINK, whatsappUrl: WhatsappReferralUrl });
      expect((await look(shop)).referral).toEqual(referral);
      expect(shop.calls('getCustomer')).toBe(1);
      expect(JSON.stringify(shop.telemetry.logged)).not.toContain('friends');
      shop.loyalty.world.interfere = () => TIME_OUT;
      expect((await look(shop)).referral).toEqual(referral);
    },
  );

  it.each([
    ['the objective is off', { ReferralURL: null, WhatsappReferralUrl: null }, null],
    ['it is no address of the web', { ReferralURL: 'javascript:alert(1)' }, null],
    [
      'the link for WhatsApp is none',
      { ReferralURL: LINK, WhatsappReferralUrl: 'javascript:alert(1)' },
      { url: LINK, whatsappUrl: null },
    ],
  ])('is none where %s', async (_, fields, expected) => {
    expect((await referralOf(fields)).referral).toEqual(expected);
  });
});

describe('a reward that is being redeemed', () => {
  it.each([
    { at: 'calling', body: { CustomerId: '7', OriginalKey: 'a-key' }, attempts: 1, calledAt: NOON },
    { at: 'redeemed', redeemedRewardId: 7, code: CODE, calledAt: NOON },
  ] as const)('cannot be redeemed again while it is $at', async (state) => {
    const shop = await open();
    await write(shop, state);
    expect(rewardIn(await look(shop), 3)).toMatchObject({ redeemable: false, why: 'pending' });
  });
});

describe('a reward of another tier', () => {
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
  it('is ready until its end, and expired from then on', async () => {
    const shop = await open();
    const endsAt = new Date(shop.clock.ms + 60_000).toISOString();
    await write(shop, {
      at: 'ready',
      code: { ...CODE, endsAt },
      discountId: '1',
      redeemedRewardId: 7,
    });
    shop.clock.ms += 59_000;
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'ready', validUntil: endsAt }]);
    shop.clock.ms += 1_000;
    expect((await look(shop)).redemptions).toMatchObject([{ state: 'expired', code: 'THREE-1' }]);
    const alone = await shop.ask('redemptions', { customerId: '7' });
    expect(alone.json.redemptions).toMatchObject([{ state: 'expired', code: 'THREE-1' }]);
  });
});

const REFUSED = { HasError: true, ErrorCode: 1, ErrorMessage: 'no' };

describe('a view after faults', () => {
  it('names the tier that comes with the rewards where the service does not list tiers', async () => {
    const shop = await open();
    const CurrentTier = { Name: 'Silver', Color: '#ccc' };
    let asked = 0;
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      const answer = pass();
      const { Customer, ...body } = JSON.parse(answer.text);
      if (operation === 'listTiers') asked += 1;
      if (operation === 'listTiers') return { ...answer, text: JSON.stringify(REFUSED) };
      if (operation !== 'listAvailableRewards') return answer;
      const text = JSON.stringify({ ...body, Customer: { ...Customer, CurrentTier } });
      return { ...answer, text };
    };
    const silver = { name: 'Silver', color: '#ccc', next: null };
    for (const _ of ['first page', 'second page']) {
      expect((await look(shop)).tier).toEqual(silver);
    }
    expect(asked).toBe(1);
  });

  it('says at a till whether the customer must answer, and not while the service is away', async () => {
    const shop = await open('300', { challenge: 'asked' });
    expect((await look(shop)).needsChallenge).toBe(true);
    expect((await look(await open())).needsChallenge).toBe(false);
    shop.loyalty.world.interfere = () => TIME_OUT;
    expect((await look(shop)).needsChallenge).toBe(false);
  });

  it('has no moment while no balance is known, although the service counts points', async () => {
    const shop = serveInProcess();
    await shop.enroll('7', 300);
    shop.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'getCustomerPoints' ? { ...pass(), text: JSON.stringify(REFUSED) } : pass();
    for (const _ of ['first page', 'second page']) {
      expect(await look(shop)).toMatchObject({ points: null, asOf: null });
    }
  });

  it('of a customer who was merged is that of the other, who is also asked for', async () => {
    const shop = await open();
    const how = { now: new Date(shop.clock.ms), topic: 't', retentionDays: 9 };
    await noteMerge({ shop: SHOP, id: '8' }, '7', { ...how, ledger: shop.parts.ledger });
    shop.loyalty.world.interfere = () => TIME_OUT;
    expect(await look(shop, '8')).toMatchObject({ points: 300, rewards: null });
    shop.loyalty.world.interfere = undefined;
    shop.clock.ms += 90_000_000;
    expect(await look(shop, '8')).toMatchObject({ points: 300, cashback: 15 });
    expect(shop.requested).toMatchObject([{ id: '7' }]);
    await shop.ask('history', { customerId: '8' });
    const asked = shop.loyalty.journal.slice(-1);
    expect(JSON.stringify(asked)).toContain('"7"');
    expect(JSON.stringify(asked.map(({ path, query }) => [path, query]))).not.toContain('"8"');
  });
});

let shop: Served;
beforeEach(() => {
  shop = serveInProcess();
});

describe('what a shopper sees of the own standing', () => {
  const standing = async () => (await shop.ask('me', { customerId: '7' })).json;

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

  it('is what the service says for a customer whom the ledger does not know, and the worker is asked to write it', async () => {
    await shop.enroll('7', 250);
    for (const _ of ['first page', 'second page']) {
      expect(await standing()).toMatchObject({ points: 250, asOf: '2026-10-09T12:00:00.000Z' });
    }
    expect(shop.calls('getCustomerPoints')).toBe(2);
    const asked = { kind: 'balance', topic: 'visit', shop: SHOP, id: '7' };
    const delivery = {
      deliveryId: 'visit/7/2026-10-09T12',
      receivedAt: '2026-10-09T12:00:00.000Z',
    };
    expect(shop.requested).toEqual([{ ...asked, ...delivery }]);
  });

  it('names the points that expire next, until they have expired', async () => {
    const expiring = { points: '15.5', at: '2026-10-09T12:10:00Z' };
    await shop.remember('7', '40', '0', null, { expiring });
    expect((await standing()).expiring).toEqual({ points: 15.5, at: expiring.at });
    expect(shop.requested).toEqual([]);
    shop.clock.ms += 600_000;
    expect((await standing()).expiring).toBeNull();
  });

  it('is read again for a visitor whose balance was not read for a day, once in an hour', async () => {
    await shop.remember('7', '40', '0', null);
    shop.clock.ms += 86_400_001;
    for (const _ of ['first page', 'second page']) await standing();
    expect(shop.requested).toHaveLength(1);
    shop.clock.ms += 3_600_000;
    await standing();
    expect(shop.requested).toHaveLength(2);
    expect(shop.calls('getCustomerPoints')).toBe(0);
  });

  it('is shown though the queue does not take the request, and the next visit asks again', async () => {
    shop.parts.queueFails = true;
    await shop.remember('7', '40', '0', null);
    shop.clock.ms += 86_400_001;
    expect(await standing()).toMatchObject({ points: 40 });
    expect(shop.requested).toEqual([]);
    shop.parts.queueFails = false;
    for (const _ of ['first page', 'second page']) await standing();
    expect(shop.requested).toHaveLength(1);
  });
});

describe('while the loyalty service is down', () => {
  it('shoppers hear so at once instead of waiting, after a few have waited', async () => {
    const interfere = vi.fn(() => TIME_OUT);
    shop.loyalty.world.interfere = interfere;
    for (let n = 0; n < 6; n += 1) {
      const { status, json, headers } = await shop.ask('rewards');
      expect([status, json.error.code]).toEqual([503, 'unavailable']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(interfere).toHaveBeenCalledTimes(3);
    expect(shop.telemetry.total('unavailable')).toBe(6);
  });

  it('a broken ledger is an answer too, without a word of what broke', async () => {
    const readMany = () => Promise.reject(new Error('table customer-7 is on fire'));
    shop.parts.ledger = { ...shop.parts.ledger, readMany };
    const { status, body } = await shop.ask('me', { customerId: '7' });
    expect(status).toBe(503);
    expect(body).not.toContain('fire');
    expect(JSON.stringify(shop.telemetry.logged)).not.toContain('on fire');
  });
});
