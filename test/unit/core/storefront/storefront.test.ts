import { beforeEach, describe, expect, it } from 'vitest';
import type { Redemption } from '../../../../shared/core/redeem/redemption.ts';
import { rememberBook } from '../../../../shared/core/redeem/redemption-book.ts';
import { createRateLimit } from '../../../../shared/core/storefront/rate-limit.ts';
import { createTimedCache } from '../../../../shared/core/storefront/timed-cache.ts';
import { SHOP, serveInProcess } from '../../../support/served-storefront.ts';

let shop: ReturnType<typeof serveInProcess>;
beforeEach(() => {
  shop = serveInProcess();
});

const FAULT = { kind: 'failure', reason: 'time-out', mayHaveHappened: true } as const;

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
      const { json } = await shop.ask('me', { customerId: '7' });
      expect(json).toMatchObject({ points: 250, asOf: '2026-10-09T12:00:00.000Z' });
    }
    expect(shop.calls('getCustomerPoints')).toBe(1);
    expect(shop.requested).toEqual([
      {
        kind: 'balance',
        topic: 'visit',
        shop: SHOP,
        id: '7',
        deliveryId: 'visit/7/2026-10-09T12',
        receivedAt: '2026-10-09T12:00:00.000Z',
      },
    ]);
  });

  it('names the points that expire next, until they have expired', async () => {
    const expiring = { points: '15.5', at: '2026-10-09T12:10:00Z' };
    await shop.remember('7', '40', '0', null, { expiring, readAt: shop.clock.ms });
    const standing = async () => (await shop.ask('me', { customerId: '7' })).json;
    expect((await standing()).expiring).toEqual({ points: 15.5, at: expiring.at });
    expect(shop.requested).toEqual([]);
    shop.clock.ms += 600_000;
    expect((await standing()).expiring).toBeNull();
  });

  it('is read again for a visitor whose balance was not read for a day, once in an hour', async () => {
    await shop.remember('7', '40', '0', null, { readAt: shop.clock.ms });
    shop.clock.ms += 86_400_001;
    for (const _ of ['first page', 'second page']) await shop.ask('me', { customerId: '7' });
    expect(shop.requested).toHaveLength(1);
    shop.clock.ms += 3_600_000;
    await shop.ask('me', { customerId: '7' });
    expect(shop.requested).toHaveLength(2);
    expect(shop.calls('getCustomerPoints')).toBe(0);
  });

  it('is shown though the queue does not take the request', async () => {
    shop.parts.queueFails = true;
    await shop.remember('7', '40', '0');
    expect((await shop.ask('me', { customerId: '7' })).json).toMatchObject({ points: 40 });
  });

  it('has the way to the next tier soon after the first points', async () => {
    const standing = async () => (await shop.ask('me', { customerId: '7' })).json;
    expect(await standing()).toMatchObject({ points: null, tier: null });
    await shop.enroll('7', 250);
    await shop.remember('7', '250', '0', 'Bronze');
    expect((await standing()).tier.next).not.toBeNull();
  });

  it('has the tier last known while the service is away', async () => {
    await shop.remember('7', '10', '0', 'Silver');
    shop.loyalty.world.interfere = () => FAULT;
    const { status, json } = await shop.ask('me', { customerId: '7' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ points: 10, tier: { name: 'Silver', color: null, next: null } });
  });

  it('asks the service once for the pages of five minutes, for each customer on their own', async () => {
    for (const customerId of ['7', '7', '8', '7']) await shop.ask('me', { customerId });
    expect(shop.calls('listTiers')).toBe(2);
    shop.clock.ms += 300_000;
    await shop.ask('me', { customerId: '7' });
    expect(shop.calls('listTiers')).toBe(3);
  });
});

