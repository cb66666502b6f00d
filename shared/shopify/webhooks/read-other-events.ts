import * as v from 'valibot';
import type { StoreEvent } from '../../core/events/event.ts';
import type { EventReading, Task } from '../../core/store/store.ts';
import { entityId, idFromGid } from '../entity-id.ts';
import {
  hasCustomerId,
  id,
  list,
  moment,
  optional,
  readPayload,
  refundPayload,
  sameId,
  snapshot,
  text,
  together,
  unreadable,
} from './payload-fields.ts';
import { isCustomer, mergePayload, readCustomerWebhook } from './read-customer-webhook.ts';
import { readProductEvent, readProductWebhook } from './read-product-webhook.ts';
import { asRecord, discountId, routeOf } from './topics.ts';

/** Of every topic but those that carry an order. */
export function readOtherBody(event: StoreEvent, payload: unknown): EventReading {
  switch (routeOf(event.topic)?.carries) {
    case 'entity':
      if (event.kind === 'member') return readMember(event, payload);
      return readProduct(event, payload);
    case 'event':
      return readEventOfProduct(event, payload);
    case 'merge':
      return readMerge(event, payload);
    case 'deletion':
      return event.kind === 'member'
        ? readDeletedCustomer(event, payload)
        : readDeletion(event, payload);
    case 'order-reference':
      return readOrderReference(event, payload);
    case 'discount':
      return readDiscount(payload);
    case 'compliance':
    case 'shop':
      return readCompliance(event, payload);
    case undefined:
      return unreadable([{ path: '$', problem: 'has a topic that this release does not know' }]);
  }
}

/** By its schema, or why it cannot be read. */
function reading<const S extends v.GenericSchema>(
  schema: S,
  payload: unknown,
  then: (value: v.InferOutput<S>) => EventReading,
): EventReading {
  const read = readPayload(schema, payload);
  return read.kind === 'read' ? then(read.value) : unreadable(read.faults);
}

function readProduct(event: StoreEvent, payload: unknown): EventReading {
  const read = readProductWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  const reading = snapshot(event, { kind: 'product', product: read.product }, read.product);
  return reading.kind === 'snapshot' ? { ...reading, partial: read.partial } : reading;
}

