import { describe, expect, it } from 'vitest';
import type { View } from '../../../app/program/answers.ts';
import { both, isCodeMade, isRedeem, once } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import {
  openProgram,
  type Program,
  type StartedStorefront,
} from '../../support/running-program.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: Program;

async function open(points: number) {
  world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
  return world.shopper('Robin', points);
}

it('while a redemption is under way, another function shows its points as spent and its reward as taken', async () => {
  const robin = await open(294);
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
    const robin = await open(300);
    await world.rest();
    const { json } = await world.one.account(robin, 'redeem', { body: world.click() });
    const { code } = json.redemption;
    const stateOf = async (at: StartedStorefront) => {
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
