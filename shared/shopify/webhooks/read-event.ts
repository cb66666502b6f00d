import * as v from 'valibot';
import type { StoreEvent } from '../../core/events/event.ts';
import {
  decodeSnapshot,
  type EventReading,
  type ReadEvent,
  type StoreEntity,
  type Task,
} from '../../core/store/store.ts';
import { versionOf } from '../../core/sync/read-snapshot.ts';
import type { ReadFault, Unreadable } from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import { id, list, moment, optional, readPayload, text, together } from './payload-fields.ts';
import {
  readCustomerMerge,
  readCustomerWebhook,
  readDeletedCustomer,
} from './read-customer-webhooks.ts';
import { readOrderWebhook } from './read-order-webhook.ts';
import { readProductEvent, readProductWebhook } from './read-product-webhook.ts';
import { parseJson, routeOf } from './topics.ts';

/** An event of a shop that left the settings is unreadable, so that it is parked at once. */
export function createEventReader(shops: ReadonlySet<string>): ReadEvent {
  return (event) => (shops.has(event.shop) ? readEvent(event) : SHOP_NOT_CONFIGURED);
}

const SHOP_NOT_CONFIGURED: EventReading = {
  kind: 'unreadable',
  why: 'its shop is not in connector.config.ts (any more)',
  fault: 'shop-not-configured',
};

/**
 * Only a body that the connector sent itself is decoded as a snapshot: a captured webhook cannot pass for
 * one with other headers. The topic chooses the reader, but it comes from an unsigned header: a body that
 * does not have the shape of its topic is unreadable.
 */
function readEvent(event: StoreEvent): EventReading {
  const { origin, body } = event;
  if (origin === 'webhook' && body !== undefined) {
    const parsed = parseJson(body);
    return parsed.kind === 'fault' ? unreadable([parsed.fault]) : readBodyOf(event, parsed.value);
  }
  const read = body && decodeSnapshot(event, body);
  if (read) return { kind: 'snapshot', version: versionOf(read.entity), ...read };
  // The snapshot was too large, has the form of another version, or its feeder knew only the id.
  return event.kind === 'discount' ? fanOut(event.id) : { kind: 'ask-store' };
}

function readBodyOf(event: StoreEvent, payload: unknown): EventReading {
  switch (routeOf(event.topic)?.carries) {
    case 'entity':
      if (event.kind === 'member') return readMember(event, payload);
      return event.kind === 'order' ? readOrder(event, payload) : readProduct(event, payload);
    case 'event':
      return readEventOfProduct(event, payload);
    case 'merge':
      return readMerge(event, payload);
    case 'deletion': {
      const read =
        event.kind === 'member' ? readDeletedCustomer(payload) : readDeletionWebhook(payload);
      return read.kind === 'read' ? askStore(event, read.id) : unreadable(read.faults);
    }
    case 'order-reference': {
      const read = readOrderReference(payload);
      if (hasNoOrder(payload)) return task({ kind: 'skip', why: 'no-order' });
      if (read.kind !== 'read') return unreadable(read.faults);
      return askStore(event, read.orderId, read.changedAt);
    }
    case 'discount':
      return readDiscount(payload);
    case 'compliance':
    case 'shop':
      return readCompliance(event, payload);
    case undefined:
      return unreadable([{ path: '$', problem: 'has a topic that this release does not know' }]);
  }
}

function readOrder(event: StoreEvent, payload: unknown): EventReading {
  const read = readOrderWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  return snapshot(event, { kind: 'order', order: read.order }, read.order.id);
}

function readProduct(event: StoreEvent, payload: unknown): EventReading {
  const read = readProductWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  const reading = snapshot(event, { kind: 'product', product: read.product }, read.product.id);
  const partial = read.product.price === undefined || hasMoreVariants(payload);
  return reading.kind === 'snapshot' ? { ...reading, partial } : reading;
}

