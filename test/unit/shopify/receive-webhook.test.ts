import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashBody, type StoreEvent } from '../../../shared/core/events/event.ts';
import {
  countInMinute,
  type DeliveryAnswer,
  OPERATOR_AGENT,
  type ReceiverDependencies,
  receiveDelivery,
  type WebhookSecrets,
} from '../../../shared/core/events/receive-delivery.ts';
import { PROBE_TOPIC, shopifyDeliveries } from '../../../shared/shopify/webhooks/topics.ts';
import { storeEvent } from '../../fixtures/store-event.ts';
import { productEventAt } from '../../support/product-payload.ts';
import { type RecordedTelemetry, recordTelemetry } from '../../support/recorded-telemetry.ts';

const order = { id: 450789469, admin_graphql_api_id: 'gid://shopify/Order/450789469' };
const sign = (body: Uint8Array, secret: string) =>
  createHmac('sha256', secret).update(body).digest('base64');

let queued: StoreEvent[];
/** Deduplication ids: the queue holds one message of each. */
let names: Set<string>;
let now: string;
let telemetry: RecordedTelemetry;
let secrets: WebhookSecrets;
let renewed: WebhookSecrets | undefined;
let refreshes: number;
let queueFails: boolean;
let world: ReceiverDependencies;

beforeEach(() => {
  queued = [];
  names = new Set();
  now = '2026-11-01T12:00:00.000Z';
  telemetry = recordTelemetry();
  secrets = { current: 'secret-one' };
  renewed = undefined;
  refreshes = 0;
  queueFails = false;
  const shop = (domain: string, own: () => WebhookSecrets) => ({
    domain,
    deliveries: shopifyDeliveries,
    secrets: {
      get: async () => own(),
      refresh: async () => {
        refreshes += 1;
        return renewed
          ? ({ kind: 'renewed', value: renewed } as const)
          : ({ kind: 'unchanged', value: own() } as const);
      },
    },
  });
  world = {
    shops: new Map([
      ['/one', shop('one.myshopify.com', () => secrets)],
      ['/two', shop('two.myshopify.com', () => ({ current: 'secret-two' }))],
    ]),
    queue: {
      send: async (event, deduplicationId) => {
        if (queueFails) throw new Error('down');
        queued.push(event as StoreEvent);
        if (deduplicationId !== undefined) names.add(deduplicationId);
      },
    },
    telemetry,
    now: () => new Date(now),
    countOfEntity: countInMinute(() => new Date(now)),
  };
});

interface Sent {
  path?: string;
  method?: string;
  body?: unknown;
  bytes?: Uint8Array;
  secret?: string;
  headers?: Record<string, string | undefined>;
}

/** A genuine delivery to the first shop, with the changes of the test. */
function send({ path = '/one', method = 'POST', ...sent }: Sent = {}): Promise<DeliveryAnswer> {
  const bytes = sent.bytes ?? Buffer.from(JSON.stringify(sent.body ?? order));
  const headers = {
    'x-shopify-topic': 'orders/create',
    'x-shopify-shop-domain': 'one.myshopify.com',
    'x-shopify-webhook-id': 'webhook-1',
    'x-shopify-api-version': '2026-10',
    'x-shopify-triggered-at': '2026-11-01T11:59:59.123Z',
    'x-shopify-hmac-sha256': sign(bytes, sent.secret ?? 'secret-one'),
    ...sent.headers,
  };
  return receiveDelivery({ method, path, headers, body: bytes }, world);
}

const CUSTOMER = 'gid://shopify/Customer/6';

