import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { topicOf } from '../../shared/shopify/webhooks/topics.ts';
import { describeStorePlatform, type PlatformUnderTest } from '../contract/store-platform.ts';
import { buildOrder } from '../fixtures/order-payload.ts';
import { simpleOrder } from '../fixtures/order-spec.ts';
import { adminStoreOf } from '../support/store-and-connector.ts';

const SHOP = 'example-store.myshopify.com';
const secrets = { current: 'newer-secret-of-this-test', previous: 'older-secret-of-this-test' };
const GIDS = {
  order: 'Order',
  product: 'Product',
  discount: 'DiscountCodeNode',
  member: 'Customer',
};

/** Of an order all that an order has, of others only what names them. */
function bodyOf({ kind, id, change }: Parameters<PlatformUnderTest['deliver']>[0]): string {
  const gid = `gid://shopify/${GIDS[kind]}/${id}`;
  if (change === 'erased') {
    return `{"shop_domain":"${SHOP}","customer":{"id":${id}},"orders_to_redact":[]}`;
  }
  // Orders and products say nothing else of a deletion.
  if (change === 'deleted' && (kind === 'order' || kind === 'product')) return `{"id":${id}}`;
  const { payload } = buildOrder(simpleOrder);
  const at = { updated_at: '2026-10-09T12:00:00Z' };
  const fields = kind === 'order' ? { ...payload, admin_graphql_api_id: gid } : at;
  return JSON.stringify({ ...fields, id: 0, admin_graphql_api_id: gid }).replace(
    '"id":0',
    `"id":${id}`,
  );
}

