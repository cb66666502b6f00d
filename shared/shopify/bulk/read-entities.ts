import type { StoreEntity } from '../../core/store/store.ts';
import { readAmount, ZERO } from '../../store/money.ts';
import type { StoreOrder } from '../../store/order.ts';
import type { StoreProduct } from '../../store/product.ts';
import {
  type CodeDiscount,
  couponFromNode,
  type RedeemCode,
} from '../admin/discounts/coupon-from-node.ts';
import { orderDetails } from '../admin/orders/enrichment.ts';
import {
  type OrderLineNode,
  type OrderNode,
  orderAsPayload,
  type ShippingNode,
  type WholeOrder,
} from '../admin/orders/order-as-payload.ts';
import { needsRefunds } from '../admin/orders/order-from-node.ts';
import { type ProductNode, productFromNode } from '../admin/products/product-from-node.ts';
import { idFromGid } from '../entity-id.ts';
import { isGiftCard, readOrderWebhook } from '../webhooks/read-order-webhook.ts';
import {
  type BulkGroup,
  type BulkLine,
  type Fields,
  readEntries,
  readGroups,
} from './bulk-lines.ts';
import type { BulkKind } from './bulk-query.ts';

/** Where reading continues. */
export interface BulkPlace {
  /** The beginning of an owner's line. */
  readonly byte: number;
  /** How many children of that owner have been read: a discount can have any number of codes. */
  readonly skip: number;
}

export const FILE_START: BulkPlace = { byte: 0, skip: 0 };

/** `next` is the place after the entity. */
export type BulkEntity =
  | { readonly kind: 'entity'; readonly entity: StoreEntity; readonly next: BulkPlace }
  /** The file does not hold all of this order: the worker reads it from the store. */
  | { readonly kind: 'ask'; readonly id: string; readonly next: BulkPlace }
  /** A required field is missing. */
  | { readonly kind: 'unreadable'; readonly next: BulkPlace };

/** The lines must begin at `place.byte`. */
export function readEntities(
  kind: BulkKind,
  lines: AsyncIterable<BulkLine>,
  place: BulkPlace,
): AsyncGenerator<BulkEntity> {
  switch (kind) {
    case 'orders':
      return readOrders(lines);
    case 'products':
      return readProducts(lines);
    case 'discounts':
      return readCoupons(lines, place);
  }
}

async function* readOrders(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntity> {
  for await (const group of readGroups(lines)) {
    const next = { byte: group.end, skip: 0 };
    const read = orderFromBulk(group);
    if (read.kind === 'order') yield { kind: 'entity', entity: read, next };
    else yield { ...read, next };
  }
}

async function* readProducts(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntity> {
  for await (const group of readGroups(lines)) {
    const product = productFromBulk(group);
    const next = { byte: group.end, skip: 0 };
    if (product) yield { kind: 'entity', entity: { kind: 'product', product }, next };
    else yield { kind: 'unreadable', next };
  }
}

/** One code at a time: the codes of one discount may not fit into memory. */
async function* readCoupons(
  lines: AsyncIterable<BulkLine>,
  place: BulkPlace,
): AsyncGenerator<BulkEntity> {
  let discount: { readonly fields: Fields; readonly byte: number } | undefined;
  let end = place.byte;
  let read = 0;
  let skip = place.skip;
  for await (const entry of readEntries(lines)) {
    if (entry.kind === 'owner') {
      if (discount) skip = 0;
      discount = { fields: entry.fields, byte: end };
      read = 0;
    } else if (discount) {
      read += 1;
      if (read > skip)
        yield couponOf(discount.fields, entry.fields, { byte: discount.byte, skip: read });
    }
    end = entry.end;
  }
}

function couponOf(discount: Fields, code: Fields, next: BulkPlace): BulkEntity {
  const { id, codeDiscount } = discount;
  const coupon =
    typeof id === 'string' && typeof codeDiscount === 'object'
      ? couponFromNode(id, codeDiscount as CodeDiscount, code as unknown as RedeemCode)
      : undefined;
  return coupon
    ? { kind: 'entity', entity: { kind: 'coupon', coupon }, next }
    : { kind: 'unreadable', next };
}

type BulkOrder =
  | { readonly kind: 'order'; readonly order: StoreOrder }
  | { readonly kind: 'ask'; readonly id: string }
  | { readonly kind: 'unreadable' };

/** Read by the same rules as a webhook. */
function orderFromBulk({ owner, children }: BulkGroup): BulkOrder {
  const id = idFromGid(typeof owner.id === 'string' ? owner.id : undefined, 'Order');
  if (id === undefined) return { kind: 'unreadable' };
  const ofType = <Node>(fits: (type: string) => boolean) =>
    children.filter(({ __typename: type }) => fits(String(type))) as unknown as readonly Node[];
  const lines = ofType<OrderLineNode>((type) => type === 'LineItem');
  const node = toNode(
    owner,
    ofType<Fields>((type) => type === 'LocalizedField'),
  );
  if (hasTip(node) || hasCountingRefund(node, lines) || node.paymentGatewayNames.some(isGiftCard)) {
    return { kind: 'ask', id };
  }
  const order: WholeOrder = {
    node,
    lines,
    // DiscountCodeApplication, ManualDiscountApplication, …
    discounts: ofType((type) => type.endsWith('Application')),
    shipping: ofType<ShippingNode>((type) => type === 'ShippingLine'),
    refunds: new Map(),
    tipLines: new Set(),
  };
  const read = readOrderWebhook(orderAsPayload(order));
  if (read.kind !== 'read') return { kind: 'unreadable' };
  return { kind: 'order', order: { ...read.order, ...orderDetails(order) } };
}

/** In the form of `order.graphql`, with its lists and metafields. */
function toNode(owner: Fields, localized: readonly Fields[]): OrderNode {
  const customer = owner.customer as Fields | null;
  return {
    ...owner,
    customer: customer && { ...customer, metafields: { nodes: metafieldsOf(customer) } },
    metafields: { nodes: metafieldsOf(owner) },
    localizedFields: { nodes: localized },
  } as unknown as OrderNode;
}

function metafieldsOf(fields: Fields): readonly unknown[] {
  return Object.entries(fields)
    .filter(([name, value]) => /^metafield\d+$/.test(name) && value !== null)
    .map(([, value]) => value);
}

/** Only the sales agreements show which line is the tip. */
function hasTip({ totalTipReceivedSet }: OrderNode): boolean {
  return readAmount(totalTipReceivedSet.shopMoney.amount) !== ZERO;
}

/** Only the refund itself states the amounts. */
function hasCountingRefund({ refunds }: OrderNode, lines: readonly OrderLineNode[]): boolean {
  return refunds.length > 0 && needsRefunds(lines);
}

/** Undefined when a required field is missing. */
function productFromBulk({ owner, children }: BulkGroup): StoreProduct | undefined {
  const pictures = children.filter(({ __typename: type }) => type === 'MediaImage');
  return productFromNode({ ...owner, media: { nodes: pictures } } as unknown as ProductNode);
}
