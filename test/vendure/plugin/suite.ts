import { randomUUID } from 'node:crypto';
import {
  type BlockingEventHandlerOptions,
  ChannelService,
  Collection,
  CollectionModificationEvent,
  Customer,
  CustomerEvent,
  Fulfillment,
  FulfillmentLine,
  FulfillmentStateTransitionEvent,
  HistoryEntryEvent,
  Order,
  OrderEvent,
  OrderLine,
  OrderLineEvent,
  OrderPlacedEvent,
  OrderStateTransitionEvent,
  Payment,
  PaymentStateTransitionEvent,
  Product,
  ProductEvent,
  ProductVariant,
  ProductVariantChannelEvent,
  ProductVariantEvent,
  ProductVariantPrice,
  ProductVariantPriceEvent,
  Promotion,
  PromotionEvent,
  Refund,
  RefundEvent,
  RefundStateTransitionEvent,
  type RequestContext,
  type VendureConfig,
  type VendureEvent,
} from '@vendure/core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LoyaltyOutbox } from '../../../vendure-plugin/src/outbox.ts';
import { recordChanges } from '../../../vendure-plugin/src/record-changes.ts';
import { sendChanges } from '../../../vendure-plugin/src/send-changes.ts';
import { openConnector, openServer, SECRET, type Sent } from './open-server.ts';

const DAY_MS = 86_400_000;
const WAIT = { timeout: 60_000, interval: 50 };
let count = 0;
const person = (name: string) => {
  count += 1;
  return { firstName: name, lastName: 'Wren', emailAddress: `p${count}@example.com` };
};