function readEventOfProduct(event: StoreEvent, payload: unknown): EventReading {
  const read = readProductEvent(event.topic, payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  const { id, product } = read;
  if (!product) return askStore(event, id);
  return sameId(event, id) ?? snapshot(event, { kind: 'product', product }, product.id);
}

/** The body lists 100 variants at most and the ids of all; the cheapest may be missing. */
function hasMoreVariants(payload: unknown): boolean {
  const { variants, variant_gids } = payload as { variants?: unknown; variant_gids?: unknown };
  return (
    Array.isArray(variants) && Array.isArray(variant_gids) && variant_gids.length > variants.length
  );
}

function readMember(event: StoreEvent, payload: unknown): EventReading {
  const read = readCustomerWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  return snapshot(event, { kind: 'member', member: read.member }, read.member.id);
}

function readMerge(event: StoreEvent, payload: unknown): EventReading {
  const read = readCustomerMerge(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  if (!read.completed) return task({ kind: 'skip', why: 'merge-not-completed' });
  const { keptId, deletedId } = read;
  return sameId(event, deletedId) ?? task({ kind: 'merge', keptId, deletedId });
}

/** Only the dispute of a payment without an order says so. */
function hasNoOrder(payload: unknown): boolean {
  return (payload as { order_id?: unknown } | null)?.order_id === null;
}

function readDiscount(payload: unknown): EventReading {
  const read = readDiscountWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  const { discountId, automatic, change } = read.notice;
  if (automatic) return task({ kind: 'skip', why: 'automatic-discount' });
  return change.kind === 'code-added-or-removed'
    ? task({ kind: 'sync-code', code: change.code })
    : fanOut(discountId);
}

function readCompliance(event: StoreEvent, payload: unknown): EventReading {
  switch (event.claim) {
    case 'customer-redaction': {
      const read = readCustomerRedaction(payload);
      if (read.kind !== 'read') return unreadable(read.faults);
      const { customerId, orderIds, shopDomain } = read.request;
      return ofShop(event, shopDomain, task({ kind: 'redact', customerId, orderIds }));
    }
    case 'data-requested': {
      const read = readDataRequest(payload);
      if (read.kind !== 'read') return unreadable(read.faults);
      return ofShop(event, read.request.shopDomain, notify('data-request', read.request.requestId));
    }
    case 'app-removed':
      return isShop(payload, event.shop)
        ? notify('app-uninstalled', dayOf(event))
        : unreadable([{ path: 'myshopify_domain', problem: 'is not the shop of this address' }]);
    default: {
      const read = readShopRedaction(payload);
      if (read.kind !== 'read') return unreadable(read.faults);
      return ofShop(event, read.request.shopDomain, notify('shop-redact', dayOf(event)));
    }
  }
}

/** The body of app/uninstalled is the shop itself. */
function isShop(payload: unknown, shop: string): boolean {
  if (typeof payload !== 'object' || payload === null) return false;
  const { myshopify_domain: domain } = payload as { myshopify_domain?: unknown };
  // Shopify's own sample has null there.
  return domain === null || (typeof domain === 'string' && domain.toLowerCase() === shop);
}

/** The body is signed, the header that names the shop is not. */
function ofShop(event: StoreEvent, shopDomain: string, reading: EventReading): EventReading {
  return shopDomain.toLowerCase() === event.shop
    ? reading
    : unreadable([{ path: 'shop_domain', problem: 'is another shop than the address says' }]);
}

const NOTICES = {
  'data-request': 'a customer asks for their data: answer within 30 days',
  'shop-redact': 'the shop asks for its data to be erased: delete the stack and its table',
  'app-uninstalled': 'the app was uninstalled: no further webhooks will come',
} as const;

/** Not the delivery id, which an attacker with a captured body can choose: one notice a day. */
const dayOf = ({ receivedAt }: StoreEvent): string => receivedAt.slice(0, 10);

function notify(notice: keyof typeof NOTICES, id: string): EventReading {
  return task({ kind: 'notify', notice, id, why: NOTICES[notice] });
}

function fanOut(discountId: string): EventReading {
  return task({ kind: 'fan-out', discountId });
}

function task(one: Task): EventReading {
  return { kind: 'task', task: one };
}

function snapshot(event: StoreEvent, entity: StoreEntity, id: string): EventReading {
  return sameId(event, id) ?? { kind: 'snapshot', entity, version: versionOf(entity) };
}

function askStore(event: StoreEvent, id: string, changedAt?: string): EventReading {
  const when = changedAt === undefined ? {} : { changedAt: Date.parse(changedAt) };
  return sameId(event, id) ?? { kind: 'ask-store', ...when };
}

/** The message is in the group of `event.id`: a change of another entity would bypass that one's group. */
function sameId(event: StoreEvent, id: string): EventReading | undefined {
  return event.id === id
    ? undefined
    : unreadable([{ path: 'id', problem: 'is not the id under which the message was queued' }]);
}

/** A body can have thousands of faults. */
const MAX_FAULTS = 10;

function unreadable(faults: readonly ReadFault[]): EventReading {
  const words = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, problem }) => `${path === '$' ? 'the body' : path} ${problem}`);
  const more = faults.length - words.length;
  return {
    kind: 'unreadable',
    why: [...words, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
  };
}