describe('the points of a product or a cart', () => {
  const own = { items: '11:19.90:2,12:0.10:1,11:5:1,13:0:1', currency: 'EUR' };

  it('are those of the whole, lines of one product together, and a gift earns none', async () => {
    const { status, json, headers } = await shop.ask('points', { own });
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=60');
    const { items } = json as { items: { id: string; points: number }[] };
    expect(items.map(({ id, points }) => [id, points])).toEqual([
      ['11', 44.8],
      ['12', 0.1],
      ['13', 0],
    ]);
    expect(json.points).toBe(44.9);
    expect(shop.loyalty.journal[0]?.body).toEqual([
      { Id: '11', Price: 44.8, PriceCurrency: 'EUR' },
      { Id: '12', Price: 0.1, PriceCurrency: 'EUR' },
    ]);
  });

  it('are those of the price without its tax, where orders count without taxes', async () => {
    shop = serveInProcess({ taxInPrices: 20 });
    const { json } = await shop.ask('points', { own: { items: '11:49.00:1', currency: 'EUR' } });
    expect(json.points).toBe(40.83);
    expect(shop.loyalty.journal[0]?.body).toMatchObject([{ Id: '11', Price: 40.83 }]);
  });

  it('are asked for once for all who look at the same page within a minute', async () => {
    for (const customerId of ['', '7', '8']) await shop.ask('points', { own, customerId });
    expect(shop.calls('calculateProductPoints')).toBe(1);
    await shop.ask('points', { own: { ...own, currency: 'USD' } });
    shop.clock.ms += 60_000;
    await shop.ask('points', { own });
    expect(shop.calls('calculateProductPoints')).toBe(3);
  });

  it.each([
    ['nothing', {}],
    ['no currency', { items: '1:1:1' }],
    ['a currency of its own', { items: '1:1:1', currency: 'eur' }],
    ['an id with letters', { items: 'a:1:1', currency: 'EUR' }],
    ['a negative price', { items: '1:-1:1', currency: 'EUR' }],
    ['a price with an exponent', { items: '1:1e9:1', currency: 'EUR' }],
    ['no quantity', { items: '1:1:0', currency: 'EUR' }],
    ['an empty line', { items: '1:1:1,', currency: 'EUR' }],
    ['too many lines', { items: Array(51).fill('1:1:1').join(','), currency: 'EUR' }],
  ])('are not counted for %s', async (_, wrong) => {
    const { status, json } = await shop.ask('points', { own: wrong });
    expect([status, json.error.code]).toEqual([400, 'bad-request']);
    expect(shop.loyalty.journal).toEqual([]);
  });
});

