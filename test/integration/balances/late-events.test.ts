import { afterEach, describe, expect, it } from 'vitest';
import { openBalances } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
const DAY = 86_400;
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

/** An order of two kettles, 50 each, is paid and sent; the service gives points after so many days. */
async function open(daysToWaitToGrantPoints: number) {
  const { store, connector, stop: end } = await openStoreAndConnector(connectors, { seed: 5 });
  const { loyalty } = connector;
  const usual = { ...loyalty.settings };
  Object.assign(loyalty.settings, { daysToWaitToGrantPoints });
  stop = async () => {
    Object.assign(loyalty.settings, usual);
    await end();
  };
  const balances = await openBalances(connector);
  const { id } = store.actions.createCustomer({
    firstName: 'Robin',
    lastName: 'Sampleson',
    email: 'robin.sampleson@example.com',
  });
  const arrive = async () => {
    await store.deliveries.settled();
    await connector.settle();
  };
  const order = store.actions.placeOrder({
    customerId: id,
    lines: [{ title: 'Kettle', price: 50, quantity: 2 }],
    payment: 'paid',
  });
  store.actions.fulfilOrder({ orderId: order.id });
  await arrive();
  const refundOne = async () => {
    connector.pass(60);
    const lines = [{ lineId: order.lines[0]?.id ?? '', quantity: 1 }];
    store.actions.refundOrder({ orderId: order.id, lines });
    await arrive();
  };
  return {
    balances,
    connector,
    loyalty,
    refundOne,
    pass: (days: number) => {
      connector.pass(days * DAY);
      // Lets the service do what is due.
      loyalty.advance(1);
    },
    inService: () => String(loyalty.state().customers[0]?.points),
    inStore: () =>
      store
        .state()
        .metafields.find(
          ({ ownerGid, key }) => ownerGid === `gid://shopify/Customer/${id}` && key === 'points',
        )?.value,
  };
}

const pointsIn = (payload: unknown): string =>
  String((payload as { PointsBalance?: { PointsBalance: number } }).PointsBalance?.PointsBalance);

describe('the balance in the store becomes that of the service', () => {
  it('when the points of an order come days later', async () => {
    const { balances, pass, inService, inStore } = await open(3);
    expect(await balances.forward()).toEqual([]);
    pass(3.1);
    expect(await balances.forward()).toEqual([200]);
    await balances.settle();
    expect(Number(inService())).toBeGreaterThan(0);
    expect(inStore()).toBe(inService());
  });

  it('when the event of a refund overtakes that of the points by days', async () => {
    const { balances, loyalty, pass, refundOne, inService, inStore } = await open(0);
    await refundOne();
    const [points, ...later] = loyalty.events.all();
    expect(later.length).toBeGreaterThan(0);
    for (const { topic, payload } of later) await balances.post(topic, payload);
    await balances.settle();
    expect(inStore()).toBe(inService());
    pass(2);
    expect(points && (await balances.post(points.topic, points.payload))).toBe(200);
    await balances.settle();
    expect(inStore()).toBe(inService());
    expect(pointsIn(points?.payload)).not.toBe(inService());
    expect(await balances.deadLetters()).toEqual([]);
  });
});
