import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import {
  type StoreSandbox,
  type StoreSandboxOptions,
  startStoreSandbox,
} from '../../../local/store-sandbox/sandbox.ts';
import { checkSignature } from '../../../shared/shopify/webhooks/receive-webhook.ts';
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
