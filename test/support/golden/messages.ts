import { brotliDecompressSync } from 'node:zlib';
import {
  createSqsDeadLetterQueue,
  createSqsDeadLetters,
  createSqsEventQueue,
} from '../../../shared/aws/sqs-queues.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import {
  type BalanceEvent,
  CLAIMS,
  type Claim,
  type EventKind,
  ORIGINS,
  type PointEvent,
  type QueuedEvent,
  type RedemptionEvent,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import {
  DEAD_LETTER_REASONS,
  type DeadLetterReason,
  type ParkingReason,
} from '../../../shared/core/events/outcome.ts';
import {
  decodeSnapshot,
  encodeCoupon,
  encodeSnapshot,
  type StoreEntity,
} from '../../../shared/core/store/store.ts';
import type {
  BookedFigures,
  StoreCoupon,
  StoreMember,
  StoreOrder,
  StoreProduct,
} from '../../../shared/store/store-entities.ts';
import { incompressible } from '../../fixtures/incompressible.ts';
import { amount, storeCoupon, storeOrder, storeProduct } from '../../fixtures/store-entities.ts';
import type { Full, Sample, Samples } from './golden.ts';

const SHOP = 'example-store.myshopify.com';
const NOON = '2026-10-09T12:00:00.000Z';
const bytes = (text: string) => new TextEncoder().encode(text);

