import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineConnector } from '../../shared/config/connector-config.ts';
import type { PlatformName, ShopSettings } from '../../shared/config/connector-settings.ts';
import { defaultRules } from '../../shared/config/mapping-settings.ts';
import type { StoreEvent } from '../../shared/core/events/event.ts';
import { type Delivery, receiveDelivery } from '../../shared/core/events/receive-delivery.ts';
import { orderAmounts } from '../../shared/core/mapping/order-amounts.ts';
import type { OpenShop } from '../../shared/core/platform/platform.ts';
import {
  type Changed,
  encodeSnapshot,
  type ScanAnswer,
  type ScannedKind,
  type ScanPage,
  type Span,
  type Store,
  type StoreAnswer,
  type StoreScan,
} from '../../shared/core/store/store.ts';
import {
  COMMANDS,
  createPlatformReader,
  DELIVERIES,
  HEALING,
} from '../../shared/services/platforms.ts';
import type { OrderFigures, StoreOrder } from '../../shared/store/store-entities.ts';
import { recordTelemetry } from '../support/recorded-telemetry.ts';

/** How a delivery comes: only the first two are to be believed. */
type DeliveryHow =
  | 'as it is'
  | 'signed with the older secret'
  | 'changed after it was signed'
  | 'unsigned'
  | 'of another shop'
  | 'captured an hour ago';

interface SentEvent {
  readonly kind: 'order' | 'product' | 'discount' | 'member';
  readonly id: string;
  /** `erased`: of a member, the platform's request to erase the person. */
  readonly change: 'changed' | 'deleted' | 'erased';
}

/** Prices are in the shop's currency, with a tax of 19 %. */
interface Purchase {
  readonly lines: readonly { readonly price: number; readonly quantity: number }[];
  readonly taxes: 'inside' | 'on top';
  /** For everybody, and ten percent off the goods. */
  readonly code?: string;
  readonly shipping?: 5;
  /** Default: at once. */
  readonly pay?: 'later';
  readonly customerId?: string;
  /** The buyer pays in another currency than the shop's. */
  readonly foreignCurrency?: true;
  /** The buyer has no account. */
  readonly guest?: Person;
}

/** Of an order with taxes inside, before anything was sent. What it costs more is paid; what it costs less goes back. */
interface Modification {
  readonly add?: { readonly price: number; readonly quantity: number };
  readonly remove?: { readonly lineId: string; readonly quantity: number };
  /** For all of the order, with a tax of 19 % inside; below zero it is a discount. */
  readonly surcharge?: number;
  /** By how much it changes what the goods cost. */
  readonly difference: number;
}

interface Bought {
  readonly id: string;
  /** In the order of the purchase. */
  readonly lineIds: readonly string[];
}

