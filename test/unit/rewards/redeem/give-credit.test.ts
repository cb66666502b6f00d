import { beforeEach, describe, expect, it } from 'vitest';
import { recoverRedemptions } from '../../../../shared/rewards/redeem/recover-redemptions.ts';
import {
  CASHBACK,
  openRedeeming,
  type Redeeming,
  ROBIN,
  SHOP,
} from '../../../support/redeem-world.ts';

let world: Redeeming;
beforeEach(() => {
  world = openRedeeming({ rewards: [CASHBACK] });
});

const TEN = { rewardId: 1, clientKey: 'click-0001', value: 10 };

/** One credit of ten, which the customer sees. */
async function expectCredited(): Promise<void> {
  expect(world.store.credits).toMatchObject([
    { customerId: ROBIN, amount: 10, currency: 'EUR', expiresAt: expect.any(String) },
  ]);
  const [credit] = world.store.credits;
  expect(await world.list()).toMatchObject({
    redemptions: [
      {
        ...{ state: 'credited', kind: 'store-credit', value: 10, code: null },
        validUntil: credit?.expiresAt,
      },
    ],
  });
  expect(world.loyalty.balances.get(ROBIN)).toBe(900);
  expect(world.dead.size).toBe(0);
}

async function expectGivenBack(): Promise<void> {
  expect(world.store.credits).toEqual([]);
  expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled', code: null }] });
  expect(world.loyalty.balances.get(ROBIN)).toBe(1_000);
  expect(world.dead.size).toBe(0);
}

/** Whoever else credits the same amount now. */
const gift = (expiresAt: string) =>
  world.store.credit(SHOP, { customerId: ROBIN, amount: 10, currency: 'EUR', expiresAt });

describe('cashback as store credit', () => {
  it('is credited while the customer waits, with an end, and has no code', async () => {
    expect(await world.redeem(TEN)).toMatchObject({
      redemption: { state: 'credited', code: null, value: 10 },
    });
    await world.drain();
    await expectCredited();
    expect(world.store.codes.size).toBe(0);
  });

  it('is credited once for a click and a message that are repeated', async () => {
    await world.redeem(TEN);
    await world.redeem(TEN);
    const [{ id = '' } = {}] = await world.kept();
    const again = {
      shop: SHOP,
      customerId: ROBIN,
      id,
      kind: 'redemption',
      topic: 'redeem',
    } as const;
    const receivedAt = new Date(world.clock.ms).toISOString();
    await world.events.send({ ...again, deliveryId: 'again', receivedAt });
    await world.drain();
    await expectCredited();
  });

  it('is joined while it is under way by a press for the same amount, and by no other', async () => {
    world.loyalty.fates.push('lost-answer');
    await world.redeem(TEN);
    const other = await world.redeem({ ...TEN, clientKey: 'click-0002', value: 3 });
    expect(other).toEqual({ kind: 'refused', why: 'pending' });
    const same = await world.redeem({ ...TEN, clientKey: 'click-0003' });
    expect(same).toMatchObject({ redemption: { state: 'pending', value: 10 } });
    await world.drain();
    await expectCredited();
  });

  it('is taken from the service only in amounts that the currency has', async () => {
    world.store.currency = 'JPY';
    expect(await world.redeem({ ...TEN, value: 10.5 })).toEqual({
      ...{ kind: 'refused', why: 'value-not-allowed' },
    });
    expect(world.loyalty.calls()).toBe(0);
    expect(await world.redeem(TEN)).toMatchObject({ redemption: { state: 'credited' } });
    expect(world.store.credits).toMatchObject([{ amount: 10, currency: 'JPY' }]);
  });

  it('is not taken where the store does not say its currency, or takes no store credit', async () => {
    world.store.readCreditShop = async () => ({ kind: 'unavailable', why: 'time-out' });
    expect(await world.redeem(TEN)).toEqual({ kind: 'unavailable' });
    const isEnabled = false;
    world.store.readCreditShop = async () => ({ kind: 'read', currency: 'EUR', isEnabled });
    expect(await world.redeem(TEN)).toEqual({ kind: 'refused', why: 'not-available' });
    expect(world.loyalty.calls()).toBe(0);
  });

  it('is credited twice for two clicks in the same second, each with its own end', async () => {
    world.store.creditFates.push('lost-answer', 'lost-answer');
    await world.redeem(TEN);
    await world.drain();
    await world.redeem({ ...TEN, clientKey: 'click-0002' });
    await world.drain();
    expect(world.store.credits).toHaveLength(2);
    expect(new Set(world.store.credits.map(({ expiresAt }) => expiresAt)).size).toBe(2);
    const kept = await world.kept();
    expect(kept).toMatchObject([{ state: { at: 'credited' } }, { state: { at: 'credited' } }]);
    const ids = kept.map(({ state }) => (state.at === 'credited' ? state.transactionId : ''));
    expect(ids).toEqual(world.store.credits.map(({ id }) => id));
  });
});

