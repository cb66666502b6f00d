import { describe, expect, it } from 'vitest';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import { moneySet } from '../../fixtures/order-payload.ts';
import type { OrderSpec } from '../../fixtures/order-spec.ts';
import { persons } from '../../fixtures/persons.ts';
import { type RunningSettings, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

const line = { product: 1, priceCents: 5000, quantity: 1, discountCents: 0, takenBack: 0 };
const fulfilled = { fulfilledAfterDays: 2 };

/** Sends one order and gives the connector, and the order as the loyalty service holds it. */
async function sendOne(
  spec: Partial<OrderSpec>,
  changes: Record<string, unknown> = {},
  settings: RunningSettings = {},
) {
  const connector = await connectors.open(settings);
  await connector.deliver(['orders/create', orderAt(1, { ...fulfilled, ...spec }, changes)]);
  expect(await connector.deadLetters()).toEqual([]);
  const [order, ...others] = connector.loyalty.state().orders;
  expect(others).toEqual([]);
  return { connector, order };
}

const namesAndPrices = (order: Awaited<ReturnType<typeof sendOne>>['order']) =>
  order?.Products?.map(({ OriginalId, ProductPrice }) => [OriginalId, ProductPrice]);

describe('orders that are nobody’s business', () => {
  it("a guest's order: skipped, and sent once it has a customer", async () => {
    const { connector, order } = await sendOne({}, { customer: null });
    expect(order).toBeUndefined();
    expect(connector.newOperations()).toEqual([]);
    await connector.deliver(['orders/updated', orderAt(2, fulfilled)]);
    expect(connector.newOperations()).toEqual(['sendOrder']);
  });

  it("a test order, such as the admin's test notification: skipped", async () => {
    const { connector } = await sendOne({ cancelledAfterDays: 0 }, { test: true });
    expect(connector.newOperations()).toEqual([]);
  });

  it('an order whose customer is deleted later is still corrected', async () => {
    const { connector } = await sendOne({});
    const lines = [{ ...line, priceCents: 3000 }];
    await connector.deliver([
      'orders/updated',
      orderAt(2, { ...fulfilled, lines }, { customer: null }),
    ]);
    expect(connector.loyalty.state().orders).toMatchObject([{ OrderTotal: 30, points: 30 }]);
    expect(connector.loyalty.state().customers).toMatchObject([{ points: 30 }]);
  });
});

describe('who and where', () => {
  it('sends the customer with the document, from where the merchant keeps it', async () => {
    const { connector } = await sendOne(
      {},
      {},
      {
        rules: { document: { from: 'note-attribute', name: 'document' } },
      },
    );
    const { quillane } = persons;
    expect(connector.loyalty.state().customers).toMatchObject([
      {
        OriginalId: String(quillane.id),
        Name: 'Quillane Ostravik',
        Email: quillane.email,
        Phone: quillane.phone,
        Document: quillane.document,
        SignupDate: '2025-01-20T08:00:00.000Z',
      },
    ]);
  });

  const till = { source_name: 'pos', location_id: 655441491, user_id: 799407056 };

  it('a point of sale: branch and salesperson by id, by name once the store told it', async () => {
    const { connector, order } = await sendOne({}, till);
    expect(order).toMatchObject({
      Branch: { OriginalId: '655441491' },
      SalesPerson: { OriginalId: '799407056' },
    });
    const told = storeOrderOf(orderAt(2, fulfilled, till));
    connector.store.putOrder(SHOP, {
      ...told,
      location: { id: '655441491', name: 'Harbour Street' },
      staff: { id: '799407056', name: 'till 4' },
    });
    await connector.deliver([
      'orders/edited',
      { order_edit: { id: 1, order_id: Number(told.id) } },
    ]);
    const named = {
      Branch: { OriginalId: '655441491', Name: 'Harbour Street' },
      SalesPerson: { OriginalId: '799407056', Name: 'till 4' },
    };
    expect(connector.loyalty.state().orders).toMatchObject([named]);
    connector.newCalls();
    // A webhook knows the ids only, and takes nothing back.
    await connector.deliver(['orders/updated', orderAt(3, fulfilled, till)]);
    expect(connector.newOperations()).toEqual([]);
    expect(connector.loyalty.state().orders).toMatchObject([named]);
  });

  it('a draft order has a location and a staff member too, and is no point of sale', async () => {
    const { order } = await sendOne({}, { ...till, source_name: 'shopify_draft_order' });
    expect(order).toMatchObject({ Branch: null, SalesPerson: null });
  });
});

describe('money', () => {
  it('paid in another currency: the shop’s money counts', async () => {
    const { order } = await sendOne(
      {},
      {
        presentment_currency: 'DKK',
        current_subtotal_price: undefined,
        current_subtotal_price_set: moneySet(5000),
      },
    );
    expect(order).toMatchObject({ OrderTotal: 50, points: 50 });
    expect(order?.Metadatas).toContainEqual(
      expect.objectContaining({ Name: 'currency', Value: 'EUR' }),
    );
  });

  const taxed = { taxPercent: 20, shippingCents: 1200 };

  it.each([
    ['included in prices', true, 'subtotal', 50],
    ['on top', false, 'subtotal', 50],
    ['included in prices, with all but shipping counted', true, 'total-less-shipping', 50],
    ['on top, with all but shipping counted', false, 'total-less-shipping', 60],
  ] as const)(
    'taxes %s: shipping is never counted',
    async (_, taxesIncluded, orderTotal, total) => {
      const { order } = await sendOne({ ...taxed, taxesIncluded }, {}, { rules: { orderTotal } });
      expect(order).toMatchObject({ OrderTotal: total, points: total });
    },
  );

  it('a tip is neither a product nor part of the total', async () => {
    const { order } = await sendOne({ tipCents: 750 });
    expect(order).toMatchObject({ OrderTotal: 50 });
    expect(namesAndPrices(order)).toEqual([['8012345678901', 50]]);
  });

  it('a gift card sold is a product; one that paid a part is not how it was paid', async () => {
    const lines = [{ ...line, priceCents: 2500 }];
    const sold = orderAt(1, { lines }).line_items as readonly Record<string, unknown>[];
    const { order } = await sendOne(
      { lines },
      {
        line_items: sold.map((item) => ({ ...item, gift_card: true, title: 'Gift card' })),
        payment_gateway_names: ['gift_card', 'shopify_payments'],
      },
    );
    expect(order).toMatchObject({
      OrderTotal: 25,
      Products: [{ OriginalId: '8012345678901', Title: 'Gift card', ProductPrice: 25 }],
      PaymentMethod: { OriginalId: 'shopify_payments' },
    });
  });

  it('a custom line has an id of its own and is not on offer', async () => {
    const custom = { ...line, product: undefined, priceCents: 450 };
    const { order } = await sendOne({ lines: [line, custom] });
    expect(order).toMatchObject({ OrderTotal: 54.5 });
    expect(order?.Products).toMatchObject([
      { OriginalId: '8012345678901', IsActive: true, ProductPrice: 50 },
      { OriginalId: 'line-9001', IsActive: false, ProductPrice: 4.5 },
    ]);
  });

  it('two codes: the first is the coupon, all stand in the metadata', async () => {
    const { order } = await sendOne(
      { lines: [{ ...line, discountCents: 500 }] },
      {
        discount_applications: [
          { type: 'automatic', title: 'Autumn' },
          { type: 'discount_code', code: 'WARM5' },
          { type: 'manual', title: 'for the wait' },
          { type: 'discount_code', code: 'SHIPFREE' },
        ],
        discount_codes: [{ code: 'WARM5' }, { code: 'for the wait' }, { code: 'SHIPFREE' }],
      },
    );
    expect(order).toMatchObject({ Coupon: 'WARM5', OrderTotal: 45 });
    expect(order?.Metadatas).toContainEqual(
      expect.objectContaining({ Name: 'coupons', Value: 'WARM5, SHIPFREE' }),
    );
  });

  it('an id beyond 2^53 arrives digit for digit', async () => {
    const connector = await connectors.open();
    const id = '820982911946154508';
    const payload = orderAt(1, fulfilled, { id: '#id', admin_graphql_api_id: undefined });
    const body = Buffer.from(JSON.stringify(payload).replace('"#id"', id));
    connector.confidential.addPersonal(payload);
    await connector.deliver(['orders/create', body]);
    expect(connector.loyalty.state().orders).toMatchObject([{ OriginalId: id }]);
  });
});
