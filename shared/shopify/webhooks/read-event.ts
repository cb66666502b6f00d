import type { StoreEvent } from '../../core/events/event.ts';
import {
  decodeSnapshot,
  type EventReading,
  type ReadEvent,
  type StoreEntity,
  type Task,
} from '../../core/store/store.ts';
import { versionOf } from '../../core/sync/read-snapshot.ts';
import type { ReadFault } from '../../store/read-fault.ts';
import { parseJson } from './parse-json.ts';
import {
  readCustomerMerge,
  readCustomerWebhook,
  readDeletedCustomer,
} from './read-customer-webhooks.ts';
import { readOrderWebhook } from './read-order-webhook.ts';
import { readProductEvent } from './read-product-event.ts';
import { readProductWebhook } from './read-product-webhook.ts';
import {
  readCustomerRedaction,
  readDataRequest,
  readDeletionWebhook,
  readDiscountWebhook,
  readOrderReference,
  readShopRedaction,
} from './read-reference-webhooks.ts';
import { routeOf } from './topics.ts';

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
    return parsed.kind === 'fault' ? unreadable([parsed.fault]) : readPayload(event, parsed.value);
  }
  const read = body && decodeSnapshot(event, body);
  if (read) return { kind: 'snapshot', version: versionOf(read.entity), ...read };
  // The snapshot was too large, has the form of another version, or its feeder knew only the id.
  return event.kind === 'discount' ? fanOut(event.id) : { kind: 'ask-store' };
}

function readPayload(event: StoreEvent, payload: unknown): EventReading {
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
  const words = faults.slice(0, MAX_FAULTS).map(({ path, problem }) => `${path} ${problem}`);
  const more = faults.length - words.length;
  return {
    kind: 'unreadable',
    why: [...words, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
  };
}