describe('a lost answer of the store', () => {
  it('is found in the account, and nothing is called again', async () => {
    world.store.creditFates.push('lost-answer');
    expect(await world.redeem(TEN)).toMatchObject({ redemption: { state: 'making' } });
    const before = world.clock.ms;
    await world.drain();
    await expectCredited();
    expect(world.clock.ms - before).toBeLessThan(120_000);
  });

  it('of a call without an effect is called again, ten minutes after the first look', async () => {
    world.store.creditFates.push('lost-call');
    await world.redeem(TEN);
    const before = world.clock.ms;
    await world.drain();
    await expectCredited();
    expect(world.clock.ms - before).toBeGreaterThanOrEqual(630_000);
  });

  it('of a call that takes effect between the looks is found by the second', async () => {
    world.store.creditFates.push('late');
    await world.redeem(TEN);
    for (let polls = 0; polls < 4; polls += 1) {
      world.clock.ms += 30_000;
      await world.work();
    }
    expect(await world.kept()).toMatchObject([{ state: { absentAt: expect.any(String) } }]);
    world.store.landLate();
    await world.drain();
    await expectCredited();
  });

  it('of a call that the store surely did not execute waits for no look', async () => {
    world.store.creditFates.push('throttled');
    await world.redeem(TEN);
    expect(await world.kept()).toMatchObject([{ state: { at: 'crediting', attempts: 0 } }]);
    const before = world.clock.ms;
    await world.drain();
    await expectCredited();
    expect(world.clock.ms - before).toBeLessThan(600_000);
  });

  it('is never repeated while the account cannot be read', async () => {
    const { readCredits } = world.store;
    world.store.creditFates.push('lost-answer');
    await world.redeem(TEN);
    world.store.readCredits = async () => ({ kind: 'unavailable', why: 'server-error' });
    for (let polls = 0; polls < 10; polls += 1) {
      world.clock.ms += 900_000;
      await world.work();
    }
    expect(world.store.credits).toHaveLength(1);
    world.store.readCredits = readCredits;
    await world.drain();
    await expectCredited();
  });

  it('is not taken for a credit of another redemption with the same amount', async () => {
    await world.redeem(TEN);
    world.store.creditFates.push('lost-call');
    await world.redeem({ ...TEN, clientKey: 'click-0002' });
    await world.drain();
    expect(world.store.credits).toHaveLength(2);
    expect(await world.kept()).toMatchObject([
      { state: { at: 'credited' } },
      { state: { at: 'credited' } },
    ]);
  });
});

describe('a store that keeps the end of a credit less exactly', () => {
  beforeEach(() => {
    world.store.keptEnd = (expiresAt) => `${expiresAt.slice(0, 10)}T23:59:59.000Z`;
  });

  it('is believed where it answers, with a warning', async () => {
    await world.redeem(TEN);
    await expectCredited();
    const message = 'the store changed the expiry of a credit';
    expect(world.telemetry.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', message }),
    );
  });

  it('waits for a person where the answer was lost, and is never called twice', async () => {
    world.store.creditFates.push('lost-answer');
    await world.redeem(TEN);
    await world.drain();
    expect(await world.kept()).toMatchObject([{ stuck: 'credit-unclear' }]);
    expect(world.dead.size).toBe(1);
    expect(world.telemetry.total('redemption-pending')).toBe(1);
    world.replay();
    await world.drain();
    expect(world.store.credits).toHaveLength(1);
    expect(world.dead.size).toBe(1);
    const [{ id = '' } = {}] = await world.kept();
    expect(await world.close(id, 'credited')).toMatchObject({ kind: 'closed' });
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'credited', value: 10 }] });
  });

  it('waits for a person where a page repeats its click after the customer was erased', async () => {
    await world.redeem(TEN);
    await world.drain();
    const marked = { redactedAt: 1, expiresAt: 1_900_000_000 };
    await world.ledger.redact([{ shop: SHOP, kind: 'redemption', id: ROBIN }], marked);
    world.clock.ms += 60_000;
    await world.redeem(TEN);
    await world.drain();
    expect(world.store.credits).toHaveLength(1);
    expect(await world.kept()).toMatchObject([{ stuck: 'credit-unclear' }]);
  });

  it('waits for a person as well where two redemptions of one amount are unclear', async () => {
    world.store.creditFates.push('lost-answer');
    await world.redeem(TEN);
    await world.drain();
    const second = openSecondReward();
    world.store.creditFates.push('lost-call');
    await second();
    await world.drain();
    expect(await world.kept()).toMatchObject([
      { stuck: 'credit-unclear' },
      { stuck: 'credit-unclear' },
    ]);
    expect(world.store.credits).toHaveLength(1);
  });
});

