import { describe, expect, it } from 'vitest';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { isRedeem, once } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openProgram } from '../../support/running-program.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
/** A member of another shop, or of a till. */
const OTHER = '6949999999999';
const EMAIL = 'robin.sampleson@example.com';

async function open(storefront = {}) {
  const world = await openProgram(connectors, { storefront });
  const member = (customer: object) =>
    askLoyalty(world.loyalty, 'POST', '/Customer/upsert', { Name: 'Wilmot', ...customer });
  /** Before the shopper signs up: the service finds the first of two. */
  const enrolOther = async (named: object) => {
    await member({ OriginalId: OTHER, ...named });
    await world.give(OTHER, 500);
  };
  const lines = () => world.connector.output.lines().map((line) => JSON.stringify(line));
  return { ...world, member, enrolOther, lines };
}

describe('a shopper whose e-mail address another member has', () => {
  it('spends nothing of theirs, is told so, and sees the own balance; an operator reads of both', async () => {
    const world = await open();
    await world.enrolOther({ Email: EMAIL });
    const robin = await world.shopper('Robin', 0);
    const redeemed = await world.one.account(robin, 'redeem', { body: world.click() });
    expect([redeemed.status, redeemed.json.error.code]).toEqual([409, 'another-member']);
    const { points, rewards, needsChallenge } = await world.one.view(robin);
    expect([points, needsChallenge]).toEqual([0, false]);
    expect(new Set(rewards?.map(({ why }) => why))).toEqual(
      new Set(['another-member', 'not-online']),
    );
    const told = world.lines().filter((line) => line.includes('another member'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('…9999');
    expect(told[0]).toContain(robin.slice(-4));
    expect(world.lines().filter((line) => line.includes(OTHER))).toEqual([]);
    await world.rest();
    expect([world.pointsOf(OTHER), world.spentBy(OTHER), world.codesOf(robin)]).toEqual([
      500, 0, 0,
    ]);
  });

  it('has no PIN sent to them, and no redemption at a till', async () => {
    const world = await open();
    await world.enrolOther({ Email: EMAIL });
    const robin = await world.shopper('Robin', 500);
    const started = await world.one.till(robin, 'challenge', { body: {} });
    expect([started.status, started.json.error.code]).toEqual([409, 'another-member']);
    const redeemed = await world.one.till(robin, 'redeem', { body: world.click() });
    expect([redeemed.status, redeemed.json.error.code]).toEqual([409, 'another-member']);
    expect(world.loyalty.journal.entries({ operation: 'startChallenge' })).toEqual([]);
    expect([world.pointsOf(OTHER), world.pointsOf(robin)]).toEqual([500, 500]);
  });

  it('redeems when only they come first, in whatever case it is written', async () => {
    const world = await open();
    const robin = await world.shopper('Robin', 250);
    await world.enrolOther({ Email: EMAIL.toUpperCase() });
    const { status } = await world.one.account(robin, 'redeem', { body: world.click() });
    await world.rest();
    expect([status, world.pointsOf(robin), world.pointsOf(OTHER)]).toEqual([200, 150, 500]);
  });
});

describe('a shopper whose document another member has', () => {
  it('spends nothing of theirs', async () => {
    const world = await open();
    const Document = '123.456.789-09';
    await world.enrolOther({ Document });
    const robin = world.signUp('Robin');
    await world.settle();
    await world.member({ OriginalId: robin, Email: '', Document: '12345678909' });
    const { status, json } = await world.one.account(robin, 'redeem', { body: world.click() });
    expect([status, json.error.code]).toEqual([409, 'another-member']);
    await world.rest();
    expect([world.pointsOf(OTHER), world.spentBy(OTHER)]).toEqual([500, 0]);
  });
});

describe('an e-mail address that another member takes', () => {
  it('between the proof and the spending gives the points back at once, and makes no code', async () => {
    const world = await open();
    await world.member({ OriginalId: OTHER, Email: 'wilmot@example.com' });
    await world.give(OTHER, 500);
    const robin = await world.shopper('Robin', 250);
    const first = await world.startOnLine(async (call) => {
      if (isRedeem(call)) await world.member({ OriginalId: OTHER, Email: EMAIL });
      return 'pass' as const;
    });
    const { status, json } = await first.account(robin, 'redeem', { body: world.click() });
    expect([status, json.error.code]).toEqual([409, 'another-member']);
    // Before any worker has run.
    expect([world.pointsOf(OTHER), world.pointsOf(robin)]).toEqual([500, 250]);
    await world.rest();
    expect([world.spentBy(OTHER), world.codesOf(robin)]).toEqual([0, 0]);
    expect(await world.connector.deadLetters()).toEqual([]);
    expect((await world.one.view(robin)).redemptions).toMatchObject([{ state: 'refused' }]);
  });

  it('before a call is repeated is noticed by the worker', async () => {
    const world = await open();
    await world.member({ OriginalId: OTHER, Email: 'wilmot@example.com' });
    await world.give(OTHER, 500);
    const robin = await world.shopper('Robin', 250);
    const lost = await world.startOnLine(once(isRedeem, 'killed-before'));
    await lost.account(robin, 'redeem', { body: world.click() });
    await world.member({ OriginalId: OTHER, Email: EMAIL });
    await world.rest();
    expect([world.pointsOf(OTHER), world.spentBy(OTHER), world.codesOf(robin)]).toEqual([
      500, 0, 0,
    ]);
  });
});

describe('where the operations take the id of the store', () => {
  it('a shared e-mail address changes nothing', async () => {
    const world = await open({ posCustomerId: 'store-id' });
    await world.enrolOther({ Email: EMAIL });
    const robin = await world.shopper('Robin', 0);
    const { status } = await world.one.account(robin, 'redeem', { body: world.click() });
    expect([status, world.pointsOf(OTHER)]).toEqual([409, 500]);
  });
});
