import { describe, expect, it } from 'vitest';
import { orderAt } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { actionRequest } from '../../support/flow-action.ts';
import {
  isRedeem,
  type OutsideCall,
  type Treat,
  type Treatment,
} from '../../support/outside-line.ts';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import { CART, openProgram, type Program, SECOND_SECRET } from '../../support/running-program.ts';
import { STORE_SECRET } from '../../support/store-and-connector.ts';
import {
  addMember,
  addShopper,
  CONTACTS,
  expectMeant,
  judge,
  ORIGINS,
  openTwoMembers,
  TAKES_TWO_MEMBERS,
  THEIRS,
} from '../../support/two-members.ts';

/*
 * The points that are spent are the caller's own. Written from the promise alone: only what the two sandboxes hold, the
 * answers of the function and the calls that it made are looked at.
 */

const connectors = runConnectors(TAKES_TWO_MEMBERS);

const { Email } = CONTACTS['e-mail address'];

const same = [
  ['e-mail address', 'another shop'],
  ['e-mail address', 'a till'],
  ['e-mail address', 'a sign-up at a till'],
  ['document', 'another shop'],
  ['document', 'a till'],
] as const;

const doors = ['proxy', 'account', 'till'] as const;
type Door = (typeof doors)[number];

/** From a page of the theme, the account page, or a till that shows this customer. */
const ask = (
  { one }: Pick<Program, 'one'>,
  door: Door,
  id: string,
  route: string,
  body?: object,
) =>
  door === 'proxy'
    ? one.proxy(id, route, body ? {} : { items: CART }, body ? { body } : {})
    : one[door](id, route, body ? { body } : { query: `items=${CART}` });

describe.each(same)('a shopper without points whose %s a member from %s has', (contact, origin) => {
  it.each(doors)('redeems nothing by the %s', async (door) => {
    const world = await openTwoMembers(connectors, { contact, origin });
    const answer = await ask(world, door, world.robin, 'redeem', world.click());
    world.expectRefusal(answer);
    await world.expectNothingSpent();
    world.expectOperatorTold();
  });

  it('is shown neither the points nor what could be redeemed with them', async () => {
    const world = await openTwoMembers(connectors, { contact, origin });
    for (const door of doors) {
      for (const route of ['view', 'rewards', 'me', 'redemptions', 'history']) {
        const { status, json, answerText } = await ask(world, door, world.robin, route);
        expect([door, route, status < 500 || status === 503]).toEqual([door, route, true]);
        world.expectSilent(answerText);
        const offered: { redeemable: boolean }[] = json?.rewards ?? [];
        expect(offered.filter(({ redeemable }) => redeemable)).toEqual([]);
        if (status === 200 && 'points' in json) expect([0, null]).toContain(json.points);
      }
    }
    await world.expectNothingSpent();
  });
});

describe('a shopper whose e-mail address another member has', () => {
  it.each([
    ['more', THEIRS],
    ['too few', 50],
  ])('spends only own points where the other has %s', async (_, theirs) => {
    const world = await openTwoMembers(connectors, { own: 250, theirs });
    const { status, json } = await ask(world, 'account', world.robin, 'redeem', world.click());
    await world.rest();
    world.expectOtherUntouched();
    // Served from the own points, or not at all.
    const isServed = status === 200 && json.redemption.state === 'ready';
    expect([world.pointsOf(world.robin), world.codesOf(world.robin)]).toEqual(
      isServed ? [150, 1] : [250, 0],
    );
    if (!isServed) expect([status >= 400, status < 500]).toEqual([true, true]);
  });

  it('is not offered what only the other could pay', async () => {
    // The reward of 200 points is beyond the own 120.
    const world = await openTwoMembers(connectors, { own: 120 });
    const { json } = await ask(world, 'account', world.robin, 'rewards');
    const dear = (json.rewards ?? []).filter(
      ({ id, redeemable }: { id: number; redeemable: boolean }) => id === 2 && redeemable,
    );
    expect(dear).toEqual([]);
    const answer = await ask(world, 'account', world.robin, 'redeem', world.click(2));
    world.expectRefusal(answer);
    await world.expectNothingSpent();
  });

  it('gets what a workflow gives, and the other does not', async () => {
    const settings = { shops: [{ domain: SHOP }], storefront: { flow: { mostPointsPerRun: 100 } } };
    const world = await openTwoMembers(connectors, { settings });
    const properties = { customer_id: world.robin, points: '50.0', reason: 'Thanks' };
    const run = { handle: 'loyalty-give-points', properties, runId: 'run-of-two-members' };
    const request = actionRequest(run, { shop: SHOP, secret: STORE_SECRET });
    const { status } = await world.one.send('example-store/flow/give-points', request);
    await world.rest();
    world.expectOtherUntouched();
    expect(world.pointsOf(world.robin)).toBe(status === 200 ? 50 : 0);
  });
});

