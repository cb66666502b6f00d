import { setTimeout as sleep } from 'node:timers/promises';
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
import { askAdmin, control } from './ask-admin.ts';
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

  it('does not wait longer for an answer than the real store does', async () => {
    await start({ settings: { deliveryTimeoutMs: 50, retryPausesSeconds: [] } });
    receiver.answer = () => undefined;
    placeSimpleOrder();
    await sandbox.deliveries.settled();
    expect(sandbox.deliveries.all()).toMatchObject([
      { state: 'failed', attempts: [{ problem: 'no answer within 50 ms' }] },
    ]);
  });

  it('is not retried at the same time as all others that failed', async () => {
    const settings = { retryPausesSeconds: [0.01], deliveriesAtOnce: 2, deliveryTimeoutMs: 60_000 };
    await start({ settings });
    const seen = new Set<unknown>();
    // Refused the first time, and left without an answer the second.
    receiver.answer = ({ headers: { 'x-shopify-webhook-id': id } }) => {
      const isFirst = !seen.has(id);
      seen.add(id);
      return isFirst ? 500 : undefined;
    };
    for (let i = 0; i < 10; i += 1) placeSimpleOrder();
    await expect.poll(() => receiver.received.length).toBe(12);
    await sleep(100);
    expect(receiver.received).toHaveLength(12);
  });

  it('does not delay later deliveries', async () => {
    // The retry comes after the end of the test.
    await start({ settings: { retryPausesSeconds: [600] } });
    receiver.answer = ({ headers }) => (headers['x-shopify-topic'] === 'orders/create' ? 500 : 200);
    placeSimpleOrder('paid');
    await expect
      .poll(() => receiver.topics())
      .toEqual(['orders/create', 'orders/paid', 'orders/updated']);
  });
});

describe('disorder', () => {
  const chaos = { shuffle: 6, duplicate: 0.4, drop: 0.2, oldSecret: 0.3 };

  async function run(seed: number): Promise<string[]> {
    receiver.received.length = 0;
    await start({ seed, disorder: chaos });
    for (let i = 0; i < 12; i += 1) placeSimpleOrder('paid');
    await sandbox.deliveries.settled();
    const secrets = { current: 'sandbox-secret', previous: 'sandbox-previous-secret' };
    const seen = receiver.received.map(({ headers, body }, i) =>
      [
        headers['x-shopify-topic'],
        headers['x-shopify-webhook-id'],
        checkSignature(body, signature(i), secrets),
      ].join(' '),
    );
    if (seed !== 2) await sandbox.stop();
    return seen;
  }

  it('depends only on the seed', async () => {
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });

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

  it('delays without losing anything', async () => {
    await start({ disorder: { delay: 1, longestDelayMs: 80 } });
    for (let i = 0; i < 10; i += 1) placeSimpleOrder();
    await sandbox.deliveries.settled();
    expect(receiver.received).toHaveLength(10);
    expect(sandbox.deliveries.all().every(({ plan }) => plan.delayMs > 0)).toBe(true);
  });

  it('is set over HTTP, or refused with all problems', async () => {
    await start();
    const set = await control(sandbox, 'PUT', 'disorder', { drop: 1 });
    expect(await set.json()).toEqual({ ...inOrder, drop: 1 });
    placeSimpleOrder();
    await sandbox.deliveries.settled();
    expect(receiver.received).toEqual([]);
    const wrong = await control(sandbox, 'PUT', 'disorder', { drop: 2, shuffle: 0.5, chaos: 1 });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toEqual({
      problems: [expect.anything(), expect.anything(), expect.anything()],
    });
    await control(sandbox, 'DELETE', 'disorder');
    expect(sandbox.disorder).toEqual(inOrder);
  });
});

describe('subscriptions', () => {
  it('receive only their own topic, with the fields that they include', async () => {
    await start();
    const create = `mutation($topic: WebhookSubscriptionTopic!, $sub: WebhookSubscriptionInput!) {
      webhookSubscriptionCreate(topic: $topic, webhookSubscription: $sub) { webhookSubscription { id topic uri includeFields } userErrors { field message } } }`;
    const uri = receiver.address.replace('sandbox', 'paid');
    const made = await askAdmin(sandbox, create, {
      topic: 'ORDERS_PAID',
      sub: { uri, includeFields: ['id', 'name'] },
    });
    expect(made.data.webhookSubscriptionCreate.webhookSubscription).toMatchObject({
      topic: 'ORDERS_PAID',
      uri,
    });
    const again = await askAdmin(sandbox, create, { topic: 'ORDERS_PAID', sub: { uri } });
    expect(again.data.webhookSubscriptionCreate.userErrors).toMatchObject([
      { message: expect.stringContaining('taken') },
    ]);
    const order = placeSimpleOrder('paid');
    await sandbox.deliveries.settled();
    const mine = receiver.received.filter(({ path }) => path.endsWith('/paid'));
    expect(mine.map(({ body }) => body.toString())).toEqual([
      `{"id":${order.id},"name":"#${order.number}"}`,
    ]);

    const { id } = made.data.webhookSubscriptionCreate.webhookSubscription;
    const moved = await askAdmin(
      sandbox,
      'mutation($id: ID!, $sub: WebhookSubscriptionInput!) { webhookSubscriptionUpdate(id: $id, webhookSubscription: $sub) { webhookSubscription { uri } userErrors { message } } }',
      { id, sub: { uri: `${uri}-moved` } },
    );
    expect(moved.data.webhookSubscriptionUpdate.webhookSubscription.uri).toBe(`${uri}-moved`);
    const listed = await askAdmin(
      sandbox,
      '{ webhookSubscriptions(first: 10) { nodes { id topic } } }',
    );
    expect(listed.data.webhookSubscriptions.nodes).toEqual([{ id, topic: 'ORDERS_PAID' }]);
    const gone = await askAdmin(
      sandbox,
      'mutation($id: ID!) { webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId userErrors { message } } }',
      { id },
    );
    expect(gone.data.webhookSubscriptionDelete.deletedWebhookSubscriptionId).toBe(id);
    expect(sandbox.state().subscriptions).toHaveLength(1);
  });
});