/** The first is still open, so that a click on the same reward would join it. */
function openSecondReward() {
  const { listAvailableRewards, getRewardConfiguration, redeemRewardByKey } = world.loyalty;
  const as = <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll('"Id":1', '"Id":2'));
  world.loyalty.listAvailableRewards = async (body) =>
    as(await listAvailableRewards(body)) as never;
  world.loyalty.getRewardConfiguration = async () => getRewardConfiguration(1);
  world.loyalty.redeemRewardByKey = async (_, body) => redeemRewardByKey(1, body);
  return () => world.redeem({ ...TEN, rewardId: 2, clientKey: 'click-0002' });
}

describe('after an unclear call', () => {
  it.each([
    ['alone', 0],
    ['beside one of another redemption', 1],
  ])(
    "a merchant's gift of the same amount, with another end, waits for a person: %s",
    async (_, others) => {
      if (others > 0) await world.redeem(TEN);
      world.store.creditFates.push('lost-call');
      await world.redeem({ ...TEN, clientKey: 'click-0002' });
      await gift('2030-01-01T00:00:00Z');
      await world.drain();
      const unclear = (await world.kept())[others];
      expect(unclear).toMatchObject({ stuck: 'credit-unclear' });
      expect(world.store.credits).toHaveLength(1 + others);
      expect(await world.close(unclear?.id ?? '', 'cancelled')).toMatchObject({ kind: 'closed' });
    },
  );

  it('a credit for a redemption that a person has closed meanwhile is in the log', async () => {
    const { credit } = world.store;
    world.store.credit = async (shop, wanted) => {
      const [{ id = '' } = {}] = await world.kept();
      world.clock.ms += 86_400_000;
      await world.close(id, 'cancelled');
      return credit(shop, wanted);
    };
    await world.redeem(TEN);
    const message = 'store credit was given for a redemption that is over';
    expect(world.telemetry.logged).toContainEqual(
      expect.objectContaining({ level: 'error', message }),
    );
  });

  it('a gift of before the redemption, and one of another amount, count as nothing', async () => {
    await gift('2030-01-01T00:00:00Z');
    world.clock.ms += 301_000;
    world.store.creditFates.push('lost-call');
    await world.redeem(TEN);
    const other = { customerId: ROBIN, amount: 11, currency: 'EUR' };
    await world.store.credit(SHOP, { ...other, expiresAt: '2030-01-01T00:00:00Z' });
    await world.drain();
    expect(world.store.credits).toHaveLength(3);
    expect(await world.kept()).toMatchObject([{ state: { at: 'credited' } }]);
  });
});

describe('a store that refuses the credit', () => {
  it('has the cashback given back, with the reason', async () => {
    world.store.creditFates.push('refused');
    expect(await world.redeem(TEN)).toMatchObject({ redemption: { state: 'making' } });
    await world.drain();
    await expectGivenBack();
    expect(await world.kept()).toMatchObject([
      { state: { at: 'cancelled', why: 'CREDIT_LIMIT_EXCEEDED' } },
    ]);
  });

  it('after an unclear call has it given back only where the account has no such credit', async () => {
    world.store.creditFates.push('late', 'refused');
    await world.redeem(TEN);
    for (let polls = 0; world.store.creditFates.length > 0 && polls < 100; polls += 1) {
      world.clock.ms += 30_000;
      await world.work();
    }
    expect(await world.kept()).toMatchObject([{ state: { attempts: 2, refusal: {} } }]);
    world.store.landLate();
    await world.drain();
    await expectCredited();
  });
});

describe('a ledger that is lost', () => {
  async function recover() {
    const { ledger, loyalty, events: queue, clock } = world;
    const now = () => new Date(clock.ms);
    const deps = { ledger, loyalty, queue, now, retentionDays: 400, pause: async () => {} };
    const since = new Date(clock.ms - 86_400_000);
    return recoverRedemptions(SHOP, since, { ...deps, signal: new AbortController().signal });
  }

  it('finds its credit again, and gives no second', async () => {
    await world.redeem(TEN);
    await world.drain();
    world.ledger.restore();
    world.clock.ms += 3_600_000;
    expect(await recover()).toMatchObject({ found: 1 });
    await world.drain();
    await expectCredited();
  });

  it('waits for a person where the store keeps another end than was sent', async () => {
    world.store.keptEnd = (expiresAt) => `${expiresAt.slice(0, 10)}T23:59:59.000Z`;
    await world.redeem(TEN);
    await world.drain();
    world.ledger.restore();
    await recover();
    await world.drain();
    expect(world.store.credits).toHaveLength(1);
    expect(await world.kept()).toMatchObject([{ stuck: 'credit-unclear' }]);
  });

  it('gives what was not credited before', async () => {
    world.store.creditFates.push('lost-call');
    await world.redeem(TEN);
    world.ledger.restore();
    world.clock.ms += 3_600_000;
    expect(await recover()).toMatchObject({ found: 1 });
    await world.drain();
    await expectCredited();
  });

  it('gives no second credit for the same click', async () => {
    await world.redeem(TEN);
    await world.drain();
    world.ledger.restore();
    world.clock.ms += 600_000;
    await world.redeem(TEN);
    await world.drain();
    await expectCredited();
  });
});