describe('receiving a webhook', () => {
  it('enqueues the verified bytes unchanged and answers 200', async () => {
    expect(await send()).toEqual({ status: 200, text: 'accepted' });
    expect(queued).toEqual([
      {
        shop: 'one.myshopify.com',
        kind: 'order',
        id: '450789469',
        claim: 'changed',
        origin: 'webhook',
        topic: 'orders/create',
        deliveryId: 'webhook-1',
        receivedAt: '2026-11-01T12:00:00.000Z',
        triggeredAt: '2026-11-01T11:59:59.123Z',
        body: Buffer.from(JSON.stringify(order)),
      },
    ]);
    expect(telemetry.total('received', { topic: 'orders/create' })).toBe(1);
  });

  it("does not count an operator's own, which proves nothing of the app's secret", async () => {
    await send({ headers: { 'User-Agent': OPERATOR_AGENT } });
    expect([queued.length, telemetry.counted]).toEqual([1, []]);
  });

  it('answers the probes of `doctor` like other webhooks, and counts them separately', async () => {
    const headers = { 'x-shopify-topic': PROBE_TOPIC };
    expect(await send({ headers, secret: 'forged' })).toMatchObject({ status: 401 });
    expect(await send({ headers })).toMatchObject({ status: 200 });
    expect(queued).toEqual([]);
    expect(telemetry.total('signatures-refused')).toBe(0);
    expect(telemetry.total('unknown-topic')).toBe(0);
  });

  it('writes nothing about unknown paths, wrong methods and bad headers: a flood must not fill the log', async () => {
    expect(await send({ path: '/nothing/here' })).toMatchObject({ status: 401 });
    expect(await send({ method: 'GET' })).toMatchObject({ status: 405 });
    expect(await send({ headers: { 'x-shopify-topic': '' } })).toMatchObject({ status: 400 });
    expect([telemetry.counted, telemetry.logged]).toEqual([[], []]);
  });

  it('answers 503 when the queue does not accept the event, so that the store sends it again', async () => {
    queueFails = true;
    expect(await send()).toMatchObject({ status: 503 });
    expect(telemetry.total('received')).toBe(0);
  });

  it('answers 503, not 401, when the secrets cannot be read', async () => {
    const shop = world.shops.get('/one');
    if (!shop) throw new Error('no shop');
    shop.secrets.get = async () => Promise.reject(new Error('down'));
    expect(await send()).toMatchObject({ status: 503 });
    expect(queued).toEqual([]);
  });

  const discount = { admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/9' };
  it.each([
    ['orders/updated', { id: 7 }, 'order', '7', 'changed'],
    ['orders/paid', { id: 7 }, 'order', '7', 'changed'],
    ['orders/fulfilled', { id: 7 }, 'order', '7', 'changed'],
    ['orders/partially_fulfilled', { id: 7 }, 'order', '7', 'changed'],
    ['orders/cancelled', { id: 7 }, 'order', '7', 'changed'],
    ['orders/delete', { id: 7 }, 'order', '7', 'deleted'],
    ['orders/edited', { order_edit: { id: 1, order_id: 7 } }, 'order', '7', 'changed'],
    ['refunds/create', { id: 1, order_id: 7 }, 'order', '7', 'changed'],
    ['products/create', { id: 8 }, 'product', '8', 'changed'],
    ['products/update', { id: 8 }, 'product', '8', 'changed'],
    ['products/delete', { id: 8 }, 'product', '8', 'deleted'],
    ['discounts/create', discount, 'discount', '9', 'changed'],
    ['discounts/update', discount, 'discount', '9', 'changed'],
    ['discounts/delete', discount, 'discount', '9', 'deleted'],
    ['discounts/redeemcode_added', discount, 'discount', '9', 'code-added'],
    ['discounts/redeemcode_removed', discount, 'discount', '9', 'code-removed'],
    ['customers/update', { id: 1, admin_graphql_api_id: CUSTOMER }, 'member', '6', 'changed'],
    ['customers/delete', { id: 6, tax_exemptions: [] }, 'member', '6', 'deleted'],
    ['customers/merge', { admin_graphql_api_customer_deleted_id: CUSTOMER }, 'member', '6'],
    ['customers/redact', { customer: { id: 5 } }, 'customer', '5', 'customer-redaction'],
    ['customers/data_request', { customer: { id: 5 } }, 'customer', '5', 'data-requested'],
    ['shop/redact', { shop_id: 3 }, 'shop', 'one.myshopify.com', 'shop-redaction'],
    ['app/uninstalled', { id: 3 }, 'shop', 'one.myshopify.com', 'app-removed'],
  ])('queues %s under the id of its entity', async (topic, body, kind, id, claim?: string) => {
    const { status } = await send({ body, headers: { 'x-shopify-topic': topic } });
    expect(status).toBe(200);
    expect(queued).toMatchObject([{ kind, id, topic, ...(claim && { claim }) }]);
  });
});

describe('a captured body, sent again and again under new ids', () => {
  const replay = (topic: string, body: object, times: number) =>
    Promise.all(
      Array.from({ length: times }, (_, index) =>
        send({
          body,
          headers: { 'x-shopify-topic': topic, 'x-shopify-webhook-id': `forged-${index}` },
        }),
      ),
    );

  it.each([
    ['orders/updated', order],
    ['products/update', { id: 1, title: 'Mug' }],
    ['customers/update', { id: 2 }],
  ])('is eleven messages of %s a minute', async (topic, body) => {
    await replay(topic, body, 400);
    expect(names.size).toBe(11);
    await send({ body: { ...body, updated_at: 'later' }, headers: { 'x-shopify-topic': topic } });
    expect(names.size).toBe(12);
  });

  it('beyond them is one message of each topic and shop', async () => {
    await replay('orders/create', order, 12);
    await replay('orders/updated', order, 2);
    expect(names.size).toBe(12);
    for (const shop of ['one', 'two']) {
      const headers = { 'x-shopify-shop-domain': `${shop}.myshopify.com` };
      await send({ path: `/${shop}`, secret: `secret-${shop}`, headers });
    }
    expect(names.size).toBe(13);
  });

  it.each([
    ['an entity that returned to a former state', 'products/update', { id: 1, title: 'Mug' }],
    [
      'two edits of a discount',
      'discounts/update',
      { admin_graphql_api_id: 'gid://shopify/DiscountNode/7' },
    ],
  ])('is a message each: %s in one second has equal bytes', async (_, topic, body) => {
    await replay(topic, body, 2);
    expect(names.size).toBe(2);
  });

  // It was answered with 503, and one captured body rang the alarm "Receiver fails".
  it('is put off beyond what one entity can have in a minute, as no fault of the receiver, and other entities are not', async () => {
    const discount = { admin_graphql_api_id: 'gid://shopify/DiscountNode/7' };
    const answers = await replay('discounts/update', discount, 400);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(280);
    const other = { admin_graphql_api_id: 'gid://shopify/DiscountNode/8' };
    expect(await replay('discounts/update', other, 1)).toMatchObject([{ status: 200 }]);
    now = '2026-11-01T12:01:00.000Z';
    expect(await replay('discounts/update', discount, 1)).toMatchObject([{ status: 200 }]);
  });
});

describe('the count of an entity in a minute', () => {
  it('is its own: of one shop, kind and id, whatever else comes', () => {
    const one = fc.record({
      shop: fc.constantFrom('one.myshopify.com', 'two.myshopify.com'),
      kind: fc.constantFrom('order', 'discount'),
      id: fc.constantFrom('7', '8'),
      afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90_000 })),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (all) => {
        let ms = Date.parse(now);
        const known = {
          topic: 'orders/updated',
          deliveryId: '1',
          receivedAt: now,
          body: undefined,
        };
        const countOf = countInMinute(() => new Date(ms));
        const come: string[] = [];
        for (const { afterMs, ...entity } of all) {
          ms += afterMs;
          const same = JSON.stringify([Math.floor(ms / 60_000), entity]);
          come.push(same);
          expect(countOf(storeEvent({ ...known, ...entity }))).toBe(
            come.filter((other) => other === same).length,
          );
        }
      }),
    );
  });
});

