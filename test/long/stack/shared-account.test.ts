import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';

let stack: LocalStack;
beforeAll(async () => {
  stack = await startLocalStack({
    settings: 'test/fixtures/shared-account.config.ts',
  });
});
afterAll(() => stack?.stop(), 60_000);

it('shops that share an account each show the points of their own customers', async () => {
  const [{ loyalty: account }] = stack.shops;
  const bought = stack.shops.map(({ store, loyalty }, index) => {
    expect(loyalty).toBe(account);
    const name = `Robin${index}`;
    const email = `${name}@example.com`;
    const customer = store.actions.createCustomer({ firstName: name, lastName: 'Sample', email });
    const order = store.actions.placeOrder({
      customerId: customer.id,
      // The store's prices hold 20 % of taxes, which earn no points.
      lines: [{ title: 'Kettle', price: 60 * (index + 1), quantity: 1 }],
      payment: 'paid',
    });
    store.actions.fulfilOrder({ orderId: order.id });
    return {
      store,
      ownerGid: `gid://shopify/Customer/${customer.id}`,
      points: String(50 * (index + 1)),
    };
  });
  const metafields = bought.map(({ store }) => store.rows.metafields);
  const pointsIn = (rows: (typeof metafields)[number]) =>
    [...rows.values()]
      .filter(({ key }) => key === 'points')
      .map(({ ownerGid, value }) => ({ ownerGid, points: value }));
  await expect
    .poll(() => metafields.map(pointsIn), { timeout: 90_000, interval: 250 })
    .toEqual(bought.map(({ ownerGid, points }) => [{ ownerGid, points }]));
  await stack.settled();
  // Each shop gets the events of both, and leaves those of the other's customers alone.
  expect(metafields.flatMap(pointsIn)).toHaveLength(2);
  expect(stack.problems).toEqual([]);
});
