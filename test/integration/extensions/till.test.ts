import { describe, expect, it } from 'vitest';
import { isRedeem, once } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { customerToken, openProgram, type Program } from '../../support/running-program.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: Program;

const ANOTHER = '5002';

async function open() {
  world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
  return { robin: await world.shopper('Robin'), sasha: await world.shopper('Sasha', 7_777) };
}

async function expectSpentOnce(id: string) {
  await world.rest();
  expect([world.pointsOf(id), world.spentBy(id), world.codesOf(id)]).toEqual([150, 1, 1]);
  expect(await world.connector.deadLetters()).toEqual([]);
}

describe('a till', () => {
  it('spends nothing for a member of the program whom only another shop has', async () => {
    await open();
    const elsewhere = '6949999999999';
    const Email = 'wilmot.elsewhere@example.com';
    await world.callLoyalty('POST', '/Customer/upsert', {
      OriginalId: elsewhere,
      Name: 'Wilmot',
      Email,
    });
    await world.give(elsewhere, 500);
    await world.one.till(elsewhere, 'redeem', { body: world.click() });
    expect(world.loyalty.journal.entries({ operation: 'redeemRewardByKey' })).toEqual([]);
  });

  it('and the customer’s own page, at the same moment, redeem once', async () => {
    const { robin } = await open();
    const others = () =>
      Promise.all([
        world.other.till(robin, 'redeem', { body: world.click() }, ANOTHER),
        world.one.account(robin, 'redeem', { body: world.click() }),
      ]);
    const first = await world.startOnLine(once(isRedeem, { meanwhile: others }));
    await first.till(robin, 'redeem', { body: world.click() });
    await expectSpentOnce(robin);
  });
});

describe('the record of a till', () => {
  it('says which user redeemed what for whom, and holds no personal data', async () => {
    const { robin, sasha } = await open();
    const before = world.connector.output.lines().length;
    const { json } = await world.one.till(robin, 'redeem', { body: world.click() }, ANOTHER);
    await world.one.account(sasha, 'redeem', { body: world.click() });
    await world.rest();
    const lines = world.connector.output
      .lines()
      .slice(before)
      .map((line) => JSON.stringify(line));
    const about = lines.filter((line) => line.includes(`"${ANOTHER}"`));
    expect(about.length).toBeGreaterThan(0);
    expect(about.every((line) => line.includes(robin))).toBe(true);
    expect(about.some((line) => line.includes(json.redemption.id))).toBe(true);
    // A customer’s own redemption names no user.
    expect(lines.filter((line) => line.includes('"staff') && line.includes(sasha))).toEqual([]);
    const kept = [...lines, await world.connector.ledgerText()];
    expect(world.connector.confidential.disclosedIn(kept)).toEqual([]);
    expect(kept.join('')).not.toContain(customerToken(robin).slice(0, 30));
  });
});