describe('the rewards', () => {
  const CART = { items: '11:100:1' };
  const whys = ({ json }: { readonly json: unknown }) =>
    Object.fromEntries(
      (json as { rewards: { id: number; why: string }[] }).rewards.map(({ id, why }) => [id, why]),
    );

  it('are the active ones for a visitor, who must log in', async () => {
    const visitor = await shop.ask('rewards');
    expect(visitor.json.points).toBeNull();
    const ids = [1, 2, 3, 4, 5, 6, 8, 9];
    expect(whys(visitor)).toEqual({
      ...Object.fromEntries(ids.map((id) => [id, 'not-logged-in'])),
      // A custom reward.
      10: 'not-online',
    });
    expect(visitor.json.rewards.some(({ redeemable }: { redeemable: boolean }) => redeemable)).toBe(
      false,
    );
    await shop.ask('rewards');
    expect(shop.loyalty.journal.map(({ operation }) => operation)).toEqual([
      'listRewardConfigurations',
    ]);
    expect(visitor.headers['cache-control']).toBe('private, no-store');
  });

  it('are those that the service offers a customer for their cart, with its reasons', async () => {
    await shop.enroll('7', 120);
    const customer = await shop.ask('rewards', { customerId: '7', own: CART });
    expect(customer.json.points).toBe(120);
    // Not those of another season: the service does not list them, and says nothing about them.
    expect(whys(customer)).toEqual({
      ...{ 1: null, 2: 'too-few-points', 3: null, 4: null, 5: 'other-tier', 8: null },
      ...{ 9: 'product-conditions', 10: 'not-online' },
    });
    const empty = await shop.ask('rewards', { customerId: '7' });
    expect(whys(empty)).toMatchObject({ 1: 'below-minimum', 3: 'exceeds-purchase' });
    expect(customer.headers['cache-control']).toBe('private, no-store');
  });

  it('say what each gives: percent, amount, cashback, product, or something else', async () => {
    await shop.enroll('7', 120);
    const own = { items: '11:6:1,8012300098313:4:1' };
    const { json } = await shop.ask('rewards', { customerId: '7', own });
    const shown = (id: number) => json.rewards.find((one: { id: number }) => one.id === id);
    expect(shown(2)).toEqual({
      id: 2,
      title: '10 percent off',
      description: 'A tenth off your next purchase.',
      points: 200,
      kind: 'percent',
      value: 10,
      product: null,
      cashback: null,
      redeemable: false,
      why: 'too-few-points',
      missingPoints: 80,
      tiers: [],
      requirements: null,
    });
    expect(shown(3)).toMatchObject({ kind: 'fixed', value: 3, why: null });
    // 120 points are 6 of cashback, and half of the cart is 5.
    expect(shown(8)).toMatchObject({ kind: 'cashback', cashback: { least: 0.01, most: 5 } });
    expect(shown(9)).toMatchObject({ kind: 'percent', value: 50, product: 'Enamel Mug' });
    expect(shown(10)).toMatchObject({ kind: 'other', why: 'not-online', redeemable: false });
  });

  it('are shown to a customer whom the service does not know, with that reason', async () => {
    const { json } = await shop.ask('rewards', { customerId: '7', own: CART });
    expect(json).toMatchObject({ points: null, rewards: { length: 9 } });
    expect(whys({ json })).toMatchObject({ 1: 'not-a-member', 10: 'not-online' });
    expect(shop.calls('listAvailableRewards')).toBe(0);
  });

  it('are shown without descriptions while the service does not list them', async () => {
    await shop.enroll('7', 120);
    shop.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'listRewardConfigurations' ? FAULT : pass();
    const { json } = await shop.ask('rewards', { customerId: '7', own: CART });
    expect(json.rewards[0]).toMatchObject({ id: 1, title: '5 off', description: '', why: null });
    expect((await shop.ask('rewards', { own: CART })).status).toBe(503);
  });

  it('are not guessed while the service does not say what a customer may have', async () => {
    for (const silent of ['getCustomer', 'listAvailableRewards']) {
      shop = serveInProcess();
      await shop.enroll('7', 120);
      shop.loyalty.world.interfere = ({ operation }, pass) =>
        operation === silent ? FAULT : pass();
      expect((await shop.ask('rewards', { customerId: '7', own: CART })).status).toBe(503);
    }
  });

  it('are not listed for a cart that cannot be read', async () => {
    const { status, json } = await shop.ask('rewards', { own: { items: '11:1' } });
    expect([status, json.error.code]).toEqual([400, 'bad-request']);
  });

  it('of a redemption that is under way cannot be redeemed again', async () => {
    const terms = { title: '', points: 50, kind: 'fixed', value: 5, combines: false } as const;
    const common = { clientKeys: [], terms: { ...terms, codePrefix: '', limited: false } };
    const at = new Date(shop.clock.ms).toISOString();
    const code = { code: 'FIVE-1', kind: 'fixed', value: 5, startsAt: at } as const;
    const state = (rewardId: number, where: Redemption['state']): Redemption => ({
      ...{ ...common, id: `R${rewardId}`, rewardId, intendedAt: at, since: at, state: where },
    });
    const redemptions = [
      state(3, { at: 'calling', attempts: 1, calledAt: at }),
      state(1, { at: 'ready', code, discountId: '1' }),
      state(4, { at: 'redeemed', code, calledAt: at }),
    ];
    const entry = { version: 1, uncertain: false, outcomes: [] };
    await shop.parts.ledger.write(
      { shop: SHOP, kind: 'redemption', id: '7' },
      { ...entry, remembered: rememberBook({ redemptions, intents: [] }) },
      undefined,
    );
    await shop.enroll('7', 120);
    expect(whys(await shop.ask('rewards', { customerId: '7', own: CART }))).toMatchObject({
      ...{ 1: null, 3: 'pending', 4: 'pending' },
    });
  });
});

