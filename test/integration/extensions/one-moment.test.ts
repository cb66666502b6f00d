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
});