/** The other changes their address to that of the shopper: from now on the service means them. */
async function takeAddress(program: Program, other: string): Promise<void> {
  await askLoyalty(program.loyalty, 'POST', '/Customer/upsert', {
    ...{ OriginalId: other, Name: 'Wilhelmina Elsewhere', Email },
  });
}

/** A shopper with 250 points whose address nobody else has yet. */
async function openBeforeTaken(settings: Parameters<typeof openProgram>[1] = {}) {
  const program = await openProgram(connectors, {
    ...settings,
    storefront: { readsPerMinute: 1_000, ...settings.storefront },
  });
  const other = ORIGINS['another shop'];
  await addMember(program, other, THEIRS, {
    ...{ Name: 'Wilhelmina Elsewhere', Email: 'wilhelmina.elsewhere@example.com' },
  });
  const robin = await addShopper(program, 'e-mail address', 250);
  await expectMeant(program, 'e-mail address', 250);
  return {
    ...program,
    robin,
    member: other,
    ...judge(program, robin, other, { own: 250, theirs: THEIRS }),
  };
}

describe('an address that another member takes', () => {
  it('between the proof and the spending: it is cancelled at once, and there is no code', async () => {
    const world = await openBeforeTaken();
    let taken = 0;
    const treat = async (call: OutsideCall): Promise<Treatment> => {
      if (!isRedeem(call) || taken > 0) return 'pass';
      taken += 1;
      await takeAddress(world, world.member);
      return 'pass';
    };
    const line = await world.startOnLine(treat);
    // The function has proven the shopper before: what it keeps of that is old now.
    await line.account(world.robin, 'view', { query: `items=${CART}` });
    const answer = await line.account(world.robin, 'redeem', { body: world.click() });
    expect(taken).toBe(1);
    world.expectRefusal(answer);
    // At once, by the click itself: no worker has run.
    world.expectOtherUntouched();
    await world.expectNothingSpent();
    const { redemptions } = world.loyalty.state();
    expect(redemptions.filter(({ canceledAt }) => canceledAt === null)).toEqual([]);
    world.expectOperatorTold();
  });

  it('and the answer to the spending is lost: the worker gives the points back, without a code', async () => {
    const world = await openBeforeTaken();
    const line = await world.startOnLine(async (call: OutsideCall): Promise<Treatment> => {
      if (!isRedeem(call)) return 'pass';
      await takeAddress(world, world.member);
      return { meanwhile: async () => Promise.reject(new Error('the answer is lost')) };
    });
    await line.account(world.robin, 'redeem', { body: world.click() });
    await world.rest();
    await world.expectNothingSpent();
  });

  it('between two pages: the next one shows nothing of theirs, and redeems nothing', async () => {
    const world = await openBeforeTaken();
    const before = await world.one.view(world.robin);
    expect(before.points).toBe(250);
    await takeAddress(world, world.member);
    for (const at of [world.one, world.start()]) {
      const { answerText } = await at.account(world.robin, 'view', { query: `items=${CART}` });
      world.expectSilent(answerText);
    }
    const { status, json } = await ask(world, 'account', world.robin, 'redeem', world.click());
    await world.rest();
    world.expectOtherUntouched();
    const isServed = status === 200 && json.redemption.state === 'ready';
    expect([world.pointsOf(world.robin), world.codesOf(world.robin)]).toEqual(
      isServed ? [150, 1] : [250, 0],
    );
  });

  it('after a reward was redeemed: taking it back gives the points to whom they were taken from', async () => {
    const world = await openBeforeTaken();
    const { json } = await ask(world, 'account', world.robin, 'redeem', world.click());
    expect(json.redemption.state).toBe('ready');
    await world.rest();
    await takeAddress(world, world.member);
    const redemptionId = json.redemption.id;
    const { status } = await ask(world, 'account', world.robin, 'take-back', { redemptionId });
    expect(status).toBe(200);
    await world.rest();
    await world.expectNothingSpent();
  });

  it('after a reward was taken back: a late order with its code takes nothing from the other', async () => {
    const world = await openBeforeTaken();
    const { json } = await ask(world, 'account', world.robin, 'redeem', world.click());
    const { code, id: redemptionId } = json.redemption;
    await world.rest();
    await ask(world, 'account', world.robin, 'take-back', { redemptionId });
    await world.rest();
    expect(world.pointsOf(world.robin)).toBe(250);
    await takeAddress(world, world.member);
    // Of a checkout that was open when the code was deleted.
    world.store.actions.placeOrder({
      ...{ customerId: world.robin, payment: 'paid', taxes: [] },
      lines: [{ title: 'Kettle', price: 100, quantity: 1 }],
      discounts: [{ code, amount: 5 }],
    });
    await world.rest();
    world.expectOtherUntouched();
    expect(world.pointsOf(world.robin)).toBe(150);
  });
});