describe('quizzes', () => {
  const answers = [
    { questionId: 11, optionIds: [101], text: null },
    { questionId: 12, optionIds: null, text: 'Ochre' },
  ];
  const body = { quizId: 1, answers };

  it('are listed while they are open, and answered once', async () => {
    await shop.enroll('7');
    const { json } = await shop.ask('quizzes', { customerId: '7' });
    expect(
      json.quizzes.map(({ id, completed }: { id: number; completed: boolean }) => [id, completed]),
    ).toEqual([[1, false]]);
    const first = await shop.ask('answer', { customerId: '7', body });
    expect(first.json).toEqual({ accepted: true, points: 25, message: 'Thank you.' });
    const after = await shop.ask('quizzes', { customerId: '7' });
    expect(after.json.quizzes[0].completed).toBe(true);
    const second = await shop.ask('answer', { customerId: '7', body });
    expect(second.json).toMatchObject({ accepted: false, points: 0 });
    expect(shop.calls('answerQuiz')).toBe(1);
  });

  it('answered by two clicks at once are sent by one of them', async () => {
    await shop.enroll('7');
    const both = await Promise.all([1, 2].map(() => shop.ask('answer', { customerId: '7', body })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 503]);
    expect(shop.calls('answerQuiz')).toBe(1);
  });

  it('whose answers may have arrived are not sent again before it is known', async () => {
    await shop.enroll('7');
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      const answer = pass();
      return operation === 'answerQuiz' ? FAULT : answer;
    };
    const lost = await shop.ask('answer', { customerId: '7', body });
    expect([lost.status, lost.json.error.code]).toEqual([503, 'unavailable']);
    const soon = await shop.ask('answer', { customerId: '7', body });
    expect([soon.status, soon.json]).toEqual([503, lost.json]);
    expect(Number(soon.headers['retry-after'])).toBeLessThanOrEqual(60);
    shop.clock.ms += 60_000;
    const later = await shop.ask('answer', { customerId: '7', body });
    expect(later.json).toMatchObject({
      accepted: false,
      message: 'This quiz was answered before.',
    });
    expect(shop.calls('answerQuiz')).toBe(1);
  });

  it('can be tried again after the service refused or was away', async () => {
    await shop.enroll('7');
    const incomplete = { quizId: 1, answers: answers.slice(0, 1) };
    expect((await shop.ask('answer', { customerId: '7', body: incomplete })).json.accepted).toBe(
      false,
    );
    shop.loyalty.world.interfere = () => ({
      ...FAULT,
      reason: 'connection',
      mayHaveHappened: false,
    });
    expect((await shop.ask('answer', { customerId: '7', body })).status).toBe(503);
    shop.loyalty.world.interfere = undefined;
    expect((await shop.ask('answer', { customerId: '7', body })).json.accepted).toBe(true);
  });

  it.each([
    ['another quiz', { quizId: 2, answers }, 409],
    [
      'a question of another quiz',
      { quizId: 1, answers: [{ questionId: 21, optionIds: [201] }] },
      400,
    ],
    [
      'an option of another question',
      { quizId: 1, answers: [{ questionId: 11, optionIds: [201] }] },
      400,
    ],
    [
      'a question of another quiz beside its own',
      { quizId: 1, answers: [answers[0], { questionId: 21, optionIds: [201] }] },
      400,
    ],
    [
      'an option of the question before',
      { quizId: 1, answers: [{ questionId: 12, optionIds: [101] }] },
      400,
    ],
    ['one question twice', { quizId: 1, answers: [answers[0], answers[0]] }, 400],
    ['no answers', { quizId: 1, answers: [] }, 400],
    ['no list', { quizId: 1, answers: {} }, 400],
    ['a text for a number', { quizId: '1', answers }, 400],
    ['an endless text', { quizId: 1, answers: [{ questionId: 12, text: 'x'.repeat(2_001) }] }, 400],
  ])('take no answers to %s', async (_, wrong, status) => {
    await shop.enroll('7');
    expect((await shop.ask('answer', { customerId: '7', body: wrong })).status).toBe(status);
    expect(shop.calls('answerQuiz')).toBe(0);
  });
});