const head = {
  ...{ shop: SHOP, deliveryId: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043', receivedAt: NOON },
  replays: [{ at: '2026-10-10T08:00:00.000Z', by: 'arn:aws:iam::123456789012:user/robin' }],
};

const store = (
  kind: StoreEvent['kind'],
  id: string,
  claim: Claim,
  changes: Partial<StoreEvent> = {},
): StoreEvent => ({
  ...{ ...head, kind, id, claim, origin: 'webhook', topic: `${kind}s/${claim}`, body: undefined },
  ...changes,
});

const whole: Full<StoreEvent> = {
  ...{ ...head, kind: 'order', id: '820982911946154508', claim: 'changed', origin: 'backfill' },
  ...{ topic: 'backfill/order', triggeredAt: '2026-10-09T11:59:59Z', cursor: 'next page' },
  ...{ history: true, newRules: true, force: true, body: bytes('{"id":820982911946154508}') },
};
const balance: Full<BalanceEvent> = {
  ...{ ...head, kind: 'balance', id: '7001', topic: 'unnamed', triggeredAt: NOON },
};
const visit: BalanceEvent = { ...head, kind: 'balance', id: '7001', topic: 'visit' };
const point: Full<PointEvent> = {
  ...{ ...head, kind: 'point-event', id: 'ab12', topic: 'unnamed', body: bytes('{"Topic":1}') },
};
const redeem: Full<RedemptionEvent> = {
  ...{ ...head, kind: 'redemption', id: 'AAAABBBBCCCC', customerId: '7001', topic: 'redeem' },
};

/** By kind: a new kind of event has no golden message until it stands here. */
const EVENTS = {
  order: {
    'with every field': whole,
    deleted: store('order', '2', 'deleted'),
    'with a body that is compressed': store('order', '3', 'changed', {
      body: bytes(`{"id":3,"note":"${'loyalty '.repeat(400)}"}`),
    }),
    'with a body that is not text': store('order', '4', 'changed', {
      body: Uint8Array.from([0xff, 0xfe, 0x00]),
    }),
    'with a body that fits no message': store('order', '5', 'changed', {
      body: incompressible(2_000_000),
    }),
  },
  product: { changed: store('product', '8012345678901', 'changed', { origin: 'reconcile' }) },
  coupon: {
    added: store('coupon', 'AUTUMN10', 'code-added', { origin: 'fan-out' }),
    'of any characters': store('coupon', 'Ä Ö|ü/\u{1f600}', 'code-removed'),
  },
  member: { merged: store('member', '7001', 'merged') },
  discount: { changed: store('discount', '1688847450345', 'changed', { cursor: 'page 2' }) },
  customer: {
    'data request': store('customer', '7001', 'data-requested'),
    redaction: store('customer', '7001', 'customer-redaction'),
    'with a body that fits no message': store('customer', '7001', 'customer-redaction', {
      body: incompressible(2_000_000),
    }),
  },
  shop: {
    redaction: store('shop', SHOP, 'shop-redaction'),
    'app removed': store('shop', SHOP, 'app-removed'),
  },
  balance: { 'point event': balance, visit, repair: { ...visit, topic: 'repair' } },
  'point-event': { 'as it came': point },
  redemption: {
    click: redeem,
    operator: { ...redeem, topic: 'operator' },
  },
} satisfies Record<EventKind, Readonly<Record<string, QueuedEvent>>>;

/** What an event may say, and no golden message does. */
export function unsaid(): readonly string[] {
  const events: readonly QueuedEvent[] = Object.values(EVENTS).flatMap((some) =>
    Object.values<QueuedEvent>(some),
  );
  const said = new Set<string>(
    events.flatMap((event) => ('claim' in event ? [event.claim, event.origin] : [])),
  );
  return [...CLAIMS, ...ORIGINS].filter((one) => !said.has(one));
}

interface SentMessage {
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly MessageDeduplicationId: string;
}

/** What SQS is given. */
const messageOf = (event: QueuedEvent): Sample => ({
  async write() {
    const sent: SentMessage[] = [];
    const sqs = { sendMessage: async (input: unknown) => void sent.push(input as SentMessage) };
    const urls = { orders: 'q', products: 'q', coupons: 'q', balances: 'q' };
    await createSqsEventQueue(sqs as never, urls).send(event);
    // Of a large body the message keeps the beginning; a few bytes of it are enough here.
    const shorter = (name: string, value: unknown) =>
      name === 'head' ? String(value).slice(0, 20) : value;
    return sent.map(({ MessageBody, MessageGroupId, MessageDeduplicationId }) => ({
      ...{ MessageGroupId, MessageDeduplicationId },
      MessageBody: JSON.parse(MessageBody, shorter),
    }));
  },
  read([{ MessageBody }]: readonly [{ readonly MessageBody: object }]) {
    const decoded = decodeEvent(JSON.stringify(MessageBody));
    return decoded.kind === 'event' ? decoded.event : decoded.kind;
  },
});

/** A compressed text is compared by what it says: another release of the compressor may write other bytes. */
export function readable(written: unknown): unknown {
  return JSON.parse(JSON.stringify(written), (name, value: unknown) =>
    name === 'brotli'
      ? brotliDecompressSync(Buffer.from(String(value), 'base64')).toString()
      : value,
  );
}

const order = storeOrder();
const { book: _, ...state } = order;
const customer = {
  ...{ id: '7001', name: 'Robin Doe', email: 'robin@example.com', phone: '+49301234567' },
  createdAt: '2026-01-01T00:00:00.000Z',
};
const metafields = [{ owner: 'customer', namespace: 'n', key: 'k', value: 'v' }] as const;
const part = { net: amount('10'), returnedForShipping: amount('0') };
const reference = { id: '1', name: 'Main street' };
const fullState: Full<Omit<StoreOrder, 'book'>> = {
  ...{ ...state, name: '#1001', source: 'web', customer, ofOtherCurrency: true },
  ...{ cancelledAt: NOON, closedAt: NOON, fulfilledAt: NOON, refundedAt: NOON, paidAt: NOON },
  ...{ paymentStatus: 'paid', fulfillmentStatus: 'fulfilled', outstanding: amount('0') },
  ...{ lostDispute: false, refundedWithoutLines: amount('1.5') },
  lines: [
    {
      ...{ id: '11', productId: '8012345678901', title: 'Linen shirt', vendor: 'North Loom' },
      ...{ giftCard: false, kept: 2, paid: amount('99.8'), tax: amount('15.93') },
    },
  ],
  shipping: { price: amount('4.9'), taxOnTop: amount('0'), refunded: amount('0') },
  couponCodes: ['AUTUMN10'],
  paymentGateways: ['shopify_payments'],
  paidWithGiftCards: {
    ...part,
    apart: {
      cards: part,
      credit: {
        ...{ ...part, paid: amount('10') },
        mix: { gifts: amount('4'), refunds: amount('5'), unknown: amount('1') },
      },
    },
  },
  ...{ card: { brand: 'visa', type: 'credit' }, location: reference, staff: reference, metafields },
  noteAttributes: [{ name: 'gift', value: 'yes' }],
};
const { currency, taxesIncluded, lines, subtotal, total, shipping } = fullState;
const { refundedWithoutLines, paidWithGiftCards, paymentStatus, lostDispute } = fullState;
const figures: Full<BookedFigures> = {
  ...{ at: NOON, isPassing: true, isUndated: true, currency, taxesIncluded, lines },
  ...{ subtotal, total, shipping },
  ...{ refundedWithoutLines, paidWithGiftCards, paymentStatus, lostDispute },
};
const fullOrder: Full<StoreOrder> = { ...fullState, book: [figures] };
const member: Full<StoreMember> = { ...customer, updatedAt: NOON, metafields };
const product: Full<StoreProduct> = {
  ...storeProduct(),
  ...{ handle: 'linen-shirt', imageUrl: 'https://cdn.example.com/1.jpg', vendor: 'North Loom' },
  ...{
    category: { id: 'aa-1-13', names: ['Shirts'] },
    productType: 'Shirt',
    price: amount('49.9'),
  },
};
const coupon: Full<StoreCoupon> = {
  ...{ ...storeCoupon(), value: amount('10'), endsAt: NOON, useLimit: 5, onlyForSome: true },
  audience: { kind: 'customers', customers: [customer] },
};

/** What the connector itself reads from the store and sends as a body. */
const ENTITIES = {
  order: { id: fullOrder.id, entity: { kind: 'order', order: fullOrder } },
  product: { id: product.id, entity: { kind: 'product', product } },
  coupon: { id: coupon.code, entity: { kind: 'coupon', coupon } },
  member: { id: member.id, entity: { kind: 'member', member } },
} satisfies Record<StoreEntity['kind'], { readonly id: string; readonly entity: StoreEntity }>;

const bodyOf = (kind: string, id: string, encoded: () => Uint8Array): Sample => ({
  write: () => JSON.parse(new TextDecoder().decode(encoded())),
  read: (written) => decodeSnapshot({ kind, id }, bytes(JSON.stringify(written))),
});

/** The others are what the connector says of dead letters that it did not park. */
const isParked = (reason: DeadLetterReason): reason is ParkingReason['reason'] =>
  reason !== 'crashed' && reason !== 'unknown';

const deadLetterOf = (reason: ParkingReason['reason']): Sample => ({
  async write() {
    const sent: object[] = [];
    const sqs = {
      sendMessage: async ({ QueueUrl: _, ...input }: { readonly QueueUrl: string }) =>
        void sent.push(input),
    };
    const why: Full<ParkingReason> = {
      ...{ reason, why: 'the service says: “no”', code: 'Order_Invalid', attempts: 3, at: NOON },
    };
    const source = { messageId: 'm-1', body: '{"v":1}' };
    await createSqsDeadLetters(sqs as never, 'q', 'orders').park(source, why);
    return sent;
  },
  read([sent]: readonly [
    { MessageBody: string; MessageGroupId: string; MessageAttributes: object },
  ]) {
    const { MessageBody: Body, MessageGroupId, MessageAttributes } = sent;
    const Attributes = { MessageGroupId, SequenceNumber: '7', SentTimestamp: '1' };
    const received = { MessageId: 'm-2', ReceiptHandle: 'r', Body, MessageAttributes, Attributes };
    const client = { receiveMessage: async () => ({ Messages: [received] }) };
    return createSqsDeadLetterQueue(client as never, 'q', 'orders').receive(30);
  },
});

export const messages: Samples = Object.fromEntries([
  ...Object.entries(EVENTS).flatMap(([kind, some]) =>
    Object.entries<QueuedEvent>(some).map(
      ([name, event]) => [`${kind}: ${name}`, messageOf(event)] as const,
    ),
  ),
  ...Object.entries(ENTITIES).map(([kind, { id, entity }]) => {
    const encoded = () => encodeSnapshot(entity as StoreEntity, new Date(NOON));
    return [`body of a feeder: ${kind}`, bodyOf(kind, id, encoded)] as const;
  }),
  [
    'body of a feeder: one code of a discount',
    bodyOf('coupon', coupon.code, () => encodeCoupon(coupon)),
  ],
  ...DEAD_LETTER_REASONS.filter(isParked).map(
    (reason) => [`dead letter: ${reason}`, deadLetterOf(reason)] as const,
  ),
]);
