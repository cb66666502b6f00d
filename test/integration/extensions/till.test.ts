import { describe, expect, it } from 'vitest';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { isRedeem, once } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { CART, customerToken, openProgram, type Program } from '../../support/running-program.ts';

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
    await askLoyalty(world.loyalty, 'POST', '/Customer/upsert', {
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

describe('where the service asks for a challenge', () => {
  // It only asks for it: it would redeem without it.
  const connectors = runConnectors({ challenge: 'asked', posCustomerId: 'email-or-document' });

  it('the right answer redeems once, and a used one does not work again', async () => {
    world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
    const robin = await world.shopper('Robin');
    const redeem = (answer?: unknown, till = world.one, click = world.click()) =>
      till.till(robin, 'redeem', { body: { ...click, ...(answer !== undefined && { answer }) } });
    const { json: view } = await world.one.till(robin, 'view', { query: `items=${CART}` });
    expect([view.points, view.needsChallenge]).toEqual([250, true]);
    const early = await redeem();
    expect([early.status, early.json.error.code]).toEqual([409, 'challenge-needed']);
    const started = await world.one.till(robin, 'challenge', { body: {} });
    expect(started.json).toEqual({ started: true });
    const pin = world.pinOf(robin);
    const [call] = world.loyalty.journal.entries({ operation: 'startChallenge' });
    expect(call?.answer).toMatchObject({ Code: pin });
    const click = world.click();
    const first = await redeem(pin, world.one, click);
    expect([first.status, first.json.redemption?.state]).toEqual([200, 'ready']);
    // The same request again, also at another till, is the same redemption.
    for (const till of [world.one, world.other]) {
      const again = await redeem(pin, till, click);
      expect([again.status, again.json.redemption?.id]).toEqual([200, first.json.redemption.id]);
    }
    const more = await redeem(pin, world.other, world.click(3));
    expect(more.status).toBe(409);
    await world.rest();
    expect([world.pointsOf(robin), world.spentBy(robin), world.codesOf(robin)]).toEqual([
      150, 1, 1,
    ]);
    // Nor does anything of ours tell the PIN, though the service told it to us.
    const kept = [...world.connector.output.pieces, await world.connector.ledgerText()].join('\n');
    expect(kept).not.toMatch(new RegExp(`["' :=]${pin}["' ,}]`));
  });
});

describe('where the service sends PINs as an SMS, and knows no phone number', () => {
  const connectors = runConnectors({
    ...{ challenge: 'asked', challengeSentBy: 'sms', posCustomerId: 'email-or-document' },
  });

  it('a till asks for a phone number where the service lacks it; it goes to the service and nowhere else', async () => {
    world = await openProgram(connectors);
    const robin = await world.shopper('Robin');
    const phone = '+55 11 5550 0100';
    const typed = (body: object, till = world.one) => till.till(robin, 'challenge', { body });
    const sent = () =>
      world.loyalty.journal
        .entries({ operation: 'startChallenge' })
        .map(({ body }) => (body as { Phone?: string }).Phone);
    // A till that names a number before the service asks for it would choose who gets the PIN.
    const needed = await typed({ phone });
    expect([needed.status, needed.json.error]).toEqual([
      409,
      {
        ...{ code: 'contact-needed', asks: ['phone'], message: expect.any(String) },
        programMessage: 'Ask the customer for a phone number.',
      },
    ]);
    expect(sent()).toEqual([undefined]);
    expect((await typed({ phone }, world.other)).json).toEqual({ started: true });
    expect(sent()).toEqual([undefined, phone]);
    const body = { ...world.click(), answer: world.pinOf(robin) };
    expect((await world.one.till(robin, 'redeem', { body })).status).toBe(200);
    // The next transaction begins anew.
    const { json: next } = await typed({ phone });
    expect(next.error.code).toBe('contact-needed');
    expect(sent().at(-1)).toBeUndefined();
    const kept = [...world.connector.output.pieces, await world.connector.ledgerText()].join('\n');
    expect(kept).not.toMatch(/5550|Ask the customer/);
  });
});
