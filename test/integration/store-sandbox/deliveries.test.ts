import '@shopify/shopify-api/adapters/node';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import {
  type StoreSandbox,
  type StoreSandboxOptions,
  startStoreSandbox,
} from '../../../local/store-sandbox/sandbox.ts';
import { completeHealing } from '../../../shared/config/connector-settings.ts';
import {
  topicsOfEvents,
  wantedEvents,
} from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { checkSignature, topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';
import { askAdmin } from '../../support/ask-admin.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

let receiver: WebhookReceiver;
let sandbox: StoreSandbox;

async function start(options: StoreSandboxOptions = {}): Promise<StoreSandbox> {
  sandbox = await startStoreSandbox({
    webhooksTo: receiver.address,
    shop: { inventoryNoise: false },
    ...options,
  });
  return sandbox;
}

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await sandbox.stop();
  await receiver.stop();
});

const signature = (index: number) =>
  String(receiver.received[index]?.headers['x-shopify-hmac-sha256']);
const webhookIds = () => receiver.received.map(({ headers }) => headers['x-shopify-webhook-id']);

function placeSimpleOrder(payment: 'none' | 'paid' = 'none') {
  const [product] = sandbox.rows.products.values();
  return sandbox.actions.placeOrder({
    lines: [{ variantId: product?.variants[0]?.id ?? '', quantity: 2 }],
    payment,
  });
}

describe('the webhooks of an action', () => {
  it('are those of the real store, in order', async () => {
    await start({ shop: { inventoryNoise: true } });
    const { id: orderId, lines } = placeSimpleOrder();
    const lineId = lines[0]?.id ?? '';
    sandbox.actions.payOrder({ orderId });
    sandbox.actions.fulfilOrder({ orderId, lines: [{ lineId, quantity: 1 }] });
    sandbox.actions.fulfilOrder({ orderId });
    sandbox.actions.editOrder({ orderId, add: [{ title: 'Extra', price: 1 }] });
    sandbox.actions.refundOrder({ orderId, lines: [{ lineId, quantity: 1 }] });
    sandbox.actions.cancelOrder({ orderId });
    sandbox.actions.deleteOrder({ orderId });
    await sandbox.deliveries.settled();
    expect(receiver.topics()).toEqual([
      'orders/create',
      'products/update',
      'orders/paid',
      'orders/updated',
      'orders/partially_fulfilled',
      'orders/updated',
      'orders/fulfilled',
      'orders/updated',
      'orders/edited',
      'orders/updated',
      'refunds/create',
      'orders/updated',
      'orders/cancelled',
      'refunds/create',
      'orders/updated',
      'orders/delete',
    ]);
  });

  it('have a signature that the connector accepts, even after a rotation and with any text', async () => {
    await start({ secret: 'first' });
    sandbox.actions.createProduct({ title: 'Žluťoučký kůň 🐎 "quoted" </script>', price: 1 });
    await sandbox.deliveries.settled();
    sandbox.rotateSecret('second');
    placeSimpleOrder();
    sandbox.disorder = { ...inOrder, oldSecret: 1 };
    placeSimpleOrder();
    await sandbox.deliveries.settled();
    const secrets = { current: 'second', previous: 'first' };
    const checks = receiver.received.map(({ body }, i) =>
      checkSignature(body, signature(i), secrets),
    );
    expect(checks).toEqual(['previous', 'current', 'previous']);
    expect(sandbox.credentials).toMatchObject({ clientSecret: 'second', previousSecret: 'first' });
  });
});

describe('a delivery that fails', () => {
  it.each([
    ['a server error', 500],
    ['a redirect', 302],
    ['a refusal', 401],
  ])('is tried again after %s, unchanged', async (_what, status) => {
    await start({ settings: { retryPausesSeconds: [0.01, 0.01, 0.01] } });
    let calls = 0;
    receiver.answer = () => (++calls < 3 ? status : 200);
    placeSimpleOrder();
    await sandbox.deliveries.settled();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(webhookIds()).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
    expect(sandbox.deliveries.all()).toMatchObject([
      {
        state: 'delivered',
        attempts: [{ status }, { status }, { status: 200, answer: 'answer 200' }],
      },
    ]);
  });

  it('is given up after its tries, which removes a subscription of the Admin API', async () => {
    await start({ settings: { retryPausesSeconds: [60, 60], retryTimeScale: 0.0001 } });
    const { data } = await askAdmin(
      sandbox,
      `mutation($uri: String!) { webhookSubscriptionCreate(topic: ORDERS_CREATE, webhookSubscription: { uri: $uri }) { webhookSubscription { id } userErrors { message } } }`,
      { uri: `${receiver.address}/api` },
    );
    expect(data.webhookSubscriptionCreate.userErrors).toEqual([]);
    receiver.answer = () => 503;
    placeSimpleOrder();
    await sandbox.deliveries.settled();
    expect(sandbox.deliveries.all()).toMatchObject([
      { state: 'failed', attempts: [{}, {}, {}] },
      { state: 'failed', attempts: [{}, {}, {}] },
    ]);
    expect(sandbox.state().subscriptions.map(({ madeBy }) => madeBy)).toEqual(['option']);
  });
});

