import type { StoreEvent } from '../../core/events/event.ts';
import {
  decodeSnapshot,
  type EventReading,
  type ReadEvent,
  versionOf,
} from '../../core/store/store.ts';

import { ZERO } from '../../store/money.ts';
import type { StoreOrder, Unreadable } from '../../store/store-entities.ts';
import { entityId, idFromGid } from '../entity-id.ts';
import { currentAmounts, type OrderPayload, orderPayload } from './order-amounts.ts';
import { filled, readPayload, snapshot, toCustomer, unreadable } from './payload-fields.ts';
import { fanOut, readOtherBody } from './read-other-events.ts';
import { parseJson, routeOf } from './topics.ts';

/**
 * Only a body that the connector sent itself is decoded as a snapshot: a captured webhook cannot pass for
 * one with other headers. The topic chooses the reader, but it comes from an unsigned header: a body that
 * does not have the shape of its topic is unreadable.
 */
export const readShopifyEvent: ReadEvent = (event) => {
  const { origin, body } = event;
  if (origin === 'webhook' && body !== undefined) {
    const parsed = parseJson(body);
    return parsed.kind === 'fault' ? unreadable([parsed.fault]) : readBodyOf(event, parsed.value);
  }
  const read = body && decodeSnapshot(event, body);
  if (read) return { kind: 'snapshot', version: versionOf(read.entity), ...read };
  // The snapshot was too large, has the form of another version, or its feeder knew only the id.
  return event.kind === 'discount' ? fanOut(event.id) : { kind: 'ask-store' };
};

/** Nearly all bodies are orders: what reads the others is a file of its own, which a worker of orders loads when needed. */
function readBodyOf(event: StoreEvent, payload: unknown): EventReading {
  if (event.kind !== 'order' || routeOf(event.topic)?.carries !== 'entity') {
    return readOtherBody(event, payload);
  }
  const read = readOrderWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  return snapshot(event, { kind: 'order', order: read.order }, read.order);
}

type ReadOrder = { readonly kind: 'read'; readonly order: StoreOrder } | Unreadable;

export function readOrderWebhook(value: unknown): ReadOrder {
  const result = readPayload(orderPayload, value);
  if (result.kind !== 'read') return result;
  return { kind: 'read', order: toOrder(result.value) };
}

function toOrder(payload: OrderPayload): StoreOrder {
  return {
    id: entityId(payload, 'Order') ?? '',
    name: filled(payload.name),
    placedAt: payload.processed_at ?? payload.created_at ?? '',
    updatedAt: payload.updated_at,
    cancelledAt: payload.cancelled_at ?? undefined,
    closedAt: payload.closed_at ?? undefined,
    fulfilledAt: latest(
      payload.fulfillments
        .filter(({ status }) => status === 'success')
        .map(({ created_at }) => created_at),
    ),
    refundedAt: latest(payload.refunds.map((refund) => refund.processed_at ?? refund.created_at)),
    test: payload.test,
    source: filled(payload.source_name),
    pointOfSale: payload.source_name === 'pos',
    currency: payload.currency,
    paymentStatus: filled(payload.financial_status),
    paidAt: undefined,
    lostDispute: undefined,
    fulfillmentStatus: filled(payload.fulfillment_status),
    taxesIncluded: payload.taxes_included,
    ...currentAmounts(payload),
    couponCodes: usedCodes(payload),
    paymentGateways: payload.payment_gateway_names
      .filter((name) => name !== '')
      .toSorted((one, other) => Number(isGiftCard(one)) - Number(isGiftCard(other))),
    // No webhook says how much.
    paidWithGiftCards: payload.payment_gateway_names.some(isGiftCard) ? undefined : NOTHING,
    card: undefined,
    location: reference(payload.location_id),
    staff: reference(payload.user_id ?? attributedStaff(payload)),
    noteAttributes: payload.note_attributes,
    metafields: undefined,
    customer: payload.customer ? toCustomer(payload.customer, payload) : undefined,
  };
}

export const STORE_CREDIT = 'shopify_store_credit';
/** What Shopify's own gift cards and store credit are called among the gateways. */
const GIFT_CARDS: ReadonlySet<string> = new Set(['gift_card', STORE_CREDIT]);

export function isGiftCard(gateway: string | null): boolean {
  return GIFT_CARDS.has(gateway ?? '');
}

const NOTHING = { net: ZERO, returnedForShipping: ZERO };

/** `discount_codes` also lists manual discounts by their title. */
function usedCodes({ discount_applications }: OrderPayload): string[] {
  const used = discount_applications.filter(({ type }) => type === 'discount_code');
  const codes = used.map(({ code }) => filled(code)).filter((code) => code !== undefined);
  return [...new Set(codes)];
}

function attributedStaff({ line_items }: OrderPayload): string | undefined {
  return line_items
    .flatMap((line) => line.attributed_staffs)
    .map((staff) => idFromGid(staff.id, 'StaffMember'))
    .find((staffId) => staffId !== undefined);
}

function reference(id: string | null | undefined): StoreOrder['location'] {
  return id == null ? undefined : { id, name: undefined };
}

/** The dates have one form and offset, so the latest is the greatest text. */
export function latest(moments: readonly (string | null | undefined)[]): string | undefined {
  return moments
    .filter((moment) => moment != null)
    .sort()
    .at(-1);
}