describe('a customer record without `OriginalId`', () => {
  /** As a service that leaves the field out, or that means somebody else by the shopper's id. */
  const without =
    (robin: string, changes: object = {}): Treat =>
    ({ service, path }) =>
      service === 'loyalty' && decodeURIComponent(path).endsWith(`/Customer/${robin}`)
        ? {
            changed: (text) => {
              const answer = JSON.parse(text);
              const { OriginalId: _, ...Result } = answer.Result;
              return JSON.stringify({ ...answer, Result: { ...Result, ...changes } });
            },
          }
        : 'pass';

  it('is not taken for the caller’s own: nothing is spent of whom it names', async () => {
    const program = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
    const other = ORIGINS['another shop'];
    const theirs = { Name: 'Wilhelmina Elsewhere', Email: 'wilhelmina.elsewhere@example.com' };
    await addMember(program, other, THEIRS, theirs);
    const robin = await addShopper(program, 'e-mail address', 0);
    const judged = judge(program, robin, other, { own: 0, theirs: THEIRS });
    const at = await program.startOnLine(without(robin, theirs));
    const view = await at.account(robin, 'view', { query: `items=${CART}` });
    judged.expectSilent(view.answerText);
    judged.expectRefusal(await at.account(robin, 'redeem', { body: program.click() }));
    await judged.expectNothingSpent();
  });

  it('and with an address that another member has spends nothing of theirs', async () => {
    const world = await openTwoMembers(connectors);
    const at = await world.startOnLine(without(world.robin));
    world.expectRefusal(await at.account(world.robin, 'redeem', { body: world.click() }));
    await world.expectNothingSpent();
  });

  it('whose address nobody else has spends the own points, or nothing', async () => {
    const world = await openBeforeTaken();
    const at = await world.startOnLine(without(world.robin));
    const { status } = await at.account(world.robin, 'redeem', { body: world.click() });
    await world.rest();
    world.expectOtherUntouched();
    expect(world.pointsOf(world.robin)).toBe(status === 200 ? 150 : 250);
  });
});

