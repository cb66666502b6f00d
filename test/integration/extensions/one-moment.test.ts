import { afterEach, describe, expect, it } from 'vitest';
import type { View } from '../../../app/program/answers.ts';
import { CART, type ExtensionWorld, openExtensions } from '../../support/extension-world.ts';
import { both, isCodeMade, isRedeem, once } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: ExtensionWorld;
afterEach(() => world.stop());

async function open(points: number) {
  world = await openExtensions(connectors, { readsPerMinute: 1_000 });
  const robin = await world.shopper('Robin', points);
  return { robin, functions: [world.one, world.other] };
}

const earnedOf = (view: Pick<View, 'tier'>) =>
  view.tier?.next?.goals.find(({ goal }) => goal === 500)?.value;

/** Every page of this customer, by every caller and at every function, agrees with the service of now. */
async function expectAllAgree(robin: string, points: number, earned: number) {
  for (const at of [world.one, world.other]) {
    const asked = { query: `items=${CART}` };
    const views: View[] = [
      await at.view(robin),
      (await at.till(robin, 'view', asked)).json,
      (await at.proxy(robin, 'view', { items: CART })).json,
    ];
    for (const view of views) {
      expect([view.points, earnedOf(view)]).toEqual([points, earned]);
      const costs = view.rewards?.filter(({ id }) => [1, 2, 3].includes(id)) ?? [];
      expect(costs).toHaveLength(3);
      for (const { points: cost, redeemable, missingPoints } of costs) {
        expect([cost, redeemable]).toEqual([cost, cost <= points]);
        expect(missingPoints ?? 0).toBe(Math.max(0, cost - points));
      }
    }
    const { json: me } = await at.proxy(robin, 'me');
    const { json: rewards } = await at.proxy(robin, 'rewards', { items: CART });
    const { json: redemptions } = await at.proxy(robin, 'redemptions');
    expect([me.points, earnedOf(me)]).toEqual([points, earned]);
    expect(rewards.rewards).toEqual(views[0]?.rewards);
    expect(redemptions.redemptions).toEqual(views[0]?.redemptions);
  }
}

describe('294 in the header, 194 in the widget and "0 of 500" in the tier', () => {
  it('is one number while the event of a redemption is on its way, and when it comes late', async () => {
    const { robin } = await open(294);
    await world.rest();
    await expectAllAgree(robin, 294, 294);
    const { json } = await world.one.account(robin, 'redeem', { body: world.click() });
    expect(json.redemption.state).toBe('ready');
    await expectAllAgree(robin, 194, 294);
    world.connector.pass(45);
    await expectAllAgree(robin, 194, 294);
    await world.rest();
    await expectAllAgree(robin, 194, 294);
  });

  it('is one number after points of an order that no event tells of', async () => {
    const { robin } = await open(194);
    await world.rest();
    await expectAllAgree(robin, 194, 194);
    await world.give(robin, 100);
    await expectAllAgree(robin, 294, 294);
  });

  it('is the number of the newest order also where the older event comes after it', async () => {
    const { robin } = await open(100);
    world.connector.pass(5);
    await world.give(robin, 94);
    const [older, newer] = world.loyalty.events.all();
    if (!older || !newer) throw new Error('two events are expected');
    expect(await world.balances.post(newer.topic, newer.payload)).toBe(200);
    await world.balances.settle();
    await expectAllAgree(robin, 194, 194);
    expect(await world.balances.post(older.topic, older.payload)).toBe(200);
    await world.balances.settle();
    await expectAllAgree(robin, 194, 194);
  });
});

describe('363, then 313, then 363', () => {
  it.each(['lost', 'late'] as const)(
    'is never seen over two functions, with %s events',
    async (how) => {
      const { robin, functions } = await open(363);
      for (const at of functions) expect((await at.view(robin)).points).toBe(363);
      await world.one.till(robin, 'redeem', { body: world.click(3) });
      for (const seconds of [0, 1, 29, 31, 601]) {
        world.connector.pass(seconds);
        if (how === 'late') {
          const [first] = world.loyalty.events.all();
          if (first) await world.balances.post(first.topic, first.payload);
          await world.balances.work();
        }
        for (const at of [...functions, world.start()])
          expect((await at.view(robin)).points).toBe(313);
      }
    },
  );

  it('is never seen with a later moment while the service is away', async () => {
    const { robin, functions } = await open(363);
    const seen: View[] = [];
    const look = async () => {
      for (const at of functions) {
        world.connector.pass(1);
        seen.push(await at.view(robin));
      }
    };
    await world.rest();
    await look();
    await world.one.account(robin, 'redeem', { body: world.click(3) });
    world.connector.pass(1);
    seen.push(await world.one.view(robin));
    world.loyalty.faults.add({ kind: 'outage' });
    await look();
    world.connector.pass(40);
    await look();
    world.loyalty.faults.clear();
    world.connector.pass(120);
    await look();
    expect(seen.some(({ rewards }) => rewards === null)).toBe(true);
    expect(seen.slice(-2).map(({ points }) => points)).toEqual([313, 313]);
    const ordered = seen.toSorted((a, b) => Date.parse(a.asOf ?? '') - Date.parse(b.asOf ?? ''));
    const points = ordered.map((view) => view.points);
    expect(points).toEqual([...points].sort((a, b) => Number(b) - Number(a)));
    // The function that has shown 313 never shows 363 again.
    expect([2, 3, 5, 7].map((index) => seen[index]?.points)).toEqual([313, 313, 313, 313]);
  });
});