describe('an Event', () => {
  const body = productEventAt(3);
  const bytes = Buffer.from(JSON.stringify(body));
  const asEvent = (changes: Record<string, string | undefined> = {}) =>
    receiveDelivery(
      {
        method: 'POST',
        path: '/one',
        body: bytes,
        headers: {
          'shopify-topic': 'Product',
          'shopify-action': 'update',
          'shopify-handle': 'loyalty_products',
          'shopify-shop-domain': 'one.myshopify.com',
          'shopify-webhook-id': 'event-1',
          'shopify-api-version': '2026-10',
          'shopify-triggered-at': '2026-11-01T11:59:59.123Z',
          'shopify-hmac-sha256': sign(bytes, 'secret-one'),
          ...changes,
        },
      },
      world,
    );

  it('is queued under its product, with its bytes unchanged', async () => {
    expect(await asEvent()).toMatchObject({ status: 200 });
    expect(queued).toMatchObject([
      {
        ...{ kind: 'product', id: '8012345678901', topic: 'Product/update', claim: 'changed' },
        ...{ deliveryId: 'event-1', origin: 'webhook', triggeredAt: '2026-11-01T11:59:59.123Z' },
        body: bytes,
      },
    ]);
    expect(telemetry.total('unexpected-api-version')).toBe(0);
  });

  it.each([
    ['a forged signature', { 'shopify-hmac-sha256': sign(bytes, 'guess') }, 401],
    ['another shop in its header', { 'shopify-shop-domain': 'two.myshopify.com' }, 401],
    ['an action sent twice', { 'shopify-action': 'update,delete' }, 400],
    ['an action that would fill the log', { 'shopify-action': 'é'.repeat(256) }, 400],
    ['no delivery id', { 'shopify-webhook-id': undefined }, 400],
    ['a topic that was not subscribed to', { 'shopify-topic': 'Order' }, 200],
    ['no action', { 'shopify-action': undefined }, 200],
  ])('with %s is not queued', async (_, headers, status) => {
    expect(await asEvent(headers)).toMatchObject({ status });
    expect(queued).toEqual([]);
  });
});