interface Person {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

/**
 * A shop of the platform and what people do in it, each through the platform's own means. What it lacks, it names, and
 * is not asked for.
 */
export interface PlatformUnderTest {
  readonly shop: string;
  readonly settings: ShopSettings;
  readonly currency: string;
  /** With short pages. */
  readonly store: Store & StoreScan;
  /** Of a store on this machine. */
  readonly sandboxAddress?: string;
  /** What the secret `store` holds, and the same with a wrong value. */
  readonly storeSecret: Readonly<Record<string, string>>;
  readonly wrongSecret: Readonly<Record<string, string>>;
  readonly secrets: { readonly current: string; readonly previous: string };
  /** Now, by the platform's clock. */
  now(): Date;
  deliver(event: SentEvent, how: DeliveryHow): Pick<Delivery, 'headers' | 'body'>;
  buy(purchase: Purchase): Promise<Bought>;
  pay(orderId: string): Promise<unknown>;
  /** All of it. */
  ship(orderId: string): Promise<unknown>;
  refundPieces(orderId: string, lineId: string, quantity: number): Promise<unknown>;
  refundAmount(orderId: string, amount: number): Promise<unknown>;
  refundShipping(orderId: string): Promise<unknown>;
  /** Before anything was sent. Whether the money goes back at once is the platform's own affair. */
  cancelPieces(orderId: string, lineId: string, quantity: number): Promise<unknown>;
  cancel(orderId: string): Promise<unknown>;
  modify(orderId: string, modification: Modification): Promise<unknown>;
  createProduct(price: number): Promise<string>;
  changePrice(productId: string, price: number): Promise<unknown>;
  createCode(code: string): Promise<string>;
  endCode(discountId: string): Promise<unknown>;
  createCustomer(person: Person): Promise<string>;
  changeCustomer(customerId: string, changes: Partial<Person>): Promise<unknown>;
  remove(kind: 'product' | 'discount' | 'member', id: string): Promise<unknown>;
  close(): Promise<unknown>;
}

/** What not every platform has. */
type Capability =
  | 'signatures over the body'
  | 'time of signing'
  /** Without it, two deliveries are two messages, even if they are equal. */
  | 'a delivery id'
  | 'events of coupons'
  | 'events of customers'
  | 'ids beyond 2^53'
  | 'taxes on top'
  | 'several currencies'
  | 'guests'
  | 'refunds of pieces'
  | 'refunds of an amount'
  | 'refunds of shipping'
  | 'cancelling a part'
  | 'modifications'
  | 'surcharges'
  | 'surcharges below zero'
  | 'deleting products, codes and customers';

/** Why the platform lacks it. The cases that need it are left out, and a run names them. */
export type Lacks = Readonly<Partial<Record<Capability, string>>>;

/** 33.60 and 8.39 less ten percent are 30.24 and 7.55, together 37.79; the taxes inside are 4.83 and 1.21. */
const GOODS = {
  lines: [
    { price: 16.8, quantity: 2 },
    { price: 8.39, quantity: 1 },
  ],
  taxes: 'inside',
  code: 'TENPERCENT',
  shipping: 5,
} as const satisfies Purchase;

/** 33.60 and 8.39, together 41.99; the taxes inside are 5.36 and 1.34. */
const PLAIN = { lines: GOODS.lines, taxes: 'inside', shipping: 5 } as const satisfies Purchase;

const HUGE = '9007199254740993';

/** Each platform of the tables has a test that calls this: test/unit/platforms.test.ts. */
export function describeStorePlatform(
  name: PlatformName,
  open: () => Promise<PlatformUnderTest>,
  lacks: Lacks = {},
): void {
  /** A case, or why it is left out. */
  const needs =
    (...capabilities: readonly Capability[]) =>
    (title: string, test: () => Promise<void>) => {
      const lack = capabilities.find((one) => lacks[one] !== undefined);
      if (lack === undefined) return it(title, test);
      return it.skip(`${title} (${lack}: ${lacks[lack]})`, () => {});
    };

  describe(`the contract of a store platform, kept by ${name}`, () => {
    let platform: PlatformUnderTest;
    let store: Store & StoreScan;
    beforeAll(async () => {
      for (const [lack, why] of Object.entries(lacks)) console.log(`${name}: no ${lack}: ${why}`);
      platform = await open();
      ({ store } = platform);
      await platform.createCode(GOODS.code);
    });
    afterAll(() => platform?.close());

    const order = async (id: string) => await found(() => store.readOrder(platform.shop, id));
    const bookOf = async (id: string) =>
      await found(() => store.readOrder(platform.shop, id, { book: 'always' }));

    const receive = (event: SentEvent, how: DeliveryHow) =>
      receiveSent(platform.deliver(event, how));

    async function receiveSent(sent: Pick<Delivery, 'headers' | 'body'>) {
      const queued: { readonly event: StoreEvent; readonly name: string | undefined }[] = [];
      const { secrets: value, shop: domain } = platform;
      const secrets = {
        get: async () => value,
        refresh: async () => ({ kind: 'unchanged', value }) as const,
      };
      const telemetry = recordTelemetry();
      const shop = { domain, secrets, deliveries: DELIVERIES[name] };
      const { status } = await receiveDelivery(
        { method: 'POST', path: '/shop', ...sent },
        {
          ...{ shops: new Map([['/shop', shop]]), telemetry, countOfEntity: () => 1 },
          queue: { send: async (one, id) => void queued.push({ event: one as never, name: id }) },
          now: () => platform.now(),
        },
      );
      return { status, queued, telemetry };
    }

    describe('a delivery', () => {
      const EVENT: SentEvent = { kind: 'order', id: '12', change: 'changed' };

      const events = [
        ['order', []],
        ['product', []],
        ['discount', ['events of coupons']],
        ['member', ['events of customers']],
      ] as const satisfies readonly (readonly [SentEvent['kind'], readonly Capability[]])[];
      for (const [kind, capabilities] of events) {
        for (const change of ['changed', 'deleted'] as const) {
          const title = `of a ${kind} that was ${change} is queued under its id, however large`;
          needs(...capabilities)(title, async () => {
            const { status, queued } = await receive({ kind, change, id: HUGE }, 'as it is');
            expect(status).toBe(200);
            // Where the platform has no request to erase a person, their deletion is one.
            const isErasure = queued[0]?.event.claim === 'customer-redaction';
            const erases = isErasure && kind === 'member' && change === 'deleted';
            const meaning = erases ? { kind: 'customer' } : { kind, claim: change };
            expect(queued).toMatchObject([
              { event: { shop: platform.shop, id: HUGE, origin: 'webhook', ...meaning } },
            ]);
          });
        }
      }

      needs('a delivery id')('is one message, however often it comes', async () => {
        const [one] = (await receive(EVENT, 'as it is')).queued;
        const [again] = (await receive(EVENT, 'as it is')).queued;
        expect(again?.name).toBe(one?.name);
        const [other] = (await receive({ ...EVENT, id: '13' }, 'as it is')).queued;
        expect(other?.name).not.toBe(one?.name);
      });

      it('is accepted with the older secret, too', async () => {
        const { status, queued } = await receive(EVENT, 'signed with the older secret');
        expect([status, queued.length]).toEqual([200, 1]);
      });

      const forgeries = [
        ['unsigned', []],
        ['of another shop', []],
        ['changed after it was signed', ['signatures over the body']],
        ['captured an hour ago', ['time of signing']],
      ] as const satisfies readonly (readonly [DeliveryHow, readonly Capability[]])[];
      for (const [how, capabilities] of forgeries) {
        needs(...capabilities)(`is refused when it is ${how}`, async () => {
          expect(await receive(EVENT, how)).toMatchObject({ status: 401, queued: [] });
        });
      }
    });

    describe('an event', () => {
      const read: ReturnType<typeof createPlatformReader> = (event) =>
        createPlatformReader([{ domain: platform.shop, platform: name }])(event);
      const madeHere = (kind: 'order' | 'discount', id: string, body?: Uint8Array): StoreEvent => ({
        ...{ shop: platform.shop, kind, id, claim: 'changed', origin: 'reconcile', body },
        ...{ deliveryId: 'made-here', receivedAt: platform.now().toISOString() },
        topic: HEALING[name].topicOf({ kind, claim: 'changed' }),
      });

      it('of an order is read as that order, or as a question to the store', async () => {
        const order = { kind: 'order', change: 'changed', id: HUGE } as const;
        const [one] = (await receive(order, 'as it is')).queued;
        const reading = one && read(one.event);
        const entity = { kind: 'order', order: { id: HUGE } };
        expect(reading).toMatchObject(
          reading?.kind === 'snapshot' ? { entity } : { kind: 'ask-store' },
        );
      });

      for (const kind of ['order', 'product', 'discount'] as const) {
        it(`that a ${kind} was deleted is a question to the store`, async () => {
          const [one] = (await receive({ kind, change: 'deleted', id: '12' }, 'as it is')).queued;
          const reading = one && read(one.event);
          const fanOut = { kind: 'task', task: { kind: 'fan-out', discountId: '12' } };
          expect(reading).toMatchObject(kind === 'discount' ? fanOut : { kind: 'ask-store' });
        });
      }

      it('that a person is to be erased names the customer, and never restores who they were', async () => {
        const request = { kind: 'member', change: 'erased', id: HUGE } as const;
        const [one] = (await receive(request, 'as it is')).queued;
        expect(one?.event).toMatchObject({ kind: 'customer', claim: 'customer-redaction' });
        const task = { kind: 'redact', customerId: HUGE, orderIds: expect.any(Array) };
        expect(one && read(one.event)).toEqual({ kind: 'task', task });
      });

      it('that was made here holds its entity; the same bytes from outside do not', async () => {
        const { id } = await platform.buy(GOODS);
        const entity = { kind: 'order', order: await order(id) } as const;
        const made = madeHere('order', id, encodeSnapshot(entity, platform.now()));
        expect(made.topic).not.toBe('');
        expect(read(made)).toMatchObject({ kind: 'snapshot', entity: { order: { id } } });
        expect(read({ ...made, origin: 'webhook' }).kind).not.toBe('snapshot');
        expect(read(madeHere('order', id)).kind).toBe('ask-store');
        const fanOut = { kind: 'task', task: { kind: 'fan-out', discountId: '12' } };
        expect(read(madeHere('discount', '12'))).toMatchObject(fanOut);
      });

      it('with any body ends in a reading, and with nonsense in no state', () => {
        for (const text of ['', 'null', '[]', '{', '"text"', '{"id":1}', '\u0000'.repeat(9)]) {
          for (const kind of ['order', 'discount'] as const) {
            const event = {
              ...madeHere(kind, '12', Buffer.from(text)),
              origin: 'webhook',
            } as const;
            expect(read(event).kind).not.toBe('snapshot');
          }
        }
      });
    });

    function opened(secret = platform.storeSecret): OpenShop {
      const loyalty = { address: 'https://loyalty.example.com' };
      const { shops } = defineConnector({ shops: [platform.settings], loyalty });
      const [shop] = shops;
      if (!shop) throw new Error('no shop');
      return {
        ...{ shop, sandboxAddress: platform.sandboxAddress },
        secret(parse) {
          const get = async () => {
            const parsed = parse(secret);
            return parsed.kind === 'parsed' ? parsed.value : 'unusable';
          };
          return { get, refresh: get };
        },
      };
    }

    describe('healing', () => {
      it('sees each change by a date of the platform, or by the moment of reading', async () => {
        const { versionsAreReadings } = HEALING[name];
        const { shop } = platform;
        const versionOf = {
          order: async (id: string) => (await order(id)).updatedAt,
          product: async (id: string) => (await found(() => store.readProduct(shop, id))).updatedAt,
          member: async (id: string) => (await found(() => store.readMember(shop, id))).updatedAt,
        };
        const { id, lineIds } = await platform.buy({ ...GOODS, pay: 'later' });
        const product = await platform.createProduct(21);
        const jay = { firstName: 'Jay', lastName: 'Rook', email: 'rook@example.com' };
        const member = await platform.createCustomer(jay);
        const refund = () => platform.refundPieces(id, lineIds[0] ?? '', 1);
        const email = 'j@example.com';
        const changes: readonly (readonly [
          kind: 'order' | 'product' | 'member',
          id: string,
          change: () => Promise<unknown>,
        ])[] = [
          ['order', id, () => platform.pay(id)],
          ['order', id, () => platform.ship(id)],
          ...(lacks['refunds of pieces'] ? [] : [['order', id, refund] as const]),
          ['product', product, () => platform.changePrice(product, 22)],
          ['member', member, () => platform.changeCustomer(member, { email })],
        ];
        for (const [kind, of, change] of changes) {
          const before = await versionOf[kind](of);
          if (!versionsAreReadings.includes(kind)) expect(await versionOf[kind](of)).toBe(before);
          await change();
          const after = await versionOf[kind](of);
          expect(Date.parse(after), kind).toBeGreaterThan(Date.parse(before));
        }
      });

      it('opens the same store, which scans what changed and ends in time', async () => {
        const { shop } = platform;
        const telemetry = recordTelemetry();
        const { healing } = defineConnector({
          ...{ shops: [platform.settings], loyalty: { address: 'https://loyalty.example.com' } },
        });
        const wanted = { webhookAddress: 'https://hooks.example.com', healing, telemetry };
        const healed = HEALING[name].openStore({ shop: () => opened() }, wanted);
        const from = platform.now().getTime() - 1_000;
        const { id } = await platform.buy(GOODS);
        const read = await found(() => healed.readOrder(shop, id));
        expect(withoutVersion(read)).toEqual(withoutVersion(await order(id)));
        const span = { from, until: platform.now().getTime() };
        const { changed } = await found(() => healed.changedOrders(shop, span));
        expect(idsOf(changed)).toContain(id);
        await healed.checkSubscriptions?.(shop);
        const ended = await healed.until(AbortSignal.abort()).readOrder(shop, id);
        expect(ended.kind).toBe('unavailable');
      });
    });

    describe('a person', () => {
      const anna = { firstName: 'Anna', lastName: 'Crane', email: 'crane@example.com' };

      it('finds an order, a product and a customer by what they know of it', async () => {
        const asked = COMMANDS[name].open(opened());
        const customerId = await platform.createCustomer(anna);
        const product = await platform.createProduct(31);
        const { id } = await platform.buy({ ...GOODS, customerId });
        const { name: orderName = '' } = await order(id);
        const { title } = await found(() => store.readProduct(platform.shop, product));
        const one = [expect.objectContaining({ kind: 'order', id })];
        expect(await found(() => asked.ordersNamed(orderName))).toEqual(one);
        expect(await found(() => asked.ordersOf(customerId))).toEqual(one);
        expect(await found(() => asked.customerWith(anna.email))).toMatchObject([
          { kind: 'customer', id: customerId },
        ]);
        expect(idsOf(await found(() => asked.productsTitled(title)))).toContain(product);
        expect(await found(() => asked.byId(id))).toEqual(expect.arrayContaining(one));
        expect(await asked.namesOf('order', [id])).toEqual(new Map([[id, orderName]]));
        expect(await found(() => asked.ordersNamed('NEVER-PLACED'))).toEqual([]);
        expect(await found(() => asked.customerWith('nobody@example.com'))).toEqual([]);
        const span = { from: 0, until: platform.now().getTime() + 60_000 };
        expect(await found(() => asked.count('order', span))).toBeGreaterThan(0);
      });

      it('hears whether the store can be read, and when it refuses the credentials', async () => {
        const look = (secret?: PlatformUnderTest['storeSecret']) =>
          COMMANDS[name].open(opened(secret)).look();
        const verdicts = (await look()).map(({ verdict }) => verdict);
        expect(new Set(verdicts)).toEqual(new Set(['pass']));
        expect(await look(platform.wrongSecret)).toMatchObject([
          { verdict: 'fail', isRefused: true, fix: expect.any(String) },
        ]);
      });

      it('is asked for secrets of the form that is read, and no fault repeats a value', () => {
        const { parseSecret, secrets, olderSecret = [] } = COMMANDS[name];
        expect(parseSecret(platform.storeSecret).kind).toBe('parsed');
        const fields = [...secrets.store, ...olderSecret].map(({ field }) => field);
        for (const missing of Object.keys(platform.storeSecret)) {
          expect(fields).toContain(missing);
          const { [missing]: _, ...rest } = platform.storeSecret;
          const parsed = parseSecret(rest);
          // There may be two forms of a secret: either may be asked for, but nothing that was given.
          const asked = fields.filter((one) => !(one in rest));
          expect(asked.map((field) => ({ kind: 'fault', field }))).toContainEqual(parsed);
          for (const value of Object.values(rest)) {
            expect(JSON.stringify(parsed)).not.toContain(value);
          }
        }
      });

      it('tests the address by a probe that reaches no queue and raises no alarm', async () => {
        const { probe } = COMMANDS[name];
        const { shop, secrets } = platform;
        const taken = await receiveSent(probe(shop, secrets.current, platform.now()));
        expect([taken.status, taken.queued]).toEqual([200, []]);
        const forged = await receiveSent(probe(shop, 'a-secret-of-nobody', platform.now()));
        expect([forged.status, forged.queued]).toEqual([401, []]);
        expect(forged.telemetry.total('signatures-refused')).toBe(0);
      });
    });

    needs('ids beyond 2^53')('reads ids beyond 2^53 as they are', async () => {
      const { id, lineIds } = await platform.buy(GOODS);
      expect(BigInt(id)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
      const read = await order(id);
      expect(read.id).toBe(id);
      expect(read.lines.map((line) => line.id).toSorted()).toEqual([...lineIds].toSorted());
      expect((await scan('order')).ids).toContain(id);
    });

    describe('an order', () => {
      needs('refunds of pieces')(
        'is read in each of its states, and a later reading never looks older',
        async () => {
          const { id, lineIds } = await platform.buy({ ...GOODS, pay: 'later' });
          const steps: readonly [() => Promise<unknown>, Partial<StoreOrder>][] = [
            [async () => {}, { fulfillmentStatus: undefined, outstanding: '42.79' as never }],
            [() => platform.pay(id), { paymentStatus: 'paid', outstanding: '0' as never }],
            [() => platform.ship(id), { fulfillmentStatus: 'fulfilled' }],
            [
              () => platform.refundPieces(id, lineIds[0] ?? '', 1),
              { paymentStatus: 'partially_refunded', refundedAt: expect.any(String) },
            ],
          ];
          let before: StoreOrder | undefined;
          for (const [act, expected] of steps) {
            await act();
            const now = await order(id);
            expect(now).toMatchObject({ id, couponCodes: [GOODS.code], ...expected });
            expect(['paid', 'partially_refunded'].includes(now.paymentStatus ?? '')).toBe(
              expected.paymentStatus !== undefined || expected.fulfillmentStatus !== undefined,
            );
            if (before) {
              expect(Date.parse(now.updatedAt)).toBeGreaterThanOrEqual(
                Date.parse(before.updatedAt),
              );
              expect(withoutVersion(now)).not.toEqual(withoutVersion(before));
            }
            before = now;
            expect(withoutVersion(await order(id))).toEqual(withoutVersion(now));
          }
        },
      );

      type Act = (bought: Bought) => Promise<unknown>;
      const all: Act = async ({ id, lineIds: [shirts = '', mug = ''] }) => {
        await platform.refundPieces(id, shirts, 2);
        await platform.refundPieces(id, mug, 1);
        await platform.refundShipping(id);
      };
      const pieceAndAmount: Act = async ({ id, lineIds: [shirts = ''] }) => {
        await platform.refundPieces(id, shirts, 1);
        await platform.refundAmount(id, 5);
      };
      const refunds: readonly [string, readonly Capability[], Act, string, string][] = [
        ['nothing', [], async () => {}, '31.75', '37.79'],
        // 15.12 and 7.55 are left.
        [
          'a piece',
          ['refunds of pieces'],
          ({ id, lineIds: [shirts = ''] }) => platform.refundPieces(id, shirts, 1),
          '19.05',
          '22.67',
        ],
        // 32.79 of 37.79 are left.
        [
          'an amount',
          ['refunds of an amount'],
          ({ id }) => platform.refundAmount(id, 5),
          '27.55',
          '32.79',
        ],
        [
          'the shipping',
          ['refunds of shipping'],
          ({ id }) => platform.refundShipping(id),
          '31.75',
          '37.79',
        ],
        // 17.67 of 22.67 are left of what was left.
        [
          'a piece and then an amount',
          ['refunds of pieces', 'refunds of an amount'],
          pieceAndAmount,
          '14.85',
          '17.67',
        ],
        ['all of it', ['refunds of pieces', 'refunds of shipping'], all, '0', '0'],
      ];
      for (const when of ['before', 'after']) {
        for (const [what, capabilities, refund, net, gross] of refunds) {
          const title = `${when} it was sent: with ${what} refunded, what was paid for goods kept counts`;
          needs(...capabilities)(title, async () => {
            const bought = await platform.buy(GOODS);
            if (when === 'after') await platform.ship(bought.id);
            await refund(bought);
            expect(counts(await order(bought.id))).toEqual([net, gross]);
          });
        }
      }

      const taken = (lineId = '') => ({ lineId, quantity: 1 });
      type Lines = Bought['lineIds'];
      const modifications: readonly [
        string,
        readonly Capability[],
        (lineIds: Lines) => Modification,
        string,
        string,
        readonly string[],
      ][] = [
        // 5.00 and 0.95 more.
        [
          'a piece added and paid',
          [],
          () => ({ add: { price: 5.95, quantity: 1 }, difference: 5.95 }),
          '40.29',
          '47.94',
          ['33.6', '5.95', '8.39'],
        ],
        // 14.12 and 7.05 without taxes.
        [
          'a piece taken out and its money back',
          [],
          ([shirts]) => ({ remove: taken(shirts), difference: -16.8 }),
          '21.17',
          '25.19',
          ['16.8', '8.39'],
        ],
        // 28.24 and 10.00 without taxes.
        [
          'a piece replaced by a dearer one, and the difference paid',
          [],
          ([, mug]) => ({
            remove: taken(mug),
            add: { price: 11.9, quantity: 1 },
            difference: 3.51,
          }),
          '38.24',
          '45.5',
          ['11.9', '33.6'],
        ],
        // 2.00 and 0.38 more.
        [
          'a surcharge that was paid',
          ['surcharges'],
          () => ({ surcharge: 2.38, difference: 2.38 }),
          '37.29',
          '44.37',
          ['2.38', '33.6', '8.39'],
        ],
        // Of 41.99, 39.61 are left: each line bears its part.
        [
          'a surcharge below zero that went back',
          ['surcharges below zero'],
          () => ({ surcharge: -2.38, difference: -2.38 }),
          '33.29',
          '39.61',
          ['31.7', '7.91'],
        ],
      ];
      for (const [what, capabilities, modification, net, gross, paid] of modifications) {
        needs('modifications', ...capabilities)(`counts ${what}`, async () => {
          const { id, lineIds } = await platform.buy(PLAIN);
          await platform.modify(id, modification(lineIds));
          const read = await order(id);
          expect(counts(read)).toEqual([net, gross]);
          expect(read.outstanding).toBe('0');
          // The core takes the order's own sum: a line that is left out shows only here.
          const kept = read.lines.filter((line) => line.kept > 0);
          expect(kept.map((line) => line.paid).toSorted()).toEqual(paid);
        });
      }

      const goesBack = 'counts nothing after all money of a modified order went back';
      needs('modifications', 'refunds of an amount')(goesBack, async () => {
        for (const [, capabilities, modification, , gross] of modifications) {
          if (capabilities.some((one) => lacks[one] !== undefined)) continue;
          const { id, lineIds } = await platform.buy(PLAIN);
          await platform.modify(id, modification(lineIds));
          await platform.refundAmount(id, Number(gross));
          expect(counts(await order(id))).toEqual(['0', '0']);
        }
      });

      const addedFirst = 'counts a piece refunded after one was added';
      needs('modifications', 'refunds of pieces')(addedFirst, async () => {
        const { id, lineIds } = await platform.buy(PLAIN);
        await platform.modify(id, { add: { price: 5.95, quantity: 1 }, difference: 5.95 });
        await platform.refundPieces(id, lineIds[0] ?? '', 1);
        // 14.12, 7.05 and 5.00 without taxes.
        expect(counts(await order(id))).toEqual(['26.17', '31.14']);
      });

      needs('refunds of pieces', 'refunds of an amount')(
        'says in its book what it counted after each change, the oldest first and today’s last',
        async () => {
          const bought = await platform.buy(GOODS);
          expect((await order(bought.id)).changed).toBe(false);
          await platform.refundPieces(bought.id, bought.lineIds[0] ?? '', 1);
          // A database may keep whole seconds, and what falls in one of them is one state.
          await sleep(1_100);
          await platform.refundAmount(bought.id, 5);
          const now = await bookOf(bought.id);
          const seen = [...new Set((now.book ?? []).map((one) => counts(one).join(', ')))];
          expect(seen[0]).toBe('31.75, 37.79');
          expect(seen).toContain('19.05, 22.67');
          expect(seen.at(-1)).toBe(counts(now).join(', '));
          expect(now.changed).toBe(true);
          // Nobody asked for it.
          expect((await order(bought.id)).book).toBeUndefined();
        },
      );

      needs('taxes on top')('counts the same with taxes on top of its prices', async () => {
        const { id, lineIds } = await platform.buy({ ...GOODS, taxes: 'on top' });
        expect(counts(await order(id))).toEqual(['37.79', '44.97']);
        await platform.refundPieces(id, lineIds[1] ?? '', 1);
        expect(counts(await order(id))).toEqual(['30.24', '35.99']);
        const other = await platform.buy({ ...GOODS, taxes: 'on top' });
        // 29.98 of 44.97 are left.
        await platform.refundAmount(other.id, 14.99);
        expect(counts(await order(other.id))).toEqual(['25.19', '29.98']);
      });

      needs('guests')('of a guest counts as any other, and names nobody else', async () => {
        const guest = { firstName: 'Guest', lastName: 'Finch', email: 'finch@example.com' };
        const { id } = await platform.buy({ ...GOODS, guest });
        const read = await order(id);
        expect(counts(read)).toEqual(['31.75', '37.79']);
        // Some platforms make a customer of a guest.
        expect([undefined, guest.email]).toContain(read.customer?.email);
      });

      needs('cancelling a part')('counts what is left after a part was cancelled', async () => {
        const one = await platform.buy(GOODS);
        await platform.cancelPieces(one.id, one.lineIds[1] ?? '', 1);
        expect(counts(await order(one.id))).toEqual(['25.41', '30.24']);
        // The money of what was cancelled, and the shipping, go back later: neither is of the goods kept.
        await platform.refundAmount(one.id, 7.55);
        await platform.refundShipping(one.id);
        expect(counts(await order(one.id))).toEqual(['25.41', '30.24']);
        const other = await platform.buy(GOODS);
        await platform.cancelPieces(other.id, other.lineIds[0] ?? '', 1);
        expect(counts(await order(other.id))).toEqual(['19.05', '22.67']);
      });

      it('counts nothing after all of it was cancelled', async () => {
        const { id } = await platform.buy(GOODS);
        await platform.cancel(id);
        const read = await order(id);
        expect(read.cancelledAt).toEqual(expect.any(String));
        expect(counts(read)).toEqual(['0', '0']);
      });

      needs('several currencies')(
        'that was paid in another currency is read in the shop’s, or as one that does not count',
        async () => {
          await platform.buy(GOODS);
          const { id } = await platform.buy({ ...GOODS, foreignCurrency: true });
          const answer = await store.readOrder(platform.shop, id);
          if (answer.kind !== 'found') throw new Error(answer.kind);
          if (!answer.value.ofOtherCurrency)
            expect(counts(answer.value)).toEqual(['31.75', '37.79']);
          const scanned = (await scan('order')).changed.map(({ value }) => value as StoreOrder);
          const counted = [answer.value, ...scanned].filter((one) => !one.ofOtherCurrency);
          expect(new Set(counted.map(({ currency }) => currency))).toEqual(
            new Set([platform.currency]),
          );
        },
      );
    });

    const scans: Record<ScannedKind, (span: Span, after?: string) => Page> = {
      order: (span, after) => store.changedOrders(platform.shop, span, after),
      product: (span, after) => store.changedProducts(platform.shop, span, after),
      discount: (span, after) => store.changedDiscounts(platform.shop, span, after),
    };

    async function scan(
      kind: ScannedKind,
      between: (seen: readonly string[]) => Promise<unknown> = async () => {},
      from?: number,
    ) {
      const span = { from, until: platform.now().getTime() };
      const changed: Changed<unknown>[] = [];
      let after: string | undefined;
      let pages = 0;
      do {
        const page = await found(() => scans[kind](span, after));
        changed.push(...page.changed);
        after = page.next;
        pages += 1;
        if (after !== undefined) await between(idsOf(changed));
      } while (after !== undefined);
      return { changed, ids: idsOf(changed), pages, until: span.until };
    }

    describe('pages', () => {
      it('of orders have no gaps and no doubles while orders are placed, paid and refunded', async () => {
        const placed: Bought[] = [];
        for (let i = 0; i < 16; i += 1) placed.push(await platform.buy({ ...GOODS, pay: 'later' }));
        const ids = placed.map(({ id }) => id);
        const changed: string[] = [];
        const first = await scan('order', async (seen) => {
          ids.push((await platform.buy(GOODS)).id);
          const unchanged = placed.filter(({ id }) => !changed.includes(id));
          const read = unchanged.find(({ id }) => seen.includes(id));
          const unread = unchanged.findLast(({ id }) => !seen.includes(id));
          for (const { id } of [read, unread].filter((one) => one !== undefined)) {
            await platform.pay(id);
            changed.push(id);
          }
        });
        expect(first.pages).toBeGreaterThan(1);
        expect(new Set(first.ids).size).toBe(first.ids.length);
        const still = idsOf(placed).filter((id) => !changed.includes(id));
        expect(first.ids).toEqual(expect.arrayContaining(still));
        // What changed during a scan may be left to the next one, which begins where the first ended.
        const next = await scan('order', undefined, first.until);
        expect([...first.ids, ...next.ids]).toEqual(expect.arrayContaining(ids));
        const paid = next.changed.find(({ id }) => id === changed[0])?.value as StoreOrder;
        expect(paid.paymentStatus).toBe('paid');
      });

      needs('deleting products, codes and customers')(
        'of products have no gaps while others are deleted',
        async () => {
          const ids: string[] = [];
          for (let i = 0; i < 12; i += 1) ids.push(await platform.createProduct(1 + i));
          const gone = new Set<string>();
          const seen = await scan('product', async (read) => {
            const one = ids.find((id) => read.includes(id) && !gone.has(id));
            if (one === undefined) return;
            gone.add(one);
            await platform.remove('product', one);
          });
          expect(seen.ids).toEqual(expect.arrayContaining(ids));
        },
      );
    });

    describe('products, codes and customers', () => {
      needs('deleting products, codes and customers')(
        'follow their changes until they are gone',
        async () => {
          const product = await platform.createProduct(12.5);
          const { shop } = platform;
          expect((await found(() => store.readProduct(shop, product))).price).toBe('12.5');
          await platform.changePrice(product, 13.99);
          expect((await found(() => store.readProduct(shop, product))).price).toBe('13.99');

          const code = await platform.createCode('AUTUMN');
          const coupon = { code: 'AUTUMN', discountId: code, kind: 'percentage', value: '10' };
          const active = { ...coupon, status: 'active' };
          expect(await found(() => store.readCoupon(shop, 'AUTUMN'))).toMatchObject(active);
          await platform.endCode(code);
          const ended = { ...coupon, status: 'expired' };
          expect(await found(() => store.readCoupon(shop, 'AUTUMN'))).toMatchObject(ended);
          expect((await found(() => store.readDiscount(shop, code))).coupons).toMatchObject([
            ended,
          ]);

          const robin = { firstName: 'Robin', lastName: 'Wren', email: 'robin@example.com' };
          const member = await platform.createCustomer(robin);
          const known = { id: member, name: 'Robin Wren' };
          expect(await found(() => store.readMember(shop, member))).toMatchObject(known);
          await platform.changeCustomer(member, { email: 'wren@example.com' });
          expect(await found(() => store.readMember(shop, member))).toMatchObject({
            ...known,
            email: 'wren@example.com',
          });
          const span = { from: platform.now().getTime() - 60_000, until: platform.now().getTime() };
          const { changed } = await found(() => store.changedMembers(shop, span));
          const seen = changed.find((one) => one.id === member);
          expect(seen?.value?.email).toBe('wren@example.com');
          const { id } = await platform.buy({ ...GOODS, customerId: member });
          expect((await order(id)).customer).toMatchObject(known);

          await platform.remove('product', product);
          await platform.remove('discount', code);
          await platform.remove('member', member);
          const gone = { kind: 'gone' };
          expect(await store.readProduct(shop, product)).toEqual(gone);
          expect(await store.readCoupon(shop, 'AUTUMN')).toEqual(gone);
          expect(await store.readDiscount(shop, code)).toEqual(gone);
          expect(await store.readMember(shop, member)).toEqual(gone);
          expect((await order(id)).customer).toBeUndefined();
          for (const [kind, lost] of [
            ['product', product],
            ['discount', code],
          ] as const) {
            const { ids } = await scan(kind);
            const [kept = ''] = ids;
            expect(await found(() => store.findAbsent(shop, kind, [kept, lost]))).toEqual(
              new Set([lost]),
            );
            expect(await found(() => store.findAbsent(shop, kind, []))).toEqual(new Set());
            expect(ids).not.toContain(lost);
          }
        },
      );

      it('that never existed are gone, too', async () => {
        const { shop } = platform;
        const gone = { kind: 'gone' };
        expect(await store.readOrder(shop, '404404404')).toEqual(gone);
        expect(await store.readProduct(shop, '404404404')).toEqual(gone);
        expect(await store.readCoupon(shop, 'NEVER')).toEqual(gone);
        expect(await store.readMember(shop, '404404404')).toEqual(gone);
      });
    });
  });
}

type Page = Promise<ScanAnswer<ScanPage<unknown>>>;

const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

/** Without taxes, as the default rules want it, and with them. */
function counts(order: OrderFigures): readonly string[] {
  return (['exclude', 'include'] as const).map(
    (taxes) => orderAmounts(order, { ...defaultRules, taxes }).total,
  );
}

/** On a busy machine a store may need longer than the connector waits, which would ask again later. */
async function found<Value>(ask: () => Promise<StoreAnswer<Value>>): Promise<Value> {
  let answer = await ask();
  for (let more = 5; more > 0 && isTimeOut(answer); more -= 1) answer = await ask();
  if (answer.kind === 'found') return answer.value;
  throw new Error(`the store says ${JSON.stringify(answer)}`);
}

const isTimeOut = (answer: StoreAnswer<unknown>): boolean =>
  answer.kind === 'unavailable' && answer.why === 'time-out';

function withoutVersion(order: StoreOrder) {
  const { updatedAt: _, ...rest } = order;
  return rest;
}
