import { expect } from 'vitest';
import { productAt } from '../../../local/harness/product-payload.ts';
import { orderAt, storeOrderOf, withId } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { storeCoupon, storeProduct } from '../../fixtures/store-entities.ts';
import { A, B, type TwoAccounts } from '../../support/two-accounts.ts';

export const ORDERS_OF_A = [1, 2, 3, 4, 5, 6, 7, 8];
export const ORDERS_OF_B = [11, 12, 13, 14, 15, 16, 17, 18];

export const order = (id: number, second = 1, takenBack = 0) =>
  orderAt(
    second,
    {
      lines: [{ product: 1, priceCents: 1_000 + id, quantity: 2, discountCents: 0, takenBack }],
      fulfilledAfterDays: 1,
    },
    { ...withId(id), ...(takenBack > 0 && { financial_status: 'partially_refunded' }) },
    id > 10 ? persons.tibbold : persons.quillane,
  );
export const worth = (ids: readonly number[]) =>
  ids.reduce((sum, id) => sum + (2_000 + 2 * id) / 100, 0);

/** Orders, and one entity of each other kind. */
export async function deliverAll({ connector }: TwoAccounts, shop: string, ids: readonly number[]) {
  const [first = 0] = ids;
  const discount = String(1_688_847_450_000 + first);
  const code = `CODE${first}`;
  connector.store.putCoupon(shop, storeCoupon({ code, discountId: discount }));
  for (const id of ids) {
    connector.store.putOrder(shop, storeOrderOf(order(id)));
    await connector.post('orders/create', order(id), { shop });
  }
  connector.store.putProduct(
    shop,
    storeProduct({ id: String(first), updatedAt: '2026-10-09T11:00:01.000Z' }),
  );
  const product = productAt(1, {
    id: first,
    admin_graphql_api_id: `gid://shopify/Product/${first}`,
  });
  await connector.post('products/create', product, { shop });
  const admin_graphql_api_id = `gid://shopify/DiscountCodeNode/${discount}`;
  const changed = { admin_graphql_api_id, updated_at: '2026-10-09T11:00:00Z' };
  await connector.post('discounts/create', changed, { shop });
}

export async function deliverOfBoth(accounts: TwoAccounts) {
  await deliverAll(accounts, A, ORDERS_OF_A);
  await deliverAll(accounts, B, ORDERS_OF_B);
}

/** One of two pieces of every order of A comes back. */
export async function refundEach({ connector }: TwoAccounts) {
  for (const id of ORDERS_OF_A) {
    connector.store.putOrder(A, storeOrderOf(order(id, 2, 1)));
    await connector.post('orders/updated', order(id, 2, 1), { shop: A });
  }
}

/** Half of the points of A's orders are left. */
export async function expectEachRefundedOnce({ connector }: TwoAccounts) {
  await connector.settle();
  const [customer] = connector.loyalty.state().customers;
  expect(customer?.points).toBeCloseTo(worth(ORDERS_OF_A) / 2, 6);
  expect(await connector.deadLetters()).toEqual([]);
}

/** Everything of both shops is in the service, each order by one call, with the points of the store. */
export async function expectAllOnce({ connector, takenOrders }: TwoAccounts) {
  await connector.settle();
  expect(takenOrders(A)).toEqual(ORDERS_OF_A);
  expect(takenOrders(B)).toEqual(ORDERS_OF_B);
  const { customers, products, coupons } = connector.loyalty.state();
  const points = new Map(customers.map(({ OriginalId, points: has }) => [OriginalId, has]));
  expect(points.get(String(persons.quillane.id))).toBeCloseTo(worth(ORDERS_OF_A), 6);
  expect(points.get(String(persons.tibbold.id))).toBeCloseTo(worth(ORDERS_OF_B), 6);
  expect(products.map(({ OriginalId }) => OriginalId).toSorted()).toEqual(['1', '11']);
  expect(coupons.map(({ CouponCode }) => CouponCode).toSorted()).toEqual(['CODE1', 'CODE11']);
  expect(await connector.deadLetters()).toEqual([]);
}
