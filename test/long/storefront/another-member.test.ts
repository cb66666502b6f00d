import { describe, expect, it } from 'vitest';
import { orderAt } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { actionRequest } from '../../support/flow-action.ts';
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

/** Each contact and each origin; what an answer may name of a member is tried in own-member.test.ts. */
const same = [
  ['e-mail address', 'another shop'],
  ['e-mail address', 'a sign-up at a till'],
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
  it('spends only own points', async () => {
    const world = await openTwoMembers(connectors, { own: 250 });
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
async function openBeforeTaken() {
  const program = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
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
});
