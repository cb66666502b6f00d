import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import {
  type StoreSandbox,
  type StoreSandboxOptions,
  startStoreSandbox,
} from '../../../local/store-sandbox/sandbox.ts';
import {
  checkSignature,
  readWebhookHeaders,
} from '../../../shared/shopify/webhooks/receive-webhook.ts';
import { askAdmin } from './ask-admin.ts';
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

  it('have the real headers, a common event id, and their own webhook ids', async () => {
    await start();
    placeSimpleOrder('paid');
    await sandbox.deliveries.settled();
    const read = receiver.received.map(({ headers }) =>
      readWebhookHeaders(headers as Record<string, string>),
    );
    expect(read).toMatchObject([
      {
        kind: 'read',
        headers: { topic: 'orders/create', shop: 'sandbox.myshopify.com', apiVersion: '2026-10' },
      },
      { kind: 'read', headers: { topic: 'orders/paid' } },
      { kind: 'read', headers: { topic: 'orders/updated' } },
    ]);
    expect(
      new Set(receiver.received.map(({ headers }) => headers['x-shopify-event-id'])).size,
    ).toBe(1);
    expect(new Set(webhookIds()).size).toBe(3);
    expect(
      Date.parse(String(receiver.received[0]?.headers['x-shopify-triggered-at'])),
    ).toBeGreaterThan(0);
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

describe('disorder', () => {
  const chaos = { shuffle: 6, duplicate: 0.4, drop: 0.2, oldSecret: 0.3 };

  it('shuffles, repeats, drops and signs with the old secret, and the deliveries show each', async () => {
    await start({ disorder: chaos });
    for (let i = 0; i < 20; i += 1) placeSimpleOrder('paid');
    await sandbox.deliveries.settled();
    const all = sandbox.deliveries.all();
    const dropped = all.filter(({ state }) => state === 'dropped');
    expect(dropped.length).toBeGreaterThan(3);
    expect(receiver.received).toHaveLength(all.length - dropped.length);
    expect(new Set(webhookIds()).size).toBeLessThan(receiver.received.length);
    expect(all.some(({ plan }) => plan.isCopy)).toBe(true);
    expect(all.some(({ plan }) => plan.secret === 'previous')).toBe(true);
    const order = all
      .filter(({ state }) => state === 'delivered')
      .map(({ webhookId }) => webhookId);
    expect(webhookIds()).not.toEqual(order);
    expect([...webhookIds()].sort()).toEqual([...order].sort());
  });
});