describe('bad input', () => {
  const refused = async (sent: Sent, status: number) => {
    expect(await send(sent)).toMatchObject({ status });
    expect(queued).toEqual([]);
  };

  const header = (name: string, value: string | undefined) => ({
    headers: { [`x-shopify-${name}`]: value },
  });
  it.each<[string, Sent, number]>([
    ['a forged signature', { secret: 'guess' }, 401],
    ['no signature at all', header('hmac-sha256', undefined), 401],
    ['an empty signature', header('hmac-sha256', ''), 401],
    ['a truncated signature', header('hmac-sha256', sign(Buffer.from('x'), 'x').slice(4)), 401],
    ["another shop's signature at this address", { secret: 'secret-two' }, 401],
    ["this shop's body at another shop's address", { path: '/two' }, 401],
    ['a body that claims another shop', header('shop-domain', 'two.myshopify.com'), 401],
    ['an unknown shop', { path: '/three' }, 401],
    ['a path with dot segments', { path: '/one/../one' }, 401],
    ['GET', { method: 'GET' }, 405],
    ['two topics: the sender must not choose', header('topic', 'orders/create,orders/delete'), 400],
    ...['topic', 'shop-domain', 'webhook-id', 'api-version'].flatMap(
      (name): [string, Sent, number][] => [
        [`no ${name}`, header(name, undefined), 400],
        [`a ${name} that would fill the log`, header(name, 'é'.repeat(256)), 400],
      ],
    ),
  ])('%s is refused, and nothing is queued', (_, sent, status) => refused(sent, status));

  it.each<[string, string, string | undefined]>([
    ['an unknown address', '/three', Buffer.alloc(32).toString('base64')],
    ['no signature', '/one', undefined],
    ['a signature that is too short', '/one', 'AAAA'],
    ['one of another length', '/one', Buffer.alloc(33).toString('base64')],
    ['one in hexadecimal', '/one', '0'.repeat(64)],
    [
      'two',
      '/one',
      `${Buffer.alloc(32).toString('base64')},${Buffer.alloc(32).toString('base64')}`,
    ],
  ])('%s is refused before the body is decoded or a secret is read', async (_, path, signature) => {
    const touched: string[] = [];
    for (const [, shop] of world.shops) {
      shop.secrets.get = async () => {
        touched.push('secret');
        return secrets;
      };
    }
    const delivery = {
      ...{ method: 'POST', path, headers: { 'x-shopify-hmac-sha256': signature } },
      get body() {
        touched.push('body');
        return Buffer.from('{}');
      },
    };
    expect(await receiveDelivery(delivery, world)).toMatchObject({ status: 401 });
    expect([touched, refreshes]).toEqual([[], 0]);
  });

  it('is a sign of a wrong secret only where it is signed', async () => {
    await send(header('hmac-sha256', undefined));
    expect(telemetry.total('signatures-refused')).toBe(0);
    await send({ secret: 'guess' });
    expect(telemetry.total('signatures-refused')).toBe(1);
  });

  it('a time that would fill the message is ignored', async () => {
    const headers = { 'x-shopify-triggered-at': 'é'.repeat(256) };
    expect(await send({ headers })).toMatchObject({ status: 200 });
    expect(queued[0]).not.toHaveProperty('triggeredAt');
  });

  it('an unknown topic: 200 and a metric, and nothing enqueued', async () => {
    await refused({ headers: { 'x-shopify-topic': 'carts/update' } }, 200);
    expect(telemetry.total('unknown-topic')).toBe(1);
  });

  it('another API version: processed, with a metric', async () => {
    await send({ headers: { 'x-shopify-api-version': '2025-04' } });
    expect(queued).toHaveLength(1);
    expect(telemetry.total('unexpected-api-version')).toBe(1);
  });

  it.each([
    ['an empty body', Buffer.alloc(0)],
    ['text that is not JSON', Buffer.from('<html>')],
    ['truncated JSON', Buffer.from('{"id": 12')],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['JSON without an id', Buffer.from('{"name": "x"}')],
    ['an array', Buffer.from('[1,2]')],
    ['null', Buffer.from('null')],
    ['an id that is an object', Buffer.from('{"id": {"a": 1}}')],
    ['an id that is a fraction', Buffer.from('{"id": 1.5}')],
    ['JSON nested a hundred thousand deep', Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))],
  ])(
    '%s with a valid signature: accepted unchanged under its hash, to be parked',
    async (_, bytes) => {
      expect(await send({ bytes })).toMatchObject({ status: 200 });
      expect(queued).toMatchObject([{ kind: 'order', id: hashBody(bytes), body: bytes }]);
    },
  );

  it('headers in upper case: the same', async () => {
    const bytes = Buffer.from('{"id":1}');
    const headers = {
      'X-SHOPIFY-TOPIC': 'orders/create',
      'X-SHOPIFY-SHOP-DOMAIN': 'ONE.myshopify.com',
      'X-SHOPIFY-WEBHOOK-ID': 'w',
      'X-SHOPIFY-API-VERSION': '2026-10',
      'X-SHOPIFY-HMAC-SHA256': sign(bytes, 'secret-one'),
    };
    const answer = await receiveDelivery(
      { method: 'POST', path: '/one', headers, body: bytes },
      world,
    );
    expect(answer.status).toBe(200);
  });

  it('headers of two families at once: only those of the signed family count', async () => {
    const bytes = Buffer.from('{"id":1}');
    await send({
      bytes,
      headers: { 'shopify-topic': 'orders/delete', 'shopify-shop-domain': 'two.myshopify.com' },
    });
    expect(queued).toMatchObject([{ topic: 'orders/create', shop: 'one.myshopify.com' }]);
  });

  it('reveals nothing about why a signature was refused', async () => {
    const wrongShop = await send({ path: '/three' });
    const wrongSecret = await send({ secret: 'guess' });
    expect(wrongShop).toEqual(wrongSecret);
  });
});

describe('rotating the secret', () => {
  it('accepts the older secret and counts it', async () => {
    secrets = { current: 'newer', previous: 'secret-one' };
    expect(await send()).toMatchObject({ status: 200 });
    expect(telemetry.total('older-secret-used')).toBe(1);
  });

  it('reads the secrets again after a wrong signature, and accepts the new one', async () => {
    renewed = { current: 'rotated' };
    expect(await send({ secret: 'rotated' })).toMatchObject({ status: 200 });
    expect(refreshes).toBe(1);
  });

  it('does not read them again while signatures are right', async () => {
    await send();
    expect(refreshes).toBe(0);
  });
});
