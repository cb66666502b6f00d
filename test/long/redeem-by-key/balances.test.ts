import { afterEach, describe, expect, it } from 'vitest';
import type { OutsideCall, Treat } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { always, at, once } from '../../support/treatments.ts';
import type { Shopper } from './processes.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors({ pointsValidDays: 20, pointsExpireSoonDays: 10 });
let world: RedeemWorld;
afterEach(() => world.stop());

const DAY_SECONDS = 86_400;

async function visit(robin: Shopper) {
  const answer = await (await world.startStorefront()).get(robin, 'me');
  if (answer === 'no answer') throw new Error('killed');
  expect(answer.status).toBe(200);
  return answer.json;
}

describe('a customer of whom no event came', () => {
  it('sees the balance of the service at the first visit, and so does the theme', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper({ points: 65 });
    expect(await visit(robin)).toMatchObject({ points: 65, cashback: 3.25 });
    await world.rest();
    expect(world.metafieldsOf(robin)).toMatchObject({ points: '65', cashback: '3.25' });
  });

  it('whom the service does not know has no balance', async () => {
    world = await openRedeemWorld(connectors);
    const { id } = world.store.actions.createCustomer({ email: 'kim.stranger@example.com' });
    const kim = { id, email: 'kim.stranger@example.com' };
    expect(await visit(kim)).toMatchObject({ points: null });
    await world.rest();
    expect(world.metafieldsOf(kim).points).toBeUndefined();
    expect(await world.deadLetters()).toBe(0);
  });
});

describe('the nightly repair', () => {
  const night = async (treat?: Treat) => {
    world.pass(DAY_SECONDS);
    const line = await world.reconcile(treat);
    await world.rest();
    return line;
  };

  it('brings the balances into the store whose events are missing, and leaves the others', async () => {
    world = await openRedeemWorld(connectors);
    const people = [
      await world.shopper({ points: 10 }),
      await world.shopper({ points: 20 }),
      await world.shopper({ points: 0 }),
    ];
    const [first, second, third] = people;
    if (!first || !second || !third) throw new Error('there are three');
    await night();
    for (const one of people.slice(0, 2)) {
      expect(Number(world.metafieldsOf(one).points)).toBe(world.pointsOf(one));
    }
    await world.give(second, 5);
    await world.give(third, 7);
    world.store.journal.clear();
    await night();
    for (const one of people) {
      expect(Number(world.metafieldsOf(one).points)).toBe(world.pointsOf(one));
    }
    const written = JSON.stringify(world.store.journal.entries({ operation: 'SetMetafields' }));
    expect([first, second, third].map(({ id }) => written.includes(id))).toEqual([
      false,
      true,
      true,
    ]);
    world.store.journal.clear();
    await night();
    expect(world.store.journal.entries({ operation: 'SetMetafields' })).toEqual([]);
  });

  it('also repairs a customer who takes no part in the program', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper({ points: 10 });
    await visit(robin);
    await world.rest();
    await world.give(robin, 5);
    await world.callLoyalty('POST', '/Customer/upsert', {
      OriginalId: robin.id,
      Email: robin.email,
      IsEnrolled: false,
    });
    await night();
    expect(world.metafieldsOf(robin)).toMatchObject({ points: '15' });
  });

  it('of the next night completes one that ended at any of its calls', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper({ points: 1 });
    const { calls } = await night();
    const isReport = ({ name }: OutsideCall) => name === 'GET /Reports/ListCustomersReport';
    const first = calls.findIndex(isReport);
    expect(first).toBeGreaterThan(0);
    for (const { index, service, name } of calls.slice(first)) {
      await world.give(robin, 1);
      await night(once(at(index), 'killed-after'));
      await night();
      const when = `ended after call ${index}: ${service} ${name}`;
      expect([when, Number(world.metafieldsOf(robin).points)]).toEqual([
        when,
        world.pointsOf(robin),
      ]);
    }
    await world.give(robin, 1);
    await night(always(isReport, 'http-500'));
    await night();
    expect(Number(world.metafieldsOf(robin).points)).toBe(world.pointsOf(robin));
  }, 180_000);
});

describe('points about to expire', () => {
  it('are shown with their date when it is near, and no more once they are spent', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper({ points: 100 });
    const expiry = new Date(Date.now() + 20 * DAY_SECONDS * 1000);
    const early = await visit(robin);
    expect(JSON.stringify(early)).not.toContain(expiry.toISOString().slice(0, 10));
    await world.rest();
    const before = world.metafieldsOf(robin);
    expect(before.points).toBe('100');

    world.pass(12 * DAY_SECONDS);
    const near = await visit(robin);
    await world.rest();
    const day = expiry.toISOString().slice(0, 10);
    expect(JSON.stringify(await visit(robin))).toContain(day);
    expect(near.points).toBe(100);
    const shown = Object.entries(world.metafieldsOf(robin)).filter(([key]) => !(key in before));
    expect(shown.map(([, value]) => value.slice(0, 10)).sort()).toEqual(['100', day]);

    await world.callLoyalty('POST', '/POS/rewards/1/redeem', {
      CustomerId: robin.email,
      OriginalKey: crypto.randomUUID(),
    });
    world.pass(2 * DAY_SECONDS);
    await visit(robin);
    await world.rest();
    expect(await visit(robin)).toMatchObject({ points: 0 });
    expect(world.metafieldsOf(robin)).toMatchObject({ points: '0' });
    expect(JSON.stringify(world.metafieldsOf(robin))).not.toContain(day);
    expect(JSON.stringify(await visit(robin))).not.toContain(day);
  });
});
