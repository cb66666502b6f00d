import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { View } from '../../../app/program/answers.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { CART, openProgram, type Program } from '../../support/running-program.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: Program;
beforeAll(async () => {
  world = await openProgram(connectors, {
    storefront: { readsPerMinute: 1_000, redeemsPerHour: 100 },
  });
});

const at = fc.constantFrom(0 as const, 1 as const);
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('earn' as const),
      points: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('redeem' as const), at, rewardId: fc.constantFrom(1, 2, 3) },
      by: fc.constantFrom('account' as const, 'till' as const),
      fault: fc.constantFrom('none', 'none', 'reset-after', 'reset-before', 'http-500'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('event' as const), pick: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('work' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('buy with a code' as const), arrives: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      seconds: fc.constantFrom(1, 10, 31, 61, 700),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('away' as const), at }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ kind: fc.constant('look' as const), at },
      by: fc.constantFrom('account' as const, 'till' as const, 'proxy' as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** One customer's life; every view is compared with the service at the moment of asking. */
async function live(name: string, steps: readonly Step[]) {
  const eventsBefore = world.loyalty.events.all().length;
  const robin = await world.shopper(name, 450);
  const functions = [world.start(), world.start()] as const;
  const moments: number[] = [];
  const seen: { readonly asOf: number; readonly moment: number }[] = [];
  const note = () => {
    const points = world.pointsOf(robin) ?? 0;
    if (moments.at(-1) !== points) moments.push(points);
  };
  note();
  let earned = 450;
  const usedUp = new Set<string>();

  function check(view: View): void {
    if (view.points === null) {
      expect([view.rewards, view.asOf]).toEqual([null, null]);
      return;
    }
    // A balance may come back; the latest moment with it is meant in the view's favour.
    const moment = moments.lastIndexOf(view.points);
    expect(moment, `${view.points} was never the balance`).toBeGreaterThanOrEqual(0);
    const asOf = Date.parse(view.asOf ?? '');
    for (const one of seen) {
      if (one.asOf < asOf)
        expect(moment, 'a later view is of an older moment').toBeGreaterThanOrEqual(one.moment);
    }
    seen.push({ asOf, moment: moments.indexOf(view.points) });
    if (view.rewards === null) return;
    const truth = world.loyalty.state().customers.find(({ OriginalId }) => OriginalId === robin);
    expect([view.points, view.cashback, view.tier?.name]).toEqual([
      truth?.points,
      truth?.cashback,
      truth?.tier.name,
    ]);
    // Missing in the first view after an outage.
    if (view.tier?.next) expect(view.tier.next.goals[0]?.value).toBe(earned);
    for (const { id, points: cost, redeemable, why, missingPoints } of view.rewards) {
      if (![1, 2, 3].includes(id)) continue;
      const lacks = Math.max(0, cost - view.points);
      if (redeemable) expect(lacks).toBe(0);
      else expect(['too-few-points', 'pending'], `${id}`).toContain(why);
      if (why === 'too-few-points') expect(missingPoints).toBe(lacks);
    }
    const held = world.loyalty.state().redemptions.filter((one) => one.customerId === robin);
    const shown = view.redemptions.filter(({ state }) => state === 'ready' || state === 'used');
    const codes = new Set(
      held.filter(({ canceledAt }) => canceledAt === null).map((one) => one.ExternalCode),
    );
    for (const { code } of shown)
      expect(codes, 'a code that nothing was spent for').toContain(code);
    for (const { code, state } of shown) if (usedUp.has(code ?? '')) expect(state).toBe('used');
    const open = view.redemptions.filter(
      ({ state }) => state === 'pending' || state === 'making',
    ).length;
    if (view.redemptions.length < 20)
      expect(shown.length + open).toBeGreaterThanOrEqual(codes.size);
  }

  for (const one of steps) {
    world.connector.pass(1);
    switch (one.kind) {
      case 'earn':
        await world.give(robin, one.points);
        earned += one.points;
        break;
      case 'redeem': {
        if (one.fault !== 'none') {
          const kind = one.fault as 'http-500';
          world.loyalty.faults.add({ kind, operation: 'redeemRewardByKey', count: 1 });
        }
        const body = world.click(one.rewardId);
        const { status } = await functions[one.at][one.by](robin, 'redeem', { body });
        expect([200, 202, 409, 503]).toContain(status);
        world.loyalty.faults.clear();
        break;
      }
      case 'event': {
        const events = world.loyalty.events.all().slice(eventsBefore);
        const event = events[one.pick % Math.max(1, events.length)];
        if (event) expect(await world.points.post(event.topic, event.payload)).toBe(200);
        await world.connector.work();
        break;
      }
      case 'work':
        await world.connector.work();
        break;
      case 'buy with a code': {
        const code = (await functions[0].view(robin)).redemptions.find(
          ({ state }) => state === 'ready',
        )?.code;
        if (!code || usedUp.has(code)) break;
        world.store.actions.placeOrder({
          ...{ customerId: robin, discounts: [{ code }], payment: 'paid', taxes: [] },
          lines: [{ title: 'Kettle', price: 100, quantity: 1 }],
        });
        await world.store.deliveries.settled();
        if (one.arrives) while ((await world.connector.work()) > 0);
        else world.connector.pass(31);
        usedUp.add(code);
        break;
      }
      case 'pass':
        world.connector.pass(one.seconds);
        break;
      case 'away': {
        world.loyalty.faults.add({ kind: 'outage' });
        const view = await functions[one.at].view(robin);
        world.loyalty.faults.clear();
        check(view);
        world.connector.pass(120);
        break;
      }
      case 'look': {
        const asked = { query: `items=${CART}` };
        const { status, json } =
          one.by === 'proxy'
            ? await functions[one.at].proxy(robin, 'view', { items: CART })
            : await functions[one.at][one.by](robin, 'view', asked);
        expect(status).toBe(200);
        check(json);
      }
    }
    note();
  }
  world.connector.pass(120);
  await world.rest();
  note();
  for (const each of functions) {
    // On a busy machine the service may answer too late: the page then asks again.
    await expect.poll(async () => (await each.view(robin)).rewards).not.toBeNull();
    const view = await each.view(robin);
    check(view);
    expect(
      view.redemptions.filter(({ state }) => state === 'pending' || state === 'making'),
    ).toEqual([]);
  }
}

it('every view of any life is of one moment, and no later one is older', async () => {
  let lives = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), (steps) =>
      live(`Robin${++lives}`, steps),
    ),
    { numRuns: 25, endOnFailure: false },
  );
}, 300_000);
