import { afterEach, describe, expect, it } from 'vitest';
import { openBalances } from '../../support/running-balances.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openStorefront } from '../../support/running-storefront.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

const CART = '11:20:1';

/** A customer with 369 points, and two functions that serve the same shop from one ledger. */
async function open() {
  const opened = await openStoreAndConnector(connectors, { seed: 7, shops: [{ domain: SHOP }] });
  const { store, connector } = opened;
  stop = opened.stop;
  const balances = await openBalances(connector);
  const { id: robin } = store.actions.createCustomer({
    firstName: 'Robin',
    email: 'robin@example.com',
  });
  const sync = async () => {
    await store.deliveries.settled();
    await connector.settle();
  };
  const buy = async (price: number, code?: string) => {
    const lines = [{ title: 'Kettle', price, quantity: 1 }];
    const order = store.actions.placeOrder({
      ...{ customerId: robin, lines, payment: 'paid', taxes: [] },
      ...(code && { discounts: [{ code }] }),
    });
    store.actions.fulfilOrder({ orderId: order.id });
    await sync();
    return order.id;
  };
  await buy(369);
  const functions = [openStorefront(connector), openStorefront(connector)] as const;
  return { ...functions, connector, balances, robin, buy };
}

type Opened = Awaited<ReturnType<typeof open>>;

const pointsIn = async (storefront: Opened[0], route: string, customer: string) =>
  (await storefront.get(route, customer)).json.points as number | null;

async function redeem({ 1: storefront, robin }: Opened) {
  const body = { rewardId: 3, clientKey: 'click-of-test-1', items: CART };
  const { status, json } = await storefront.post('redeem', robin, body);
  expect(status).toBe(200);
  return json.redemption as { readonly code: string; readonly state: string };
}

describe.each(['me', 'view'])('two functions that answer %s in turns', (route) => {
  it('never go back to an older balance before the first event of the customer', async () => {
    const world = await open();
    const seen = [await pointsIn(world[0], route, world.robin)];
    await redeem(world);
    for (const storefront of [world[1], world[0], world[1], world[0]]) {
      seen.push(await pointsIn(storefront, route, world.robin));
    }
    expect(seen).toEqual([369, 319, 319, 319, 319]);
  });

  it('never go back to an older balance while an event is on its way, nor after it', async () => {
    const world = await open();
    const { balances, robin } = world;
    await balances.forward();
    await balances.settle();
    const seen = [await pointsIn(world[0], route, robin)];
    await redeem(world);
    for (const storefront of [world[1], world[0]]) {
      seen.push(await pointsIn(storefront, route, robin));
    }
    await balances.forward();
    await balances.settle();
    for (const storefront of [world[0], world[1]]) {
      seen.push(await pointsIn(storefront, route, robin));
    }
    expect(seen).toEqual([369, 319, 319, 319, 319]);
  });
});

describe('two functions that show a code', () => {
  it('both call it used as soon as the order that used it was received', async () => {
    const world = await open();
    const { robin, buy } = world;
    const states = async () => {
      const views = [await world[0].get('view', robin), await world[1].get('view', robin)];
      return views.map(({ json }) => json.redemptions.map(({ state }: { state: string }) => state));
    };
    const { code } = await redeem(world);
    expect(await states()).toEqual([['ready'], ['ready']]);
    await buy(30, code.toLowerCase());
    expect(await states()).toEqual([['used'], ['used']]);
  });
});

describe('the points of an order', () => {
  it('are seen by its customer alone, from the moment it was received', async () => {
    const world = await open();
    const { robin, buy } = world;
    const orderId = await buy(40);
    const own = await world[0].get('order', robin, { id: orderId });
    expect(own.json).toEqual({ state: 'earned', points: 40, cashback: 2, why: null });
    const other = await world[1].get('order', '7999', { id: orderId });
    expect(other.json).toEqual({ state: 'waiting', points: null, cashback: null, why: null });
  });
});