it('the first view after an outage has a tier with its goals, or none', async () => {
  const { robin } = await open(294);
  world.loyalty.faults.add({ kind: 'outage' });
  expect((await world.one.view(robin)).rewards).toBeNull();
  world.loyalty.faults.clear();
  world.connector.pass(121);
  const { points, tier } = await world.one.view(robin);
  expect(points).toBe(294);
  if (tier) expect(tier.next?.name).toBe('Silver');
});

it('a reward of another tier says so, and is redeemable at both functions once the tier is reached', async () => {
  const { robin, functions } = await open(0);
  const gold = async (at: ExtensionWorld['one']) =>
    (await at.view(robin)).rewards?.find(({ id }) => id === 5);
  for (let n = 0; n < 9; n += 1) await world.give(robin, 240);
  for (const at of functions) {
    expect(await gold(at)).toMatchObject({ redeemable: false, why: 'other-tier', tiers: ['Gold'] });
    const { status } = await at.account(robin, 'redeem', { body: world.click(5) });
    expect([404, 409]).toContain(status);
  }
  await world.give(robin, 10);
  for (const at of functions) {
    expect((await at.view(robin)).tier).toMatchObject({ name: 'Gold', next: null });
    expect(await gold(at)).toMatchObject({ redeemable: true, why: null });
  }
  expect(world.pointsOf(robin)).toBe(2_170);
});

describe('a quiz that was answered', () => {
  async function answer() {
    const { robin, functions } = await open(100);
    await world.rest();
    const isCompleted = async (at: ExtensionWorld['one']) =>
      (await at.account(robin, 'quizzes')).json.quizzes[0].completed;
    for (const at of functions) {
      if (await isCompleted(at)) throw new Error('the quiz is answered already');
      await at.view(robin);
    }
    const answers = [
      { questionId: 11, optionIds: [101], text: null },
      { questionId: 12, optionIds: null, text: 'Green' },
    ];
    const { json } = await world.one.account(robin, 'answer', { body: { quizId: 1, answers } });
    if (json.points !== 25) throw new Error('the quiz gives other points');
    return { robin, isCompleted };
  }

  it('has given its points in every view at once', async () => {
    const { robin, isCompleted } = await answer();
    expect(await isCompleted(world.one)).toBe(true);
    await expectAllAgree(robin, 125, 125);
  });

  it('is answered at every function at once', async () => {
    const { isCompleted } = await answer();
    expect(await isCompleted(world.other)).toBe(true);
  });
});

it('while a redemption is under way, another function shows its points as spent and its reward as taken', async () => {
  const { robin } = await open(294);
  await world.rest();
  const seen: View[] = [];
  const look = async () => seen.push(await world.other.view(robin));
  const first = await world.startOnLine(
    both(once(isRedeem, { meanwhile: look }), once(isCodeMade, { meanwhile: look })),
  );
  const { json } = await first.till(robin, 'redeem', { body: world.click() });
  await look();
  expect(seen.map(({ points }) => points)).toEqual([194, 194, 194]);
  expect(seen.map(({ redemptions }) => redemptions.map(({ id, state }) => [id, state]))).toEqual([
    [[json.redemption.id, 'pending']],
    [[json.redemption.id, 'making']],
    [[json.redemption.id, 'ready']],
  ]);
  const taken = seen.map(({ rewards }) => rewards?.find(({ id }) => id === 1));
  expect(taken.map((reward) => [reward?.redeemable, reward?.why])).toEqual([
    [false, 'pending'],
    [false, 'pending'],
    [true, null],
  ]);
});

describe('a code that was used', () => {
  async function redeemAndBuy() {
    const { robin } = await open(300);
    await world.rest();
    const { json } = await world.one.account(robin, 'redeem', { body: world.click() });
    const { code } = json.redemption;
    const stateOf = async (at: ExtensionWorld['one']) => {
      const { redemptions } = await at.view(robin);
      expect(redemptions.map((one) => one.code)).toEqual([code]);
      return redemptions[0]?.state;
    };
    expect([await stateOf(world.one), await stateOf(world.other)]).toEqual(['ready', 'ready']);
    world.connector.pass(5);
    const order = world.store.actions.placeOrder({
      customerId: robin,
      lines: [{ title: 'Kettle', price: 100, quantity: 1 }],
      discounts: [{ code }],
      payment: 'paid',
      taxes: [],
    });
    return { robin, stateOf, order };
  }

  it('is used at both functions as soon as the order has come', async () => {
    const { robin, stateOf } = await redeemAndBuy();
    await world.store.deliveries.settled();
    while ((await world.connector.work()) > 0);
    expect([await stateOf(world.one), await stateOf(world.other)]).toEqual(['used', 'used']);
    const { json } = await world.one.till(robin, 'redemptions');
    expect(json.redemptions[0].state).toBe('used');
    world.connector.pass(3_600);
    expect([await stateOf(world.other), await stateOf(world.start())]).toEqual(['used', 'used']);
  });

  it('is used after half a minute where the order’s event is lost, and stays so', async () => {
    const { stateOf } = await redeemAndBuy();
    world.connector.pass(31);
    expect([await stateOf(world.one), await stateOf(world.other)]).toEqual(['used', 'used']);
    world.store.faults.add({ kind: 'http-500' } as Parameters<typeof world.store.faults.add>[0]);
    world.connector.pass(3_600);
    expect([await stateOf(world.one), await stateOf(world.start())]).toEqual(['used', 'used']);
    world.store.faults.clear();
  });
});