/** What the plugin promises to the merchant's server, and to the connector, on one kind of database. */
export function describePlugin(
  name: string,
  open: () => Promise<VendureConfig['dbConnectionOptions']>,
  close: () => unknown,
  oneServer?: string,
): void {
  describe(`the plugin on ${name}`, () => {
    let connector: Awaited<ReturnType<typeof openConnector>>;
    let server: Awaited<ReturnType<typeof openServer>>;
    const senders: { stop(): unknown }[] = [];

    beforeAll(async () => {
      connector = await openConnector();
      server = await openServer(await open(), connector.address);
    });
    afterAll(async () => {
      await server?.close();
      connector?.close();
      await close();
    });
    afterEach(async () => {
      for (const sender of senders.splice(0)) await sender.stop();
      connector.answer = () => 200;
      await vi.waitFor(
        async () => expect(await server.rows('"givenUp" = false')).toEqual([]),
        WAIT,
      );
      await server.connection.rawConnection.query('DELETE FROM loyalty_outbox');
      connector.accepted.length = 0;
      server.log.length = 0;
    });

    const of = (kind: string, id: unknown) => `kind = '${kind}' AND "entityId" = '${id}'`;
    const accepts = (...events: Partial<Sent>[]) =>
      vi.waitFor(
        () => expect(connector.accepted).toEqual(events.map((one) => expect.objectContaining(one))),
        WAIT,
      );
    const heard = (kind: string, entityId: unknown, change = 'changed') =>
      vi.waitFor(
        () =>
          expect(connector.accepted).toContainEqual(
            expect.objectContaining({ kind, entityId: String(entityId), change }),
          ),
        WAIT,
      );
    const refuse = () => {
      connector.answer = () => 503;
    };
    const add = async (...rows: Partial<LoyaltyOutbox>[]) => {
      const common = { change: 'changed', attempts: 0, givenUp: false } as const;
      const now = Date.now();
      const whole = rows.map((row) => ({
        ...{ id: randomUUID(), kind: 'product' as const, entityId: '1', at: now, nextAt: now },
        ...common,
        ...row,
      }));
      await server.connection.rawConnection.getRepository(LoyaltyOutbox).insert(whole);
    };
    async function createCustomer(ctx: RequestContext, firstName: string): Promise<string> {
      const made = await server.customers.create(ctx, person(firstName));
      if (!('id' in made)) throw new Error(JSON.stringify(made));
      return String(made.id);
    }

    /** Publishes events to a plugin of its own. */
    function recorder(connection: object) {
      const handlers = new Map<unknown, (event: VendureEvent) => Promise<void>>();
      const eventBus = {
        registerBlockingEventHandler: ({ event, handler }: BlockingEventHandlerOptions<never>) =>
          handlers.set(event, handler as never),
      };
      recordChanges(eventBus as never, connection as never);
      return async (event: VendureEvent) => handlers.get(event.constructor)?.(event);
    }

    async function createChannel(code: string): Promise<string> {
      const { zones } = await server.shop.admin<{ zones: { items: { id: string }[] } }>(
        '{ zones { items { id } } }',
      );
      const zone = zones.items[0]?.id;
      return server.shop.create('createChannel', 'CreateChannelInput', {
        ...{ code, token: code, defaultLanguageCode: 'en', pricesIncludeTax: true },
        ...{ defaultCurrencyCode: 'EUR', defaultTaxZoneId: zone, defaultShippingZoneId: zone },
      });
    }

    describe('records', () => {
      it('an order that is placed as one row, beside the order', async () => {
        refuse();
        await server.merchant.addProduct('Mug', { MUG: 999 });
        const visitor = await server.merchant.register(person('Ana'));
        const { id } = await server.merchant.buy(visitor, { goods: { MUG: 1 } });
        expect(await server.rows(of('order', id))).toHaveLength(1);
      });

      it('nothing of a transaction that is rolled back', async () => {
        refuse();
        let id = '';
        const failing = server.connection.withTransaction(server.ctx, async (ctx) => {
          id = await createCustomer(ctx, 'Nobody');
          expect(await server.connection.getRepository(ctx, LoyaltyOutbox).count()).toBe(1);
          throw new Error('as planned');
        });
        await expect(failing).rejects.toThrow('as planned');
        expect(await server.rows(of('customer', id))).toEqual([]);
      });

      it('a change again that follows in another transaction of the same context', async () => {
        refuse();
        const id = await createCustomer(server.ctx, 'Ben');
        const before = (await server.rows(of('customer', id))).length;
        await server.connection.withTransaction(server.ctx, async (ctx) => {
          await server.customers.update(ctx, { id, firstName: 'Benjamin' });
          await server.connection.commitOpenTransaction(ctx);
          await server.connection.startTransaction(ctx);
          await server.customers.update(ctx, { id, firstName: 'Benno' });
        });
        expect(await server.rows(of('customer', id))).toHaveLength(before + 2);
      });

      it('each change of a script that has no transaction', async () => {
        refuse();
        const id = await createCustomer(server.ctx, 'Cleo');
        const before = (await server.rows(of('customer', id))).length;
        await server.customers.update(server.ctx, { id, firstName: 'Clea' });
        await server.customers.update(server.ctx, { id, firstName: 'Cleopatra' });
        expect(await server.rows(of('customer', id))).toHaveLength(before + 2);
      });

      it('the second of two parcels, which moves the state of no order', async () => {
        const goods = { MUG: 1, CUP: 1 };
        await server.merchant.addProduct('Cup', { CUP: 499 });
        const visitor = await server.merchant.register(person('Dan'));
        const { id, lines } = await server.merchant.buy(visitor, { goods });
        const [mug, cup] = lines.map((line) => [{ orderLineId: line.id, quantity: 1 }]);
        await server.merchant.ship(id, mug, 'Delivered');
        await vi.waitFor(async () => expect(await server.rows()).toEqual([]), WAIT);
        connector.accepted.length = 0;
        await server.merchant.ship(id, cup, 'Shipped');
        expect(await server.merchant.order(id)).toMatchObject({ state: 'PartiallyDelivered' });
        await heard('order', id);
      });

      it('a guest who registers under another name', async () => {
        const guest = person('Eve');
        await server.merchant.buy(server.shop.visit(), { goods: { MUG: 1 } }, guest);
        const id = await server.merchant.customerId(guest.emailAddress);
        await vi.waitFor(async () => expect(await server.rows()).toEqual([]), WAIT);
        connector.accepted.length = 0;
        await server.merchant.register({ ...guest, firstName: 'Evelyn' });
        await heard('customer', id);
      });

      it('the products of a collection whose name changes, and of a channel that they leave', async () => {
        const product = await server.merchant.addProduct('Pan', { PAN: 1999 });
        const translations = [{ languageCode: 'en', name: 'Pans', slug: 'pans', description: '' }];
        const filter = { code: 'variant-id-filter', arguments: [] as object[] };
        const variantIds = JSON.stringify([server.merchant.variantId('PAN')]);
        filter.arguments = [
          { name: 'variantIds', value: variantIds },
          { name: 'combineWithAnd', value: 'true' },
        ];
        await vi.waitFor(async () => expect(await server.rows()).toEqual([]), WAIT);
        connector.accepted.length = 0;
        const collection = await server.shop.create('createCollection', 'CreateCollectionInput', {
          translations,
          filters: [filter],
        });
        await heard('product', product);
        connector.accepted.length = 0;
        const renamed = [{ ...translations[0], name: 'Cookware' }];
        const input = { id: collection, translations: renamed };
        await server.shop.admin(
          'mutation ($input: UpdateCollectionInput!) { updateCollection(input: $input) { id } }',
          { input },
        );
        await heard('product', product);

        const channelId = await createChannel('other');
        const products = { channelId, productIds: [product] };
        await server.shop.admin(
          'mutation ($input: AssignProductsToChannelInput!) { assignProductsToChannel(input: $input) { id } }',
          { input: products },
        );
        await heard('product', product);
        await server.shop.admin(
          'mutation ($input: RemoveProductsFromChannelInput!) { removeProductsFromChannel(input: $input) { id } }',
          { input: products },
        );
        await heard('product', product, 'deleted');
      });

      it('what each event of the server is about, and nothing of carts', async () => {
        refuse();
        const { ctx } = server;
        const publish = recorder(server.connection);
        const placed = { orderPlacedAt: new Date() };
        const order = new Order({ id: '71', ...placed });
        const part = new Order({ id: '72', aggregateOrderId: '71', ...placed });
        const cart = new Order({ id: '73' });
        const [refund, payment, line] = [new Refund(), new Payment(), new OrderLine()];
        const customer = new Customer({ id: '74' });
        const product = new Product({ id: '75' });
        const variant = new ProductVariant({ id: '76', productId: '75' });
        const price = new ProductVariantPrice({ variant });
        const promotion = new Promotion({ id: '77' });
        const history = (type: string) =>
          new HistoryEntryEvent(ctx, { type, customer } as never, 'created', 'customer');
        // Its id becomes a part of a statement on Postgres.
        const odd = new Order({ id: "71'); --", ...placed });
        const events: readonly (readonly [VendureEvent, string])[] = [
          [new OrderPlacedEvent('Draft', 'PaymentSettled', ctx, odd), ''],
          [new OrderPlacedEvent('Draft', 'PaymentSettled', ctx, order), 'order 71 changed'],
          [new OrderStateTransitionEvent('Draft', 'Cancelled', ctx, order), 'order 71 changed'],
          [new OrderStateTransitionEvent('Draft', 'Shipped', ctx, part), 'order 71 changed'],
          [new OrderStateTransitionEvent('AddingItems', 'Draft', ctx, cart), ''],
          [
            new PaymentStateTransitionEvent('Created', 'Settled', ctx, payment, order),
            'order 71 changed',
          ],
          [new RefundEvent(ctx, order, refund, 'created'), 'order 71 changed'],
          [
            new RefundStateTransitionEvent('Pending', 'Settled', ctx, refund, order),
            'order 71 changed',
          ],
          [new OrderEvent(ctx, order, 'updated'), 'order 71 changed'],
          [new OrderEvent(ctx, cart, 'updated'), ''],
          [new OrderLineEvent(ctx, order, line, 'cancelled'), 'order 71 changed'],
          [new CustomerEvent(ctx, customer, 'updated'), 'customer 74 changed'],
          [new CustomerEvent(ctx, customer, 'deleted'), 'customer 74 deleted'],
          [history('CUSTOMER_REGISTERED'), 'customer 74 changed'],
          [history('CUSTOMER_EMAIL_UPDATE_VERIFIED'), 'customer 74 changed'],
          [history('CUSTOMER_NOTE'), ''],
          [new ProductEvent(ctx, product, 'created'), 'product 75 changed'],
          [new ProductEvent(ctx, product, 'deleted'), 'product 75 deleted'],
          [new ProductVariantEvent(ctx, [variant], 'deleted'), 'product 75 changed'],
          [new ProductVariantPriceEvent(ctx, [price], 'updated'), 'product 75 changed'],
          [new ProductVariantChannelEvent(ctx, variant, '1', 'removed'), 'product 75 changed'],
          [new PromotionEvent(ctx, promotion, 'updated'), 'promotion 77 changed'],
          [new PromotionEvent(ctx, promotion, 'deleted'), 'promotion 77 deleted'],
        ];
        for (const [event, expected] of events) {
          await publish(event);
          const rows = await server.rows();
          const found = rows.map(({ kind, entityId, change }) => `${kind} ${entityId} ${change}`);
          expect([event.constructor.name, found.join()]).toEqual([
            event.constructor.name,
            expected,
          ]);
          await server.connection.rawConnection.query('DELETE FROM loyalty_outbox');
        }
      });

      it('without reading: on Postgres, a read that fails would cost the transaction', async () => {
        const asked: unknown[] = [];
        const connection = {
          rawConnection: server.connection.rawConnection,
          getRepository(ctx: RequestContext, entity: typeof LoyaltyOutbox) {
            asked.push(entity);
            return server.connection.getRepository(ctx, entity);
          },
        };
        const publish = recorder(connection);
        const fulfillment = new Fulfillment({
          lines: [new FulfillmentLine({ orderLineId: '987654' })],
        });
        const many = Array.from({ length: 1_000 }, (_, index) => `${900_000 + index}`);
        for (const event of [
          new FulfillmentStateTransitionEvent('Pending', 'Shipped', server.ctx, fulfillment),
          new CollectionModificationEvent(server.ctx, new Collection(), many),
          // The request does not wait for more.
          new CollectionModificationEvent(server.ctx, new Collection(), [...many, '901000']),
        ]) {
          await publish(event);
        }
        expect(asked).toEqual([LoyaltyOutbox, LoyaltyOutbox]);
        expect(server.log).toEqual([]);
        // None is there: nothing is sent.
        await vi.waitFor(async () => expect(await server.rows()).toEqual([]), WAIT);
        expect(connector.accepted).toEqual([]);
      });

      it('nothing when a statement fails, unless the database has undone the request besides', async () => {
        const { rawConnection } = server.connection;
        const publish = (error: object) =>
          recorder({
            rawConnection,
            getRepository() {
              throw Object.assign(new Error('as planned'), error);
            },
          })(new CustomerEvent(server.ctx, new Customer({ id: '74' }), 'updated'));
        await publish({ code: 'ER_LOCK_WAIT_TIMEOUT' });
        expect(server.log.join()).toMatch(/CustomerEvent was not recorded.*as planned/);
        await expect(publish({ code: 'ER_LOCK_DEADLOCK' })).rejects.toThrow('as planned');
      });

      it('nothing without its table, and the changes are stored all the same', async () => {
        refuse();
        const { rawConnection } = server.connection;
        const ids: string[] = [];
        for (const one of ['Fay', 'Gus', 'Hal']) ids.push(await createCustomer(server.ctx, one));
        await rawConnection.query('ALTER TABLE loyalty_outbox RENAME TO away');
        try {
          const visitor = await server.merchant.register(person('Ida'));
          const { state } = await server.merchant.buy(visitor, { goods: { MUG: 1 } });
          expect(state).toBe('PaymentSettled');
          await server.connection.withTransaction(server.ctx, async (ctx) => {
            await Promise.all(
              ids.map((id) => server.customers.update(ctx, { id, lastName: 'Owl' })),
            );
          });
          for (const id of ids) {
            const found = await server.customers.findOne(server.ctx, id);
            expect(found?.lastName).toBe('Owl');
          }
          const nextStep = /vendure migrate --generate loyalty-outbox.+vendure migrate --run/;
          const lost = server.log.find((text) =>
            text.startsWith('OrderPlacedEvent was not recorded'),
          );
          expect(lost).toMatch(nextStep);
          expect(server.log.join()).not.toMatch(/@|Owl/);
          // The sender says it once, and not every second.
          const reads = () => server.log.filter((text) => text.includes('was not read'));
          await vi.waitFor(() => expect(reads()).toHaveLength(1), WAIT);
          expect(reads()[0]).toMatch(nextStep);
        } finally {
          await rawConnection.query('ALTER TABLE away RENAME TO loyalty_outbox');
        }
      });
    });

    describe('sends', () => {
      it('one request for all rows of an entity, as a deletion if one of them is', async () => {
        const never = randomUUID();
        const at = Date.now();
        await add(
          { entityId: '7', at: at - 3_000, attempts: 2 },
          { entityId: '8', change: 'deleted', at: at - 2_000 },
          { entityId: '8', at: at - 1_000 },
          // Its clock is behind, and it alone was never tried: the connector may have accepted the others.
          { entityId: '7', at: at - 9_000, id: never },
        );
        await vi.waitFor(() => expect(connector.accepted).toHaveLength(2), WAIT);
        expect(connector.accepted).toContainEqual(
          expect.objectContaining({ id: never, entityId: '7', change: 'changed' }),
        );
        expect(connector.accepted).toContainEqual(
          expect.objectContaining({ entityId: '8', change: 'deleted' }),
        );
      });

      it('with a channel only what is in it, whichever channel it was changed in', async () => {
        refuse();
        const channelId = await createChannel('third');
        const ours = await createCustomer(server.ctx, 'Jon');
        const others = await createCustomer(server.ctx, 'Kay');
        await server.app
          .get(ChannelService)
          .assignToChannels(server.ctx, Customer, ours, [channelId]);
        const variant = server.merchant.variantId('MUG');
        await add(
          { kind: 'customer', entityId: 'gone', change: 'deleted' },
          { kind: 'variant', entityId: variant },
        );
        const third = await openConnector();
        const to = { address: third.address, secret: SECRET, channel: 'third' };
        senders.push(sendChanges(server.connection, to), { stop: third.close });
        await vi.waitFor(async () => expect(await server.rows()).toEqual([]), WAIT);
        const sent = new Set(third.accepted.map(({ entityId }) => entityId));
        expect([...sent].toSorted()).toEqual([ours, 'gone']);
        expect(others).not.toBe(ours);
      });

      it('nothing with a channel that there is not, and forgets nothing', async () => {
        refuse();
        const known = await createCustomer(server.ctx, 'Lee');
        const to = { address: connector.address, secret: SECRET, channel: 'no-such' };
        const sender = sendChanges(server.connection, to);
        const logged = /not read: no channel has the code "no-such"/;
        await vi.waitFor(() => expect(server.log.join()).toMatch(logged), WAIT);
        // What it began is done then.
        await sender.stop();
        expect(await server.rows(of('customer', known))).not.toEqual([]);
      });

      it('a row again until it is accepted, and never what is unreadable', async () => {
        let left = 2;
        connector.answer = ({ entityId }) => {
          if (entityId === '400') return 400;
          left -= 1;
          return [503, 401][left] ?? 200;
        };
        await add({ entityId: '400' }, { entityId: '503' });
        await accepts({ entityId: '503' });
        await vi.waitFor(
          async () =>
            expect(await server.rows()).toEqual([expect.objectContaining({ entityId: '400' })]),
          WAIT,
        );
        expect(server.log.join()).toMatch(/product 400.*given up/);
        const logged = /answered 401.*answered 503.*accepts events again/;
        await vi.waitFor(() => expect(server.log.join()).toMatch(logged), WAIT);
      });

      it('a row again after a redirect, a refusal or a limit, none of which it heard of', async () => {
        // The sender may still take what came before for an outage, in which it asks for one row at a time.
        await add({ entityId: 'first' });
        await accepts({ entityId: 'first' });
        const answers = ['302', '401', '404', '429'];
        const asked = new Set<string>();
        connector.answer = ({ entityId }) => {
          const isKnown = asked.has(entityId);
          asked.add(entityId);
          return isKnown ? 200 : Number(entityId);
        };
        await add(...answers.map((entityId) => ({ entityId })));
        await vi.waitFor(() => {
          const sent = connector.accepted.map(({ entityId }) => entityId);
          expect(sent.toSorted()).toEqual([...answers, 'first']);
        }, WAIT);
        expect(server.log.join()).toMatch(
          /product 401: the connector answered 401 \(wrong secret or address\); it is tried again/,
        );
      });

      it('nothing before it is due, and again after ten minutes at the latest', async () => {
        connector.answer = ({ entityId }) => (entityId === 'often' ? 503 : 200);
        const began = Date.now();
        await add({ entityId: 'often', attempts: 30 });
        await vi.waitFor(async () => {
          const [row] = await server.rows();
          expect(Number(row?.nextAt)).toBeGreaterThan(began + 590_000);
          expect(Number(row?.nextAt)).toBeLessThanOrEqual(Date.now() + 600_000);
        }, WAIT);
        const asked = connector.asked;
        await add({ entityId: '2' });
        await accepts({ entityId: '2' });
        await add({ entityId: '3' });
        await accepts({ entityId: '2' }, { entityId: '3' });
        expect(connector.asked).toBe(asked + 2);
        await server.connection.rawConnection.query('DELETE FROM loyalty_outbox');
      });

      it('the others beside what it cannot look up, or what belongs to nothing', async () => {
        const { rawConnection } = server.connection;
        const alone = await rawConnection
          .getRepository(ProductVariant)
          .save(new ProductVariant({ enabled: true, sku: 'ALONE', translations: [] }));
        const later = { at: Date.now() + 1, nextAt: Date.now() + 1 };
        await add(
          { kind: 'unheard-of' as 'product' },
          { kind: 'variant', entityId: String(alone.id) },
          { entityId: '2', ...later },
        );
        await accepts({ entityId: '2' });
        const waits = expect.objectContaining({ kind: 'unheard-of' });
        await vi.waitFor(
          async () => expect(await server.rows('"givenUp" = false')).toEqual([waits]),
          WAIT,
        );
        expect(server.log.join()).toMatch(/unheard-of 1 was not looked up.*tried again for a week/);
        await rawConnection.query('DELETE FROM loyalty_outbox');
      });

      it('a backlog of many pages without a pause after each', async () => {
        refuse();
        const rows = Array.from({ length: 500 }, (_, index) => ({ entityId: `p${index}` }));
        for (let at = 0; at < rows.length; at += 100) await add(...rows.slice(at, at + 100));
        const asked = connector.asked;
        await vi.waitFor(() => expect(connector.asked).toBeGreaterThan(asked), WAIT);
        // An outage costs a request now and then, not one for each row.
        expect(connector.asked - asked).toBeLessThan(50);
        connector.answer = () => 200;
        await vi.waitFor(() => expect(connector.accepted).toHaveLength(500), WAIT);
      });

      it('nothing that is a week old, and forgets it after a month', async () => {
        refuse();
        const now = Date.now();
        await add(
          { entityId: 'new', at: now - 6 * DAY_MS },
          { entityId: 'week', at: now - 8 * DAY_MS },
          { entityId: 'month', at: now - 31 * DAY_MS, givenUp: true },
        );
        senders.push(sendChanges(server.connection, { ...connector, secret: SECRET }));
        await vi.waitFor(
          async () =>
            expect(await server.rows('"givenUp" = true')).toEqual([
              expect.objectContaining({ entityId: 'week' }),
            ]),
          WAIT,
        );
        // However many there are, no look at what is due reads them.
        expect(await server.rows(`"nextAt" > ${now + 365 * DAY_MS}`)).toHaveLength(1);
        expect(server.log.join()).toMatch(/1 changes were not accepted for a week/);
        connector.answer = () => 200;
        await accepts({ entityId: 'new' });
      });

      (oneServer ? it.skip : it)(
        `each row by one of several servers${oneServer ? ` (${oneServer})` : ''}`,
        async () => {
          const to = { address: connector.address, secret: SECRET };
          for (let n = 0; n < 3; n += 1) senders.push(sendChanges(server.connection, to));
          const rows = Array.from({ length: 300 }, (_, index) => ({ entityId: `q${index}` }));
          await add(...rows);
          await vi.waitFor(async () => expect(await server.rows()).toEqual([]), WAIT);
          const ids = connector.accepted.map(({ entityId }) => entityId);
          expect(ids.toSorted()).toEqual(rows.map(({ entityId }) => entityId).toSorted());
        },
      );
    });
  });
}