function readEventOfProduct(event: StoreEvent, payload: unknown): EventReading {
  const read = readProductEvent(event.topic, payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  const { id, product } = read;
  if (!product) return askStore(event, id);
  return sameId(event, id) ?? snapshot(event, { kind: 'product', product }, product);
}

function readMember(event: StoreEvent, payload: unknown): EventReading {
  const read = readCustomerWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  return snapshot(event, { kind: 'member', member: read.member }, read.member);
}

/** customers/merge. Its errors name persons and are not read. */
function readMerge(event: StoreEvent, payload: unknown): EventReading {
  return reading(mergePayload, payload, (value) => {
    // Of the statuses of a merge (Shopify, "CustomerMergeRequestStatus") only this one is its end.
    if (value.status.toLowerCase() !== 'completed') {
      return task({ kind: 'skip', why: 'merge-not-completed' });
    }
    const keptId = idFromGid(value.admin_graphql_api_customer_kept_id, 'Customer') ?? '';
    const deletedId = idFromGid(value.admin_graphql_api_customer_deleted_id, 'Customer') ?? '';
    return sameId(event, deletedId) ?? task({ kind: 'merge', keptId, deletedId });
  });
}

const deletedCustomer = v.pipe(
  v.object({ id: optional(id), admin_graphql_api_id: optional(text) }),
  hasCustomerId,
  together(
    ['admin_graphql_api_id'],
    ({ admin_graphql_api_id: gid }) => gid == null || isCustomer(gid),
    'is not the id of a customer',
  ),
);

/**
 * customers/delete: besides the ids it has only an empty list. The store is asked in any case; of another
 * entity's body it must not even be asked.
 */
function readDeletedCustomer(event: StoreEvent, payload: unknown): EventReading {
  return reading(deletedCustomer, payload, (ids) =>
    askStore(event, entityId(ids, 'Customer') ?? ''),
  );
}

/**
 * orders/delete and products/delete: an id and nothing else. The topic is an unsigned header, so an
 * attacker can send a captured order body as a deletion with a valid signature; it must be unreadable.
 */
function readDeletion(event: StoreEvent, payload: unknown): EventReading {
  return reading(v.object({ id }), payload, (value) => {
    // The fields are not named: in a forged body a name may be anything.
    if (hasMoreThan(1, payload)) return wrongBody('has fields that a deletion does not have');
    return askStore(event, value.id);
  });
}

const hasMoreThan = (fields: number, payload: unknown): boolean =>
  Object.keys(payload as object).length > fields;

const wrongBody = (problem: string): EventReading => unreadable([{ path: '$', problem }]);

/** An edit changes the order when it is committed, which can be long after its creation. */
const edit = v.object({ order_edit: v.object({ order_id: id, committed_at: optional(moment) }) });

/**
 * orders/edited, refunds/create and disputes/*: no body carries the order itself, nor its global id.
 */
function readOrderReference(event: StoreEvent, payload: unknown): EventReading {
  const body = asRecord(payload);
  // Only the dispute of a payment without an order says so.
  if (body?.order_id === null) return task({ kind: 'skip', why: 'no-order' });
  if (body && Object.hasOwn(body, 'order_edit')) {
    return reading(edit, payload, ({ order_edit: { order_id, committed_at } }) =>
      askStore(event, order_id, committed_at),
    );
  }
  return reading(refundPayload, payload, ({ order_id, created_at }) =>
    askStore(event, order_id, created_at),
  );
}

const discount = v.pipe(
  v.object({
    admin_graphql_api_id: text,
    updated_at: optional(moment),
    deleted_at: optional(moment),
    redeem_code: optional(v.object({ id: optional(text), code: text })),
  }),
  together(
    ['admin_graphql_api_id'],
    (payload) => discountId(payload.admin_graphql_api_id) !== undefined,
    'is not the id of a discount',
  ),
  together(
    ['updated_at', 'deleted_at'],
    (payload) => (payload.updated_at ?? payload.deleted_at) != null,
    'is missing, and so is deleted_at',
  ),
);

/**
 * discounts/*: says only that something changed. Codes, value, dates and customers are read from the store. The shape of
 * the body decides what happened, because the topic is not signed. redeemcode_added and redeemcode_removed have the same
 * body, so the store is asked there, too.
 */
function readDiscount(payload: unknown): EventReading {
  return reading(discount, payload, ({ admin_graphql_api_id: gid, redeem_code: code }) => {
    // It has no codes, so there is nothing to sync.
    if (idFromGid(gid, 'DiscountAutomaticNode') !== undefined) {
      return task({ kind: 'skip', why: 'automatic-discount' });
    }
    return code ? task({ kind: 'sync-code', code: code.code }) : fanOut(discountId(gid) ?? '');
  });
}

const customer = v.object({ id });
/** The list is required, though it may be empty: it marks the shape. */
const redaction = v.object({ shop_domain: text, customer, orders_to_redact: v.array(id) });
const dataRequest = v.object({
  ...{ shop_domain: text, customer, orders_requested: list(id) },
  data_request: v.object({ id }),
});

/**
 * The compliance topics, and the app's removal. The e-mail address and telephone number in the bodies are not read: the
 * ids are enough.
 */
function readCompliance(event: StoreEvent, payload: unknown): EventReading {
  switch (event.claim) {
    case 'customer-redaction':
      return reading(redaction, payload, ({ shop_domain, customer, orders_to_redact: orderIds }) =>
        ofShop(event, shop_domain, task({ kind: 'redact', customerId: customer.id, orderIds })),
      );
    case 'data-requested':
      return reading(dataRequest, payload, ({ shop_domain, customer, data_request: request }) =>
        ofShop(event, shop_domain, notify('data-request', request.id, `customer ${customer.id}`)),
      );
    case 'app-removed':
      return isShop(payload, event.shop)
        ? notify('app-uninstalled', dayOf(event))
        : unreadable([{ path: 'myshopify_domain', problem: 'is not the shop of this address' }]);
    default:
      // The other two bodies have these fields as well, so further fields are refused.
      return reading(v.object({ shop_domain: text, shop_id: id }), payload, ({ shop_domain }) =>
        hasMoreThan(2, payload)
          ? wrongBody('has fields that the redaction of a shop does not have')
          : ofShop(event, shop_domain, notify('shop-redact', dayOf(event))),
      );
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
  'data-request': 'asks for their data: answer within 15 days (LGPD), or a month (GDPR)',
  'shop-redact':
    'asks for its data to be erased: docs/runbook.md#shop-redaction says how, also for one shop of several',
  'app-uninstalled': 'uninstalled the app: no further webhooks will come',
} as const;

/** Not the delivery id, which an attacker with a captured body can choose: one notice a day. */
const dayOf = ({ receivedAt }: StoreEvent): string => receivedAt.slice(0, 10);

function notify(notice: keyof typeof NOTICES, id: string, who = 'the shop'): EventReading {
  return task({ kind: 'notify', notice, id, why: `${who} ${NOTICES[notice]}` });
}

export function fanOut(discountId: string): EventReading {
  return task({ kind: 'fan-out', discountId });
}

function task(one: Task): EventReading {
  return { kind: 'task', task: one };
}

function askStore(event: StoreEvent, id: string, changedAt?: string | null): EventReading {
  const when = changedAt == null ? {} : { changedAt: Date.parse(changedAt) };
  return sameId(event, id) ?? { kind: 'ask-store', ...when };
}
