import { afterEach, describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { isRedeem, once } from '../../support/treatments.ts';
import type { Shopper } from './processes.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

/** A shopper with 150 points and a code for 5 off, made although an answer was lost. */
async function shopperWithCode() {
  world = await openRedeemWorld(connectors);
  const robin = await world.shopper();
  const shop = await world.startStorefront(once(isRedeem, 'lost'));
  await shop.redeem(robin, world.click());
  await world.rest();
  const [redemption] = world.redemptionsOf(robin);
  const code = redemption?.ExternalCode ?? '';
  expect(world.codesOf(robin).map((one) => one.code)).toEqual([code]);
  return { robin, code };
}

async function buy(robin: Shopper, price: number, codes: readonly string[]) {
  const { actions } = world.store;
  const { id: orderId } = actions.placeOrder({
    customerId: robin.id,
    lines: [{ title: 'Kettle', price, quantity: 1 }],
    discounts: codes.map((code) => ({ code })),
    payment: 'paid',
    taxes: [],
  });
  actions.fulfilOrder({ orderId });
  await settle();
  return orderId;
}

async function settle(): Promise<void> {
  await world.store.deliveries.settled();
  await world.connector.settle();
}

const orderOf = (orderId: string) =>
  world.loyalty.state().orders.find(({ OriginalId }) => OriginalId === orderId);

describe('an order that uses the code of a reward', () => {
  it('names it as Coupon, and the service knows the reward as used by it', async () => {
    const { robin, code } = await shopperWithCode();
    const orderId = await buy(robin, 64.9, [code]);
    expect(orderOf(orderId)).toMatchObject({ Coupon: code, OrderTotal: 59.9, points: 59.9 });
    expect(world.redemptionsOf(robin)).toMatchObject([{ usedByOrderId: orderId }]);
    expect(world.pointsOf(robin)).toBe(209.9);
  });

  it.each(['first', 'last'] as const)(
    'names it, with another code on the order: %s',
    async (place) => {
      const { robin, code } = await shopperWithCode();
      world.store.actions.createDiscount({ kind: 'basic', codes: ['WELCOME'], percentage: 10 });
      const codes = place === 'first' ? [code, 'WELCOME'] : ['WELCOME', code];
      const orderId = await buy(robin, 100, codes);
      expect(orderOf(orderId)).toMatchObject({ Coupon: code });
      expect(world.redemptionsOf(robin)).toMatchObject([{ usedByOrderId: orderId }]);
    },
  );

  it('loses its points when it is cancelled, and only those', async () => {
    const { robin, code } = await shopperWithCode();
    const orderId = await buy(robin, 64.9, [code]);
    world.store.actions.cancelOrder({ orderId });
    await settle();
    expect(orderOf(orderId)).toMatchObject({ IsCancelledOrReturned: true, points: 0 });
    expect(world.pointsOf(robin)).toBe(150);
  });
});

describe('an order without the code of a reward', () => {
  it('names the code that the customer used, and no reward', async () => {
    const { robin } = await shopperWithCode();
    world.store.actions.createDiscount({ kind: 'basic', codes: ['WELCOME'], percentage: 10 });
    const orderId = await buy(robin, 100, ['WELCOME']);
    expect(orderOf(orderId)).toMatchObject({ Coupon: 'WELCOME', OrderTotal: 90 });
    expect(world.redemptionsOf(robin)).toMatchObject([{ usedByOrderId: null }]);
  });
});
