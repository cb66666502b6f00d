import { describe, expect, it } from 'vitest';
import { orderAt, storeOrderOf, withId } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { storeCoupon, storeProduct } from '../../fixtures/store-entities.ts';
import { productAt } from '../../support/product-payload.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

/** Every topic to which a connector could listen, and one that Shopify does not have. */
const TOPICS = [
  ...['create', 'updated', 'paid', 'fulfilled', 'partially_fulfilled', 'cancelled', 'edited'].map(
    (what) => `orders/${what}`,
  ),
  ...['orders/delete', 'refunds/create', 'fulfillments/create', 'order_transactions/create'],
  ...['products/create', 'products/update', 'products/delete', 'collections/update'],
  ...['discounts/create', 'discounts/update', 'discounts/delete'],
  ...['discounts/redeemcode_added', 'discounts/redeemcode_removed'],
  ...['customers/create', 'customers/update', 'customers/delete', 'customers/merge'],
  ...['customers/enable', 'customers/disable', 'customers/data_request', 'customers/redact'],
  ...['shop/redact', 'app/uninstalled', 'no/such-topic'],
];

const order = orderAt(1, { fulfilledAfterDays: 1 }, withId(8_012_345_678_901));
const product = productAt(1);
const discount = {
  admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/1688847450345',
  updated_at: '2026-10-01T00:00:00Z',
};
const { quillane } = persons;
const customer = {
  id: quillane.id,
  admin_graphql_api_id: `gid://shopify/Customer/${quillane.id}`,
  email: quillane.email,
  first_name: quillane.first_name,
  last_name: quillane.last_name,
  created_at: '2025-01-20T09:00:00Z',
  updated_at: '2026-10-09T11:00:00Z',
};

/** The shop as both sides have it: the order has the id of the product. */
async function openShop(): Promise<RunningConnector> {
  const connector = await connectors.open();
  connector.store.putOrder(SHOP, storeOrderOf(order));
  connector.store.putProduct(SHOP, storeProduct({ updatedAt: '2026-10-09T11:00:01.000Z' }));
  connector.store.putCoupon(SHOP, storeCoupon());
  await connector.deliver(
    ['orders/create', order],
    ['products/create', product],
    ['discounts/create', discount],
  );
  expect(held(connector)).toEqual(asSold);
  return connector;
}

const asSold = {
  orders: [['8012345678901', 50, true, false, 50]],
  customers: [[String(quillane.id), 50]],
  products: [['8012345678901', true]],
  coupons: [['AUTUMN10', true]],
};

function held({ loyalty }: RunningConnector) {
  const { orders, customers, products, coupons } = loyalty.state();
  return {
    orders: orders.map((one) => [
      ...[one.OriginalId, one.OrderTotal, one.IsCompleted, one.IsCancelledOrReturned, one.points],
    ]),
    customers: customers.map(({ OriginalId, points }) => [OriginalId, points]),
    products: products.map(({ OriginalId, IsActive }) => [OriginalId, IsActive]),
    coupons: coupons.map(({ CouponCode, isActive }) => [CouponCode, isActive]),
  };
}

describe('a captured body that is sent under every topic', () => {
  it.each([
    ['an order', order],
    ['a product', product],
    ['a discount', discount],
    ['a customer', customer],
  ])(
    '%s: changes nothing in the loyalty service and makes one dead letter at most',
    async (_, captured) => {
      const connector = await openShop();
      for (const round of [1, 2]) {
        for (const topic of TOPICS) {
          const webhookId = `captured-${round}-${topic}`;
          expect([200, 401]).toContain(await connector.post(topic, captured, { webhookId }));
        }
        await connector.settle();
        // Longer than the queue remembers a delivery.
        connector.pass(3_600);
      }
      expect(held(connector)).toEqual(asSold);
      expect((await connector.deadLetters()).length).toBeLessThanOrEqual(1);
      expect(await connector.waiting()).toBe(0);
      // No person is called for nothing, and nothing is erased.
      const text = await connector.ledgerText();
      expect(text).not.toContain('"notice|');
      expect(text).toContain(quillane.email);
    },
  );
});