describe('while the loyalty service is down', () => {
  it('shoppers hear so at once instead of waiting, after a few have waited', async () => {
    let tried = 0;
    shop.loyalty.world.interfere = () => {
      tried += 1;
      return FAULT;
    };
    for (let n = 0; n < 6; n += 1) {
      const { status, json, headers } = await shop.ask('rewards');
      expect([status, json.error.code]).toEqual([503, 'unavailable']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(tried).toBe(3);
    expect(shop.telemetry.total('unavailable')).toBe(6);
  });

  it('a refused credential is reported to the operator', async () => {
    shop.loyalty.world.interfere = () => ({ kind: 'answer', status: 401, headers: {}, text: '' });
    expect((await shop.ask('rewards')).status).toBe(503);
    expect(shop.telemetry.total('misconfigured')).toBe(1);
  });

  it('a broken ledger is an answer too, without a word of what broke', async () => {
    shop.parts.ledger = {
      ...shop.parts.ledger,
      readMany: async () => {
        throw new Error('table customer-7 is on fire');
      },
    };
    const { status, body } = await shop.ask('me', { customerId: '7' });
    expect(status).toBe(503);
    expect(body).not.toContain('fire');
    expect(JSON.stringify(shop.telemetry.logged)).not.toContain('on fire');
  });
});

describe('a timed cache', () => {
  const clock = { ms: 0 };
  const now = () => new Date(clock.ms);

  it('forgets after its time', () => {
    const cache = createTimedCache<number>({ seconds: 60, most: 10, now });
    cache.keep('a', 1);
    clock.ms += 59_999;
    expect(cache.recall('a')).toBe(1);
    clock.ms += 1;
    expect(cache.recall('a')).toBeUndefined();
    cache.keep('a', 1);
    cache.forget('a');
    expect(cache.recall('a')).toBeUndefined();
  });

  it('never holds more than it may, and drops what it has held longest', () => {
    const cache = createTimedCache<number>({ seconds: 60, most: 3, now });
    for (const key of ['a', 'b', 'a', 'c', 'd']) cache.keep(key, 1);
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.recall(key) !== undefined)).toEqual([
      'a',
      'c',
      'd',
    ]);
  });
});

describe('a rate limit', () => {
  it('allows so many at once, then as many as time gives back', () => {
    const limit = createRateLimit(60);
    const at = (seconds: number) => new Date(seconds * 1000);
    for (let n = 0; n < 60; n += 1) expect(limit('one', at(0))).toBeUndefined();
    expect(limit('one', at(0))).toEqual({ afterSeconds: 1 });
    expect(limit('one', at(0.5))).toEqual({ afterSeconds: 1 });
    expect(limit('one', at(1.1))).toBeUndefined();
    expect(limit('one', at(1.1))).toEqual({ afterSeconds: 1 });
  });

  it('is each one’s own, and a clock that goes back gives nothing and takes nothing', () => {
    const limit = createRateLimit(1);
    const noon = new Date('2026-10-09T12:00:00Z');
    expect(limit('one', noon)).toBeUndefined();
    expect(limit('other', noon)).toBeUndefined();
    expect(limit('one', new Date(noon.getTime() - 600_000))).toEqual({ afterSeconds: 60 });
  });

  it('gives back no more than it allows at once, and forgets who was idle longest', () => {
    const limit = createRateLimit(2);
    const at = (seconds: number) => new Date(seconds * 1000);
    expect(limit('one', at(0))).toBeUndefined();
    const later = [1, 2, 3].map(() => limit('one', at(3_600)) === undefined);
    expect(later).toEqual([true, true, false]);
    for (let n = 0; n < 4_999; n += 1) limit(`other-${n}`, at(3_600));
    expect(limit('one', at(3_600))).toEqual({ afterSeconds: 30 });
    for (let n = 0; n < 5_000; n += 1) limit(`other-${n}`, at(3_600));
    expect(limit('one', at(3_600))).toBeUndefined();
  });
});