describe('two shops on one account', () => {
  it('the same person in both spends the points of each shop’s own member', async () => {
    const program = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
    // An order of the second shop makes the other member, as the connector sends it.
    const wilhelmina = { ...persons.tibbold, email: Email };
    const other = String(wilhelmina.id);
    const payload = orderAt(1, { fulfilledAfterDays: 1 }, {}, wilhelmina);
    const from = { shop: SECOND_SHOP, secret: SECOND_SECRET };
    await program.connector.deliver(['orders/create', payload, from]);
    await program.give(other, THEIRS);
    const theirs = program.pointsOf(other) ?? 0;
    expect(theirs).toBeGreaterThanOrEqual(THEIRS);
    const robin = await addShopper(program, 'e-mail address', 0);
    await expectMeant(program, 'e-mail address', theirs);
    const judged = judge(program, robin, other, { own: 0, theirs });
    judged.expectRefusal(await program.one.account(robin, 'redeem', { body: program.click() }));
    await judged.expectNothingSpent();
  });
});

/**
 * The most calls of one act to the loyalty service. `before`: as many as it took when nothing was proven. A page of a
 * customer who is known stays at one (decision 24): the offers name whom they are for. Who comes first may be proven
 * by one more, and spending may be followed by one more that reads whose redemption it was.
 */
const ALLOWED = {
  'first page': { before: 6, more: 1 },
  'next page': { before: 1, more: 0 },
  'first redemption': { before: 4, more: 2 },
  'next redemption': { before: 3, more: 1 },
} as const;

describe('the normal shopper', () => {
  it.each(['e-mail address', 'document'] as const)(
    'known by the %s is served, with few calls',
    async (contact) => {
      const program = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
      const till = ORIGINS['a till'];
      await addMember(program, till, THEIRS, {
        ...{ Name: 'Wilhelmina Elsewhere', Email: 'wilhelmina.elsewhere@example.com' },
      });
      const robin = await addShopper(program, contact, 250);
      await program.rest();
      const { callsOf } = judge(program, robin, till, { own: 250, theirs: THEIRS });
      const [first, second] = [program.start(), program.start()];
      const acts = {
        'first page': () => first.account(robin, 'view', { query: `items=${CART}` }),
        'next page': () => first.account(robin, 'view', { query: `items=${CART}` }),
        'first redemption': () => second.account(robin, 'redeem', { body: program.click(3) }),
        'next redemption': () => second.account(robin, 'redeem', { body: program.click(3) }),
      };
      const tooMany: string[] = [];
      for (const [name, { before, more }] of Object.entries(ALLOWED)) {
        const calls = await callsOf(async () => {
          const { status } = await acts[name as keyof typeof acts]();
          expect([name, status]).toEqual([name, 200]);
        });
        if (calls.length > before + more) tooMany.push(`${name}: ${calls.join(', ')}`);
      }
      expect(tooMany).toEqual([]);
      await program.rest();
      expect([program.pointsOf(robin), program.codesOf(robin)]).toEqual([150, 2]);
      expect(program.pointsOf(till)).toBe(THEIRS);
    },
  );
});