const byEvents = completeHealing({ productChanges: 'events' });

async function startWithEvents(options: StoreSandboxOptions = {}): Promise<void> {
  const covered = topicsOfEvents(byEvents);
  await start({
    shop: {},
    webhookTopics: [...topicRoutes.keys()].filter((topic) => !covered.has(topic)),
    events: wantedEvents(receiver.address, byEvents),
    ...options,
  });
}

const firstProduct = () => {
  const [product] = sandbox.rows.products.values();
  if (!product) throw new Error('the store has no product');
  return product;
};
const bodies = () => receiver.received.map(({ body }) => JSON.parse(String(body)));

describe('the Events of the store', () => {
  it('are silent when a sale changes the inventory, while the order’s webhooks come', async () => {
    await startWithEvents();
    const variantId = firstProduct().variants[0]?.id ?? '';
    sandbox.actions.placeOrder({ lines: [{ variantId, quantity: 2 }], payment: 'paid' });
    sandbox.actions.changeInventory({ productId: firstProduct().id, by: 7 });
    sandbox.actions.updateProduct({ productId: firstProduct().id, tags: ['new'] });
    await sandbox.deliveries.settled();
    expect(receiver.topics().filter((topic) => /product/i.test(topic))).toEqual([]);
    expect(receiver.topics()).toContain('orders/create');
  });

  it('carry what happened, what changed, the variables and the result of the query', async () => {
    await startWithEvents();
    const { id, handle } = firstProduct();
    sandbox.actions.updateProduct({ productId: id, title: 'Another name' });
    await sandbox.deliveries.settled();
    const productId = `gid://shopify/Product/${id}`;
    expect(receiver.topics()).toEqual(['Product/update']);
    expect(bodies()).toEqual([
      {
        topic: 'Product',
        action: 'update',
        handle: 'loyalty_products',
        data: {
          product: expect.objectContaining({ id: productId, title: 'Another name', handle }),
        },
        fields_changed: {
          added: [],
          updated: [`product[id: '${productId}'].title`],
          removed: [],
        },
        query_variables: { productId },
      },
    ]);
  });

  it('come once for each changed field, so once for each variant of another price', async () => {
    await startWithEvents({ sample: false });
    const { id, variants } = sandbox.actions.createProduct({
      title: 'Scarf',
      variants: [
        { title: 'Red', price: 10 },
        { title: 'Blue', price: 12 },
      ],
    });
    sandbox.actions.updateProduct({ productId: id, price: 9, vendor: 'Another' });
    sandbox.actions.deleteProduct({ productId: id });
    await sandbox.deliveries.settled();
    const update = 'Product/update';
    expect(receiver.topics()).toEqual(['Product/create', update, update, update, 'Product/delete']);
    const productId = `gid://shopify/Product/${id}`;
    expect(bodies().map(({ query_variables }) => query_variables)).toEqual([
      { productId },
      { productId },
      ...variants.map((one) => ({
        productId,
        variantsId: `gid://shopify/ProductVariant/${one.id}`,
      })),
      { productId },
    ]);
    expect(bodies().at(-1)).not.toHaveProperty('data');
  });

  it('carry errors and no data where the app may not read what the query asks for', async () => {
    await startWithEvents({ settings: { scopes: ['read_orders'] } });
    sandbox.actions.updateProduct({ productId: firstProduct().id, title: 'Another name' });
    await sandbox.deliveries.settled();
    expect(bodies()).toEqual([expect.objectContaining({ query_errors: [expect.anything()] })]);
    expect(bodies()[0]).not.toHaveProperty('data');
  });

  it('are signed and headed as Shopify’s own library expects of Events', async () => {
    await startWithEvents();
    sandbox.actions.updateProduct({ productId: firstProduct().id, status: 'draft' });
    await sandbox.deliveries.settled();
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const library = shopifyApi({
      apiKey: 'key',
      apiSecretKey: sandbox.credentials.clientSecret,
      apiVersion: ApiVersion.July26,
      hostName: 'example.com',
      isEmbeddedApp: false,
      logger: { log: () => {} },
    });
    const checked = await library.webhooks.validate({
      rawBody: String(body),
      rawRequest: { method: 'POST', url: '/', headers } as never,
      rawResponse: {} as never,
    });
    expect(checked).toMatchObject({
      valid: true,
      webhookType: 'events',
      action: 'update',
      handle: 'loyalty_products',
      apiVersion: '2026-10',
      domain: sandbox.shop.domain,
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('x-shopify-'))).toEqual([]);
  });

  it('end when a delivery failed until its last try', async () => {
    await startWithEvents({ settings: { retryPausesSeconds: [0, 0] } });
    receiver.answer = () => 500;
    sandbox.actions.updateProduct({ productId: firstProduct().id, title: 'One' });
    await sandbox.deliveries.settled();
    receiver.answer = () => 200;
    sandbox.actions.updateProduct({ productId: firstProduct().id, title: 'Two' });
    await sandbox.deliveries.settled();
    expect(receiver.received).toHaveLength(3);
  });
});
