import { afterEach, describe, expect, it } from 'vitest';
import {
  customerToken,
  type ExtensionWorld,
  openExtensions,
  STAFF,
} from '../../support/extension-world.ts';
import { isRedeem, once } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: ExtensionWorld;
afterEach(() => world.stop());

const ANOTHER = '5002';

async function open(settings: Parameters<typeof openExtensions>[1] = { readsPerMinute: 1_000 }) {
  world = await openExtensions(connectors, settings);
  return { robin: await world.shopper('Robin'), sasha: await world.shopper('Sasha', 7_777) };
}

async function expectSpentOnce(id: string) {
  await world.rest();
  expect([world.pointsOf(id), world.spentBy(id), world.codesOf(id)]).toEqual([150, 1, 1]);
  expect(await world.balances.deadLetters()).toEqual([]);
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

  it('redeems once when a request is sent many times, at two functions and by two users', async () => {
    const { robin } = await open();
    const body = world.click();
    const tries = [world.one, world.other, world.one, world.other].map((till, index) =>
      till.till(robin, 'redeem', { body }, index > 1 ? ANOTHER : STAFF),
    );
    const answers = await Promise.all(tries);
    answers.push(await world.other.till(robin, 'redeem', { body }));
    expect(new Set(answers.map(({ status }) => status))).not.toContain(500);
    const ids = answers.flatMap(({ json }) => json.redemption?.id ?? []);
    expect(new Set(ids).size).toBe(1);
    await expectSpentOnce(robin);
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

describe('limits of a till', () => {
  it('redemptions of a customer are limited by the hour, over tills, functions and pages', async () => {
    const { sasha } = await open({ readsPerMinute: 1_000, redeemsPerHour: 3 });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      for (const till of [world.one, world.other]) {
        statuses.push(
          (await till.till(sasha, 'redeem', { body: world.click(3) }, `50${n}`)).status,
        );
      }
      statuses.push((await world.one.account(sasha, 'redeem', { body: world.click(3) })).status);
    }
    await world.rest();
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect([world.spentBy(sasha), world.pointsOf(sasha)]).toEqual([3, 7_777 - 150]);
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
