import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { productEventAt } from '../../support/product-payload.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openStoreAndConnector, STORE_SECRET } from '../../support/store-and-connector.ts';

const connectors = runConnectors();

type Headers = Readonly<Record<string, string | undefined>>;
const without = [
  'topic',
  'shop-domain',
  'webhook-id',
  'api-version',
  'triggered-at',
  'hmac-sha256',
];
const noWebhook: Headers = Object.fromEntries(
  without.map((name) => [`x-shopify-${name}`, undefined]),
);
const sign = (body: string) => createHmac('sha256', STORE_SECRET).update(body).digest('base64');

/** The headers of an Event over these bytes. */
const eventHeaders = (body: string, changes: Headers = {}): Headers => ({
  ...noWebhook,
  'shopify-topic': 'Product',
  'shopify-action': 'update',
  'shopify-handle': 'loyalty_products',
  'shopify-shop-domain': SHOP,
  'shopify-webhook-id': randomUUID(),
  'shopify-api-version': '2026-10',
  'shopify-triggered-at': new Date().toISOString(),
  'shopify-hmac-sha256': sign(body),
  ...changes,
});

/** One product that both sides know as "Kettle". */
async function open() {
  const { store, connector } = await openStoreAndConnector(connectors, {
    ...{ seed: 7, healing: { productChanges: 'events' } },
  });
  const [first] = store.rows.products.values();
  const id = first?.id ?? '';
  const rest = async () => {
    await store.deliveries.settled();
    await connector.settle();
  };
  connector.pass(60);
  store.actions.updateProduct({ productId: id, title: 'Kettle' });
  await rest();
  const held = () => connector.loyalty.state().products.find(({ OriginalId }) => OriginalId === id);
  expect(held()).toMatchObject({ Title: 'Kettle', IsActive: true });
  // From here on only what the test sends arrives.
  store.disorder = { ...store.disorder, drop: 1 };
  const ours = (value: unknown) => JSON.stringify(value).replaceAll('8012345678901', id);
  return {
    ...{ store, connector, id, rest, held },
    /** A body of the store about this product, at a later second than the store's own. */
    event: (action?: 'create' | 'update' | 'delete', changes?: object, more: object = {}) => {
      const at = new Date(Date.now() + 1000).toISOString();
      return ours({
        ...productEventAt(0, action, { title: 'Teapot', updatedAt: at, ...changes }),
        ...more,
      });
    },
    async send(body: string, headers: Headers) {
      connector.pass(2);
      const status = await connector.post('', Buffer.from(body), { secret: '', headers });
      await rest();
      return status;
    },
    letters: async () => (await connector.deadLetters()).length,
  };
}
type World = Awaited<ReturnType<typeof open>>;

/** The message changed the product, or was refused, or a person is asked; the product is never taken away. */
async function expectKept({ held, letters, send }: World, body: string, headers: Headers) {
  const before = await letters();
  const status = await send(body, headers);
  expect(held()?.IsActive).toBe(true);
  if (status >= 300 || held()?.Title === 'Teapot') return;
  expect([held()?.Title, await letters()]).toEqual(['Kettle', before + 1]);
}

describe('an Event about a product', () => {
  it('changes it, and an older one that comes later changes nothing', async () => {
    const world = await open();
    const older = world.event('update', { title: 'Samovar' });
    world.connector.pass(10);
    const newer = world.event();
    expect(await world.send(newer, eventHeaders(newer))).toBe(200);
    expect(world.held()).toMatchObject({ Title: 'Teapot', IsActive: true });
    for (const body of [older, newer, older]) {
      expect(await world.send(body, eventHeaders(body))).toBe(200);
      expect(world.held()).toMatchObject({ Title: 'Teapot', IsActive: true });
    }
    expect(await world.letters()).toBe(0);
  });

  it('of a deletion takes away only what the store no longer has', async () => {
    const world = await open();
    const body = world.event('delete');
    expect(await world.send(body, eventHeaders(body, { 'shopify-action': 'delete' }))).toBe(200);
    expect(world.held()).toMatchObject({ Title: 'Kettle', IsActive: true });
    // A captured body under the header of a deletion.
    const update = world.event();
    await expectKept(world, update, eventHeaders(update, { 'shopify-action': 'delete' }));
    await expectKept(world, body, eventHeaders(body, { 'shopify-action': 'update' }));
    const create = world.event('create');
    await expectKept(world, create, eventHeaders(create, { 'shopify-action': 'delete' }));

    world.store.actions.deleteProduct({ productId: world.id });
    const gone = world.event('delete');
    expect(await world.send(gone, eventHeaders(gone, { 'shopify-action': 'delete' }))).toBe(200);
    expect(world.held()?.IsActive).toBe(false);
  });
});