export type ReadDeletion = { readonly kind: 'read'; readonly id: string } | Unreadable;

/**
 * orders/delete and products/delete: an id and nothing else. The topic is an unsigned header, so an
 * attacker can send a captured order body as a deletion with a valid signature; it must be unreadable.
 */
export function readDeletionWebhook(value: unknown): ReadDeletion {
  const result = readPayload(v.object({ id }), value);
  if (result.kind !== 'read') return result;
  // The fields are not named: in a forged body a name may be anything.
  if (Object.keys(value as object).length > 1) {
    const problem = 'has fields that a deletion does not have';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  return { kind: 'read', id: result.value.id };
}

export type ReadOrderReference =
  | {
      readonly kind: 'read';
      readonly orderId: string;
      /** When the order changed; undefined where the body does not say. */
      readonly changedAt: string | undefined;
    }
  | Unreadable;

const refund = v.object({ order_id: id, created_at: optional(moment) });
/** An edit changes the order when it is committed, which can be long after its creation. */
const edit = v.object({ order_edit: v.object({ order_id: id, committed_at: optional(moment) }) });

/**
 * orders/edited, refunds/create and disputes/*: no body carries the order itself, nor its global id.
 */
export function readOrderReference(value: unknown): ReadOrderReference {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'order_edit')) {
    const result = readPayload(edit, value);
    if (result.kind !== 'read') return result;
    const { order_id, committed_at } = result.value.order_edit;
    return { kind: 'read', orderId: order_id, changedAt: committed_at ?? undefined };
  }
  const result = readPayload(refund, value);
  if (result.kind !== 'read') return result;
  const { order_id, created_at } = result.value;
  return { kind: 'read', orderId: order_id, changedAt: created_at ?? undefined };
}

/**
 * discounts/*: says only that something changed. Codes, value, dates and customers are read from the
 * store.
 *
 * The shape of the body decides what happened, because the topic is not signed. redeemcode_added and
 * redeemcode_removed have the same body, so the store is asked there too.
 */
interface DiscountNotice {
  readonly discountId: string;
  /** An automatic discount has no codes, so there is nothing to sync. */
  readonly automatic: boolean;
  readonly change:
    | { readonly kind: 'discount-changed' | 'discount-deleted'; readonly at: string }
    | {
        readonly kind: 'code-added-or-removed';
        readonly code: string;
        readonly codeId: string | undefined;
        readonly at: string;
      };
}

export type ReadDiscount = { readonly kind: 'read'; readonly notice: DiscountNotice } | Unreadable;

