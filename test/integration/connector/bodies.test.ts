import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

/** A request to a Lambda holds 6 MB with its headers and what else comes with it. */
const LARGEST_BODY = 5_950_000;

/** An order with as many different lines as make a body of this size. */
function orderOfSize(bytes: number): Record<string, unknown> {
  const line = (index: number) => ({
    id: 9000 + index,
    product_id: 8_012_345_000_000 + index,
    title: `Shirt ${index} ${randomBytes(4).toString('hex')}`,
    vendor: 'North Loom',
    sku: randomBytes(3).toString('hex'),
    gift_card: false,
    quantity: 1,
    current_quantity: 1,
    price: '1.25',
    total_discount: '0.00',
    discount_allocations: [{ amount: '0.25', discount_application_index: 0 }],
    fulfillable_quantity: 1,
    properties: [{ name: 'engraving', value: 'none' }],
  });
  const empty = orderAt(1, { fulfilledAfterDays: 1 }, { line_items: [line(0)] });
  const room = bytes - JSON.stringify(empty).length;
  const count = Math.floor(room / (JSON.stringify(line(13_000)).length + 1));
  return {
    ...empty,
    line_items: Array.from({ length: count }, (_, index) => line(index)),
    current_subtotal_price: `${count}.00`,
    current_total_price: `${count}.00`,
  };
}

const onlyOrder = ({ loyalty }: RunningConnector) => {
  const [order, ...others] = loyalty.state().orders;
  expect(others).toEqual([]);
  return order;
};

describe('the largest body that a function can receive', () => {
  it('travels whole: every line of an order of 6 MB arrives', async () => {
    const connector = await connectors.open();
    const payload = orderOfSize(LARGEST_BODY);
    const size = JSON.stringify(payload).length;
    expect(size).toBeGreaterThan(5_700_000);
    expect(size).toBeLessThanOrEqual(LARGEST_BODY);
    const lines = payload.line_items as readonly unknown[];
    await connector.deliver(['orders/create', payload]);
    const order = onlyOrder(connector);
    expect(order?.OrderTotal).toBe(lines.length);
    expect(order?.Products).toHaveLength(lines.length);
    const prices = order?.Products?.map(({ ProductPrice }) => ProductPrice ?? 0) ?? [];
    expect(prices.reduce((sum, price) => sum + price, 0)).toBe(lines.length);
    expect(connector.store.reads).toBe(0);
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('that no message can hold is read from the store instead', async () => {
    const connector = await connectors.open();
    const note = randomBytes(4_400_000).toString('base64');
    const payload = orderAt(1, { fulfilledAfterDays: 1 }, { note });
    connector.store.putOrder(SHOP, storeOrderOf(payload));
    await connector.deliver(['orders/create', Buffer.from(JSON.stringify(payload))]);
    expect(onlyOrder(connector)).toMatchObject({ OrderTotal: 50, points: 50 });
    expect(connector.store.reads).toBe(1);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
