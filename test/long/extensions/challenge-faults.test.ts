import { afterEach, expect, it } from 'vitest';
import { type ExtensionWorld, openExtensions } from '../../support/extension-world.ts';
import { runConnectors } from '../../support/running-connector.ts';

// The service only asks for the challenge: it would redeem without it.
const connectors = runConnectors({ challenge: 'asked', posCustomerId: 'email-or-document' });
let world: ExtensionWorld;
afterEach(() => world.stop());

async function open() {
  world = await openExtensions(connectors, { readsPerMinute: 1_000 });
  const robin = await world.shopper('Robin');
  const start = (id: string, till = world.one) => till.till(id, 'challenge', { body: {} });
  const redeem = (id: string, answer?: unknown, till = world.one, click = world.click()) =>
    till.till(id, 'redeem', { body: { ...click, ...(answer !== undefined && { answer }) } });
  return { robin, start, redeem };
}

async function expectNothingSpent(id: string) {
  await world.rest();
  expect([world.pointsOf(id), world.spentBy(id), world.codesOf(id)]).toEqual([250, 0, 0]);
  expect(world.loyalty.journal.entries({ operation: 'redeemRewardByKey' })).toEqual([]);
}

it.each([
  'http-500',
  'http-503',
  'not-json',
  'empty',
  'truncated',
  'reset-before',
  'code-103',
] as const)('an answer that cannot be checked (%s) spends nothing, and then once', async (kind) => {
  const { robin, start, redeem } = await open();
  await start(robin);
  const fault = kind === 'not-json' ? { kind, status: 200 as const } : { kind };
  world.loyalty.faults.add({ ...fault, operation: 'validateChallenge', count: 1 });
  const click = world.click();
  const first = await redeem(robin, world.pinOf(robin), world.one, click);
  expect(first.status).toBeGreaterThanOrEqual(400);
  await expectNothingSpent(robin);
  const again = await redeem(robin, world.pinOf(robin), world.other, click);
  expect(again.status).toBe(200);
  await world.rest();
  expect([world.pointsOf(robin), world.spentBy(robin), world.codesOf(robin)]).toEqual([150, 1, 1]);
});

it.each(['http-500', 'empty', 'truncated', 'reset-after'] as const)(
  'while the service does not say whether it asks (%s), nothing is spent',
  async (kind) => {
    const { robin, redeem } = await open();
    world.loyalty.faults.add({ kind, operation: 'listAvailableRewards' });
    const { status } = await redeem(robin);
    expect(status).toBeGreaterThanOrEqual(400);
    world.loyalty.faults.clear();
    await expectNothingSpent(robin);
  },
);
