import '@shopify/shopify-api/adapters/node';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
import { topicRoutes } from '../../../shared/shopify/webhooks/topics.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const byEvents = completeHealing({ productChanges: 'events' });
const webhookTopics = [...topicRoutes.keys()].filter(
  (topic) => !topicsOfEvents(byEvents).has(topic),
);

let receiver: WebhookReceiver;
let sandbox: StoreSandbox;

async function start(options: StoreSandboxOptions = {}): Promise<void> {
  sandbox = await startStoreSandbox({
    webhooksTo: receiver.address,
    webhookTopics,
    events: wantedEvents(receiver.address, byEvents),
    ...options,
  });
}

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await sandbox.stop();
  await receiver.stop();
});

const firstProduct = () => {
  const [product] = sandbox.rows.products.values();
  if (!product) throw new Error('the store has no product');
  return product;
};
const bodies = () => receiver.received.map(({ body }) => JSON.parse(String(body)));

describe('the Events of the store', () => {
  it('are silent when a sale changes the inventory, while the order’s webhooks come', async () => {
    await start();
    const variantId = firstProduct().variants[0]?.id ?? '';
    sandbox.actions.placeOrder({ lines: [{ variantId, quantity: 2 }], payment: 'paid' });
    sandbox.actions.changeInventory({ productId: firstProduct().id, by: 7 });
    sandbox.actions.updateProduct({ productId: firstProduct().id, tags: ['new'] });
    await sandbox.deliveries.settled();
    expect(receiver.topics().filter((topic) => /product/i.test(topic))).toEqual([]);
    expect(receiver.topics()).toContain('orders/create');
  });

  it('carry what happened, what changed, the variables and the result of the query', async () => {
    await start();
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
    await start({ sample: false });
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
    await start({ settings: { scopes: ['read_orders'] } });
    sandbox.actions.updateProduct({ productId: firstProduct().id, title: 'Another name' });
    await sandbox.deliveries.settled();
    expect(bodies()).toEqual([expect.objectContaining({ query_errors: [expect.anything()] })]);
    expect(bodies()[0]).not.toHaveProperty('data');
  });

  it('are signed and headed as Shopify’s own library expects of Events', async () => {
    await start();
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
    await start({ settings: { retryPausesSeconds: [0, 0] } });
    receiver.answer = () => 500;
    sandbox.actions.updateProduct({ productId: firstProduct().id, title: 'One' });
    await sandbox.deliveries.settled();
    receiver.answer = () => 200;
    sandbox.actions.updateProduct({ productId: firstProduct().id, title: 'Two' });
    await sandbox.deliveries.settled();
    expect(receiver.received).toHaveLength(3);
  });
});
