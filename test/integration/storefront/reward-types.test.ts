import { afterEach, describe, expect, it } from 'vitest';
import { openBalances } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openStorefront } from '../../support/running-storefront.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

/** A customer with 300 points, which are 15 of cashback, in the sample store. */
async function open() {
  const { store, connector, stop: end } = await openStoreAndConnector(connectors, { seed: 7 });
  stop = end;
  const balances = await openBalances(connector);
  const { post } = openStorefront(connector);
  const { id } = store.actions.createCustomer({ firstName: 'Robin', email: 'robin@example.com' });
  const { id: orderId } = store.actions.placeOrder({
    customerId: id,
    lines: [{ title: 'Kettle', price: 300, quantity: 1 }],
    payment: 'paid',
    taxes: [],
  });
  store.actions.fulfilOrder({ orderId });
  await store.deliveries.settled();
  await connector.settle();
  await balances.forward();
  const mug = [...store.rows.products.values()].find(({ title }) => title === 'Enamel Mug');
  return {
    id,
    store,
    mug,
    cart: `11:20:1,${mug?.id}:17:1`,
    redeem: (rewardId: number, more: object = {}) =>
      post('redeem', id, { rewardId, clientKey: `click-${rewardId}-of-robin`, ...more }),
    discountOf: (code: string) => {
      const known = store.rows.codes.get(code.toLowerCase());
      return store.rows.discounts.get(known?.discountId ?? '');
    },
  };
}

describe('a reward of the type', () => {
  it.each([
    ['0, percent', 2, {}, { value: { kind: 'percentage', ppm: 100_000 }, productIds: null }],
    ['1, fixed amount', 1, {}, { value: { kind: 'fixed', minor: 500 }, minimumMinor: 2_000 }],
    // At most half of an order: so 5 need one of 10, although the customer has no more than 15.
    [
      '3, cashback',
      8,
      { value: 5 },
      { value: { kind: 'fixed', minor: 500 }, minimumMinor: 1_000, productIds: null },
    ],
  ])('%s becomes a code of that discount', async (_, rewardId, more, discount) => {
    const { redeem, discountOf, cart } = await open();
    const { status, json } = await redeem(rewardId, { items: cart, ...more });
    expect([status, json.redemption.state]).toEqual([200, 'ready']);
    expect(discountOf(json.redemption.code)).toMatchObject({ ...discount, usageLimit: 1 });
  });

  it('5, product, becomes a code for one unit of the product that the service names', async () => {
    const { redeem, cart, discountOf, mug, store, id } = await open();
    expect((await redeem(9, { items: '11:20:1' })).json.error.code).toBe('product-conditions');
    const { json } = await redeem(9, { items: cart });
    const { code } = json.redemption;
    expect(discountOf(code)).toMatchObject({
      value: { kind: 'fixed', minor: 850, each: false },
      productIds: [mug?.id],
    });
    const lines = [{ variantId: mug?.variants[0]?.id ?? '', quantity: 2 }];
    const order = store.actions.placeOrder({ customerId: id, lines, discounts: [{ code }] });
    expect(order.lines.map(({ allocations }) => allocations.map(({ minor }) => minor))).toEqual([
      [850],
    ]);
  });
});
