import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { lineOf } from '../../fixtures/order-spec.ts';
import { persons } from '../../fixtures/persons.ts';
import { storeCoupon } from '../../fixtures/store-entities.ts';
import { productAt } from '../../support/product-payload.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

const priced = (priceCents: number) => ({
  lines: [lineOf(priceCents)],
  fulfilledAfterDays: 1,
});
const order = (id: number, second = 1, priceCents = 5000) =>
  orderAt(second, priced(priceCents), withId(id), id % 2 ? persons.quillane : persons.tibbold);

/** One of each kind of entity, and two persons' orders. */
async function deliverAll(connector: RunningConnector): Promise<void> {
  connector.store.putCoupon(SHOP, storeCoupon());
  const updated_at = '2026-10-09T11:00:00Z';
  const discount = { admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/1688847450345' };
  for (const id of [1, 2, 3, 4]) await connector.post('orders/create', order(id));
  await connector.post('products/create', productAt(1));
  await connector.post('discounts/create', { ...discount, updated_at });
}

/** The store and the loyalty service agree, every point was counted once, and nobody has to look. */
async function expectAgreement(connector: RunningConnector): Promise<void> {
  const { orders, customers, points, products, coupons } = connector.loyalty.state();
  expect(orders.map(({ OriginalId, OrderTotal }) => [OriginalId, OrderTotal]).toSorted()).toEqual(
    ['1', '2', '3', '4'].map((id) => [id, 50]),
  );
  expect(points.map((record) => record.points)).toEqual([50, 50, 50, 50]);
  expect(customers.map((customer) => customer.points)).toEqual([100, 100]);
  expect(products).toMatchObject([{ Title: 'Linen shirt', IsActive: true }]);
  expect(coupons).toMatchObject([{ CouponCode: 'AUTUMN10', isActive: true }]);
  expect(await connector.waiting()).toBe(0);
  expect(await connector.deadLetters()).toEqual([]);
}

describe('after the loyalty service was ill', () => {
  const illnesses: Record<string, readonly FaultRule[]> = {
    'answered 503 for a while': [{ kind: 'http-503', count: 9 }],
    'throttled with 429 and a Retry-After': [{ kind: 'http-429', retryAfterSeconds: 90, count: 7 }],
    'did what it was asked and reset the connection': [{ kind: 'reset-after', count: 7 }],
    'was hidden behind the page of a gateway': [{ kind: 'not-json', count: 7 }],
    'failed half of all calls, in every way it can': [
      { kind: 'reset-after', probability: 0.2 },
      { kind: 'http-503', probability: 0.2 },
      { kind: 'truncated', probability: 0.2 },
    ],
  };

  it.each(Object.entries(illnesses))('it %s', async (_, rules) => {
    const connector = await connectors.open();
    for (const rule of rules) connector.loyalty.faults.add(rule);
    await deliverAll(connector);
    await connector.settle();
    expect(connector.newCalls().filter(({ fault }) => fault).length).toBeGreaterThan(0);
    await expectAgreement(connector);
  });
});