const discountPayload = v.pipe(
  v.object({
    admin_graphql_api_id: text,
    updated_at: optional(moment),
    deleted_at: optional(moment),
    redeem_code: optional(v.object({ id: optional(text), code: text })),
  }),
  together(
    ['admin_graphql_api_id'],
    (payload) => nodeOf(payload.admin_graphql_api_id) !== undefined,
    'is not the id of a discount',
  ),
  together(
    ['updated_at', 'deleted_at'],
    (payload) => (payload.updated_at ?? payload.deleted_at) != null,
    'is missing, and so is deleted_at',
  ),
);

export function readDiscountWebhook(value: unknown): ReadDiscount {
  const result = readPayload(discountPayload, value);
  if (result.kind !== 'read') return result;
  const { admin_graphql_api_id, ...rest } = result.value;
  const node = nodeOf(admin_graphql_api_id) ?? { discountId: '', automatic: false };
  return { kind: 'read', notice: { ...node, change: changeOf(rest) } };
}

function changeOf(
  payload: Omit<v.InferOutput<typeof discountPayload>, 'admin_graphql_api_id'>,
): DiscountNotice['change'] {
  const at = payload.updated_at ?? payload.deleted_at ?? '';
  if (payload.redeem_code) {
    const { code, id } = payload.redeem_code;
    const codeId = idFromGid(id, 'DiscountRedeemCode');
    return { kind: 'code-added-or-removed', code, codeId, at };
  }
  return { kind: payload.deleted_at == null ? 'discount-changed' : 'discount-deleted', at };
}

function nodeOf(gid: string): Pick<DiscountNotice, 'discountId' | 'automatic'> | undefined {
  const code = idFromGid(gid, 'DiscountCodeNode');
  if (code !== undefined) return { discountId: code, automatic: false };
  const automatic = idFromGid(gid, 'DiscountAutomaticNode');
  return automatic === undefined ? undefined : { discountId: automatic, automatic: true };
}

/**
 * The compliance topics. The e-mail address and telephone number in the bodies are not read: the ids are
 * enough.
 *
 * `shopDomain` is in the signed body, so it decides the shop, not the header.
 */
export interface CustomerRedaction {
  readonly shopDomain: string;
  readonly customerId: string;
  readonly orderIds: readonly string[];
}

export interface DataRequest extends CustomerRedaction {
  readonly requestId: string;
}

export interface ShopRedaction {
  readonly shopDomain: string;
}

type Read<T> = { readonly kind: 'read'; readonly request: T } | Unreadable;

const customer = v.object({ id });

/** customers/redact. The list is required, though it may be empty: it marks the shape. */
export function readCustomerRedaction(value: unknown): Read<CustomerRedaction> {
  const schema = v.object({ shop_domain: text, customer, orders_to_redact: v.array(id) });
  const result = readPayload(schema, value);
  if (result.kind !== 'read') return result;
  const { shop_domain: shopDomain, customer: of, orders_to_redact: orderIds } = result.value;
  return { kind: 'read', request: { shopDomain, customerId: of.id, orderIds } };
}

/** customers/data_request. */
export function readDataRequest(value: unknown): Read<DataRequest> {
  const schema = v.object({
    shop_domain: text,
    customer,
    orders_requested: list(id),
    data_request: v.object({ id }),
  });
  const result = readPayload(schema, value);
  if (result.kind !== 'read') return result;
  const { shop_domain: shopDomain, customer: of, orders_requested: orderIds } = result.value;
  const requestId = result.value.data_request.id;
  return { kind: 'read', request: { shopDomain, customerId: of.id, orderIds, requestId } };
}

/** shop/redact. The other two bodies have these fields as well, so further fields are refused. */
export function readShopRedaction(value: unknown): Read<ShopRedaction> {
  const result = readPayload(v.object({ shop_domain: text, shop_id: id }), value);
  if (result.kind !== 'read') return result;
  if (Object.keys(value as object).length > 2) {
    const problem = 'has fields that the redaction of a shop does not have';
    return { kind: 'unreadable', faults: [{ path: '$', problem }] };
  }
  return { kind: 'read', request: { shopDomain: result.value.shop_domain } };
}
