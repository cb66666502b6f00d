import { hashBody } from '../../core/events/event.ts';
import { entityId, idFromGid } from '../entity-id.ts';
import { asRecord, asText, type Payload, productIdOfEvent } from './event-body.ts';
import { parseJson } from './parse-json.ts';
import type { TopicRoute } from './topics.ts';

/**
 * The id under which an event is queued, so that all events of one entity are in one group. A body
 * without an id gets its hash instead: the worker parks it, and nothing is lost.
 * See docs/decisions/0036-what-an-event-is-not-made-to-pay.md.
 */
export function identifyEntity(route: TopicRoute, body: Uint8Array, shop: string): string {
  if (route.carries === 'shop') return shop;
  return (route.carries === 'entity' ? idAtHead(route, body) : undefined) ?? idInside(route, body);
}

function idInside(route: TopicRoute, body: Uint8Array): string {
  const parsed = parseJson(body);
  const payload = parsed.kind === 'parsed' ? asRecord(parsed.value) : undefined;
  return (payload && findId(route, payload)) ?? hashBody(body);
}

/** Enough for both ids, with any spaces and escaped slashes. */
const HEAD_BYTES = 256;
const HEAD =
  /^\s*{\s*(?:"id"\s*:\s*\d{1,30}\s*,\s*)?"admin_graphql_api_id"\s*:\s*"(gid:[^"]+)"\s*[,}]/;

/**
 * The body of an order or a product begins with its global id. Parsing the whole body would take a
 * quarter of the receiver's time for an order of 64 KB, and the worker refuses a body whose id is not
 * that of its group.
 */
function idAtHead(route: TopicRoute, body: Uint8Array): string | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES));
  const gid = HEAD.exec(head.toString('latin1'))?.[1]?.replaceAll('\\/', '/');
  return idFromGid(gid, gidTypeOf(route));
}

function gidTypeOf({ kind }: TopicRoute) {
  if (kind === 'member') return 'Customer';
  return kind === 'order' ? 'Order' : 'Product';
}

function findId(route: TopicRoute, payload: Payload): string | undefined {
  switch (route.carries) {
    case 'entity':
    case 'deletion':
      return entityId(idFields(payload), gidTypeOf(route));
    case 'order-reference':
      return asId(payload.order_id) ?? asId(asRecord(payload.order_edit)?.order_id);
    case 'discount':
      return discountId(asText(payload.admin_graphql_api_id));
    case 'merge':
      return idFromGid(asText(payload.admin_graphql_api_customer_deleted_id), 'Customer');
    case 'compliance':
      return asId(asRecord(payload.customer)?.id);
    case 'event':
      return productIdOfEvent(payload);
    case 'shop':
      return undefined;
  }
}

const discountId = (gid: string | undefined) =>
  idFromGid(gid, 'DiscountCodeNode') ?? idFromGid(gid, 'DiscountAutomaticNode');

const idFields = (payload: Payload) => ({
  id: asId(payload.id),
  admin_graphql_api_id: asText(payload.admin_graphql_api_id),
});

/** `parseJson` returns long ids as text, so a number is exact. */
function asId(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,30}$/.test(text) ? text : undefined;
}
