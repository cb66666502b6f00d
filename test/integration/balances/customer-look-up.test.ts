import { afterEach, describe, expect, it } from 'vitest';
import { pointEvent } from '../../fixtures/point-event.ts';
import { openBalances, type SandboxPayload } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

const EMAIL = 'robin.sampleson@example.com';

/** A customer of the store, whom the loyalty service knows from an order. */
async function open({ buys = true } = {}) {
  const both = await openStoreAndConnector(connectors, { seed: 11 });
  stop = both.stop;
  const { store, connector } = both;
  const balances = await openBalances(connector);
  connector.confidential.addPersonal({ customer: { first_name: 'Robin', email: EMAIL } });
  const create = () =>
    store.actions.createCustomer({ firstName: 'Robin', lastName: 'Sampleson', email: EMAIL }).id;
  const customerId = buys ? create() : '';
  if (buys) {
    const order = store.actions.placeOrder({
      customerId,
      lines: [{ title: 'Kettle', price: 64.9, quantity: 1 }],
      payment: 'paid',
    });
    store.actions.fulfilOrder({ orderId: order.id });
    await store.deliveries.settled();
    await connector.settle();
  }
  const pointsOf = (id: string) =>
    store
      .state()
      .metafields.find(
        ({ ownerGid, key }) => ownerGid === `gid://shopify/Customer/${id}` && key === 'points',
      )?.value;
  const earned = () => String(connector.loyalty.state().customers[0]?.points);
  return { connector, balances, customerId, create, pointsOf, earned };
}

const named = (Customer: object) => pointEvent({ EventDate: new Date().toISOString(), Customer });

/** As on a platform where the Id is something else. */
const withId = (Id: string | null) => (payload: SandboxPayload) => ({
  ...payload,
  Customer: { ...payload.Customer, Id },
});

describe('a point event without the id of the store', () => {
  it.each([null, EMAIL])('reaches its customer by e-mail, with %s as Id', async (id) => {
    const { connector, balances, customerId, pointsOf, earned } = await open();
    expect(await balances.forward(withId(id))).toEqual([200]);
    await balances.settle();
    expect(pointsOf(customerId)).toBe(earned());
    expect(await balances.deadLetters()).toEqual([]);
    expect(connector.loyalty.journal.entries({ operation: 'getCustomer' })[0]).toMatchObject({
      path: `/v1/pvt/Customer/${encodeURIComponent(EMAIL)}`,
    });
  });

  it('of nobody is tried for an hour, and then kept with its reason; a replay finds the customer', async () => {
    const { connector, balances, create, pointsOf } = await open({ buys: false });
    await balances.post('Point_Add', named({ Id: null, Email: EMAIL }));
    await balances.work();
    connector.pass(50 * 60);
    await balances.work();
    expect(await balances.waiting()).toBe(1);
    await balances.settle();
    const [letter] = await balances.deadLetters();
    expect(letter).toMatchObject({ reason: 'unmappable' });
    expect(letter?.why).toContain('neither the loyalty service nor the store');
    const id = create();
    await balances.replay(letter?.body ?? '');
    await balances.settle();
    expect(pointsOf(id)).toBe('310');
  });
});