async function open() {
  let clock = Date.parse('2026-10-09T12:00:00Z');
  const { actions, ...sandbox } = await startStoreSandbox({
    ...{ sample: false, accessToken: 'shpat_of_this_test_71c2', ids: 'beyond-2^53' },
    shop: { domain: SHOP, taxes: [{ title: 'VAT', ratePpm: 190_000 }] },
    // The clock stands still between the steps, so the bucket would not fill again.
    settings: { bucketSize: 1_000_000 },
    now: () => new Date(clock),
  });
  /** The store's dates have whole seconds. */
  const after = async <Value>(act: () => Value): Promise<Value> => {
    clock += 1_000;
    return act();
  };
  const of = (orderId: string) => ({ orderId });

  return {
    ...{ shop: SHOP, settings: { domain: SHOP }, currency: 'EUR', secrets },
    sandboxAddress: sandbox.address,
    storeSecret: { accessToken: sandbox.credentials.accessToken },
    wrongSecret: { accessToken: 'shpat_of_another_shop' },
    store: adminStoreOf({ ...sandbox, actions }),
    now: () => new Date(clock),
    deliver({ kind, id, change }, how) {
      const body = Buffer.from(bodyOf({ kind, id, change }));
      const secret = how === 'signed with the older secret' ? secrets.previous : secrets.current;
      const signature = createHmac('sha256', secret).update(body).digest('base64');
      const headers = {
        'X-Shopify-Topic':
          change === 'erased' ? 'customers/redact' : topicOf({ kind, claim: change }),
        // The shops of one app have one secret.
        'X-Shopify-Shop-Domain': how === 'of another shop' ? 'other.myshopify.com' : SHOP,
        'X-Shopify-Webhook-Id': `delivery-of-${kind}-${id}`,
        'X-Shopify-API-Version': '2026-10',
        ...(how !== 'unsigned' && { 'X-Shopify-Hmac-Sha256': signature }),
      };
      const wasChanged = how === 'changed after it was signed';
      return { headers, body: wasChanged ? Buffer.concat([body, Buffer.from(' ')]) : body };
    },
    // A guest is an order without a customer.
    async buy({ lines, taxes, code, shipping, pay, customerId, foreignCurrency }) {
      const order = await after(() =>
        actions.placeOrder({
          lines: lines.map((line, index) => ({ ...line, title: `Goods ${index}` })),
          taxesIncluded: taxes === 'inside',
          ...(code && { discounts: [{ code }] }),
          ...(shipping && { shipping: [{ price: shipping }] }),
          ...(customerId && { customerId }),
          ...(foreignCurrency && { presentment: { currency: 'USD', rate: 1.1 } }),
          payment: pay === 'later' ? 'none' : 'paid',
        }),
      );
      return { id: order.id, lineIds: order.lines.map(({ id }) => id) };
    },
    pay: (id) => after(() => actions.payOrder(of(id))),
    ship: (id) => after(() => actions.fulfilOrder(of(id))),
    refundPieces: (id, lineId, quantity) =>
      after(() => actions.refundOrder({ ...of(id), lines: [{ lineId, quantity }] })),
    refundAmount: (id, amount) => after(() => actions.refundOrder({ ...of(id), amount })),
    refundShipping: (id) => after(() => actions.refundOrder({ ...of(id), shipping: 'all' })),
    cancelPieces: (id, lineId, quantity) =>
      after(() => {
        const line = sandbox.rows.orders.get(id)?.lines.find((one) => one.id === lineId);
        const left = (line?.quantity ?? 0) - quantity;
        return actions.editOrder({ ...of(id), set: [{ lineId, quantity: left }] });
      }),
    cancel: (id) => after(() => actions.cancelOrder(of(id))),
    async modify(id, { add, remove, surcharge, difference }) {
      const line = sandbox.rows.orders.get(id)?.lines.find((one) => one.id === remove?.lineId);
      const left = (line?.quantity ?? 0) - (remove?.quantity ?? 0);
      const set = line ? [{ lineId: line.id, quantity: left }] : [];
      const added = [
        ...(add ? [{ ...add, title: 'Other goods' }] : []),
        ...(surcharge ? [{ title: 'Wrapping', price: surcharge }] : []),
      ];
      await after(() => actions.editOrder({ ...of(id), set, add: added }));
      await after<unknown>(() =>
        difference > 0
          ? actions.payOrder(of(id))
          : actions.refundOrder({ ...of(id), amount: -difference }),
      );
    },
    createProduct: async (price) =>
      (await after(() => actions.createProduct({ title: 'Goods', price }))).id,
    changePrice: (productId, price) => after(() => actions.updateProduct({ productId, price })),
    createCode: async (code) =>
      (await after(() => actions.createDiscount({ percentage: 10, codes: [code] }))).id,
    endCode: (discountId) => after(() => actions.deactivateDiscount({ discountId })),
    createCustomer: async (person) => (await after(() => actions.createCustomer(person))).id,
    changeCustomer: (customerId, changes) =>
      after(() => actions.updateCustomer({ customerId, ...changes })),
    remove: (kind, id) =>
      after<unknown>(() => {
        if (kind === 'product') return actions.deleteProduct({ productId: id });
        if (kind === 'discount') return actions.deleteDiscount({ discountId: id });
        return actions.deleteCustomer({ customerId: id });
      }),
    close: sandbox.stop,
  } satisfies Awaited<ReturnType<Parameters<typeof describeStorePlatform>[1]>>;
}

it('reads the customers who changed within a span, page by page, and no older ones', async () => {
  const { store, shop, createCustomer, changeCustomer, now, close } = await open();
  const ids: string[] = [];
  for (let number = 0; number < 120; number += 1) {
    const email = `customer-${number}@example.com`;
    ids.push(await createCustomer({ firstName: 'Robin', lastName: 'Wren', email }));
  }
  const until = now().getTime() - 5_000;
  const from = until - 64_000;
  const seen: string[] = [];
  let pages = 0;
  let after: string | undefined;
  do {
    const page = await store.changedMembers(shop, { from: from + 999, until }, after);
    if (page.kind !== 'found') throw new Error(page.kind);
    seen.push(...page.value.changed.map(({ id }) => id));
    after = page.value.next;
    pages += 1;
    // It leaves the span.
    await changeCustomer(ids[60] ?? '', { lastName: `Finch ${pages}` });
  } while (after !== undefined);
  expect(seen.toSorted()).toEqual(
    ids
      .slice(50, 115)
      .filter((id) => id !== ids[60])
      .toSorted(),
  );
  expect(pages).toBe(2);
  await close();
});

describeStorePlatform('shopify', open, {
  'time of signing': 'a webhook is signed without its time; equal bytes are one message',
  'surcharges below zero': 'an edit of an order adds lines, and none below zero',
});