describe('a caller with `posCustomerId: store-id`', () => {
  const connectors = runConnectors({ ...TAKES_TWO_MEMBERS, posCustomerId: 'any' });
  const settings = { storefront: { posCustomerId: 'store-id' } } as const;

  it('redeems nothing of the member who has the same e-mail address', async () => {
    const world = await openTwoMembers(connectors, { settings });
    world.expectRefusal(await ask(world, 'account', world.robin, 'redeem', world.click()));
    await world.expectNothingSpent();
  });

  it('redeems the own points, whoever has the same e-mail address', async () => {
    const world = await openTwoMembers(connectors, { own: 250, settings });
    const { json } = await ask(world, 'account', world.robin, 'redeem', world.click());
    expect(json.redemption.state).toBe('ready');
    await world.rest();
    world.expectOtherUntouched();
    expect([world.pointsOf(world.robin), world.codesOf(world.robin)]).toEqual([150, 1]);
  });

  it('whom the program does not know redeems nothing of a member whose document is that number', async () => {
    const program = await openProgram(connectors, settings);
    const { id: robin } = program.store.actions.createCustomer({
      ...{ firstName: 'Robin', lastName: 'Sampleson', email: Email },
    });
    const other = ORIGINS['a till'];
    const member = { OriginalId: other, Name: 'Wilhelmina Elsewhere', Document: robin };
    await askLoyalty(program.loyalty, 'POST', '/Customer/upsert', member);
    await program.give(other, THEIRS);
    const judged = judge(program, robin, other, { own: 0, theirs: THEIRS });
    const { status, answerText } = await ask(program, 'account', robin, 'redeem', program.click());
    expect([status, status >= 400]).toEqual([status, true]);
    judged.expectSilent(answerText.replaceAll(robin, ''));
    await program.rest();
    judged.expectOtherUntouched();
    expect(program.codesOf(robin)).toBe(0);
  });
});

describe('where the service asks for a PIN', () => {
  const connectors = runConnectors({ ...TAKES_TWO_MEMBERS, challenge: 'asked' });

  it.each(same)('none is sent to the member with the same %s, from %s', async (contact, origin) => {
    const world = await openTwoMembers(connectors, { contact, origin });
    const answer = await world.one.till(world.robin, 'challenge', { body: {} });
    world.expectRefusal(answer);
    expect(world.pinOf(world.member)).toBe('');
    // Nor with a contact that staff type in, which would get the other's PIN.
    const typed = { phone: '+15555550199' };
    await world.one.till(world.robin, 'challenge', { body: typed });
    expect(world.pinOf(world.member)).toBe('');
    expect(world.loyalty.state().challenges.map(({ customerId }) => customerId)).not.toContain(
      world.member,
    );
  });

  it('the PIN of the other is not validated for the shopper', async () => {
    const world = await openTwoMembers(connectors);
    // The other is at a till of their own, and tells their PIN.
    const path = `/POS/customers/${encodeURIComponent(Email)}/challenge`;
    await askLoyalty(world.loyalty, 'POST', path, { TransactionId: 'elsewhere-1' });
    const answer = world.pinOf(world.member);
    expect(answer).toMatch(/^\d{4}$/);
    const body = { ...world.click(), answer };
    world.expectRefusal(await world.one.till(world.robin, 'redeem', { body }));
    const validated = world.loyalty.journal.entries({ operation: 'validateChallenge' });
    expect(validated).toEqual([]);
    expect(world.loyalty.state().challenges).toMatchObject([{ passed: false }]);
    await world.expectNothingSpent();
  });

  it('a PIN that the shopper got before the address was taken spends nothing of the other', async () => {
    const program = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
    const other = ORIGINS['another shop'];
    const theirs = { Name: 'Wilhelmina Elsewhere', Email: 'wilhelmina.elsewhere@example.com' };
    await addMember(program, other, THEIRS, theirs);
    const robin = await addShopper(program, 'e-mail address', 250);
    const judged = judge(program, robin, other, { own: 250, theirs: THEIRS });
    const started = await program.one.till(robin, 'challenge', { body: {} });
    expect(started.json).toEqual({ started: true });
    const body = { ...program.click(), answer: program.pinOf(robin) };
    await takeAddress(program, other);
    await program.one.till(robin, 'redeem', { body });
    await program.rest();
    judged.expectOtherUntouched();
    expect(program.pointsOf(robin)).toBe(program.codesOf(robin) === 1 ? 150 : 250);
  });
});
