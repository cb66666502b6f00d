import { beforeEach, describe, expect, it } from 'vitest';
import { OBSERVER } from '../../fixtures/cut-over-observed-storefront.config.ts';
import { proxyValues, signedQuery } from '../../support/signed-query.ts';
import { isChanging, SHOP, useCutOver } from './world.ts';

const ORDERS = 30;
const ITEMS = '8012345678901:100.00:1';
const SETTINGS = 'test/fixtures/cut-over-observed-storefront.config.ts';

const world = useCutOver({ settings: SETTINGS });

beforeEach(async () => {
  await world.rest();
  await world.loyalty.reset();
});

/** What the store would show of a change by us: balances, definitions of them aside, and codes. */
function writtenToStore() {
  const { metafields, discounts, codes } = world.store.state();
  return { metafields, discounts: discounts.map(({ id }) => id), codes: codes.map(({ id }) => id) };
}

describe('an observed shop', () => {
  it('makes no changing call, and writes nothing to the store, whatever happens there', async () => {
    const { actions } = world.store;
    const other = world.otherIntegration('name');
    other.switchOn(new Date(Date.now() - 60_000));
    const [first = '', second = '', third = ''] = world.customerIds();
    const orders = Array.from({ length: ORDERS }, (_, index) =>
      world.sell([first, second, third][index % 3] ?? '', 10 + index, 2),
    );
    const person = { firstName: 'Robin', lastName: 'Walker', email: 'robin.walker@example.com' };
    const newcomer = actions.createCustomer(person);
    actions.updateCustomer({ customerId: newcomer.id, firstName: 'Robyn' });
    const product = actions.createProduct({ title: 'Kettle', price: 30 });
    actions.updateProduct({ productId: product.id, price: 35 });
    const discount = actions.createDiscount({ title: 'Sale', percentage: 10, codes: ['SALE-34'] });
    actions.updateDiscount({ discountId: discount.id, percentage: 20 });
    const before = writtenToStore();
    for (const { id } of orders.slice(0, 5)) world.giveBack(id, 1);
    for (const { id } of orders.slice(5, 8)) actions.cancelOrder({ orderId: id });
    actions.deleteProduct({ productId: product.id });
    // Its orders move points, and the service sends events of them.
    expect(other.poll()).toBe(ORDERS - 3);
    await world.loyalty.events.settled();
    await world.rest();

    const calls = world.loyalty.journal.entries();
    expect(calls.filter(isChanging)).toEqual([]);
    expect(writtenToStore()).toEqual(before);
    expect(world.stack.problems).toEqual([]);
    world.expectPoints(({ id }) => orders.some((one) => one.id === id));
    const letters = await world.run('dead-letters list');
    expect(letters.text).not.toMatch(/rejected|order \d/);
  });

  it('makes none when reconcile runs, also the deep scan', async () => {
    const [first = ''] = world.customerIds();
    const { id } = world.sell(first, 40);
    await world.rest();
    await world.runSchedules();
    await world.rest();
    expect(world.changingCalls()).toEqual([]);
    expect(world.heldOrder(id)).toBeUndefined();
  });
});

describe('the storefront of an observed shop', () => {
  it('is shown to staff only, and changes nothing for them either', async () => {
    const [, , customer = ''] = world.customerIds();
    expect(await ask(customer, 'view')).toMatchObject({ status: 403, code: 'not-live' });
    expect(await ask('', 'view')).toMatchObject({ status: 403, code: 'not-live' });
    expect(await ask(OBSERVER, 'view')).toMatchObject({ status: 200 });
    const click = { rewardId: 1, clientKey: 'click-0034', items: ITEMS };
    expect(await ask(OBSERVER, 'redeem', click)).toMatchObject({ status: 409, code: 'not-live' });
    expect(world.changingCalls()).toEqual([]);
  });

  async function ask(customerId: string, name: string, body?: object) {
    const values = proxyValues(SHOP, new Date(), customerId, { items: ITEMS });
    const query = signedQuery(values, world.stack.webhookSecret);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(
      `${world.stack.outputs.StorefrontAddress}/example-store/${name}?${query}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : {},
    );
    const text = await answer.text();
    const { error } = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: answer.status, code: error?.code };
  }
});
