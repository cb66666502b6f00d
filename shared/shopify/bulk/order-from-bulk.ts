import { readAmount, ZERO } from '../../store/money.ts';
import type { StoreOrder } from '../../store/order.ts';
import { orderAsPayload } from '../admin/orders/order-as-payload.ts';
import { orderDetails } from '../admin/orders/order-details.ts';
import type {
  OrderLineNode,
  OrderNode,
  ShippingNode,
  WholeOrder,
} from '../admin/orders/order-node.ts';
import { idFromGid } from '../entity-id.ts';
import { readOrderWebhook } from '../webhooks/read-order-webhook.ts';
import type { BulkGroup, Fields } from './group-lines.ts';

export type BulkOrder =
  | { readonly kind: 'order'; readonly order: StoreOrder }
  /** The file cannot say all of it: the store is asked for it alone. */
  | { readonly kind: 'ask'; readonly id: string }
  | { readonly kind: 'unreadable' };

/** An order of a bulk file, read by the same rules as its webhook and its own page of the Admin API. */
export function orderFromBulk({ owner, children }: BulkGroup): BulkOrder {
  const id = idFromGid(typeof owner.id === 'string' ? owner.id : undefined, 'Order');
  if (id === undefined) return { kind: 'unreadable' };
  const ofType = <Node>(fits: (type: string) => boolean) =>
    children.filter(({ __typename: type }) => fits(String(type))) as unknown as readonly Node[];
  const lines = ofType<OrderLineNode>((type) => type === 'LineItem');
  const node = toNode(
    owner,
    ofType<Fields>((type) => type === 'LocalizedField'),
  );
  if (hasTip(node) || hasPartOfALineTakenBack(node, lines)) return { kind: 'ask', id };
  const order: WholeOrder = {
    node,
    lines,
    // DiscountCodeApplication, ManualDiscountApplication, …
    discounts: ofType((type) => type.endsWith('Application')),
    shipping: ofType<ShippingNode>((type) => type === 'ShippingLine'),
    refundLines: [],
    tipLines: new Set(),
  };
  const read = readOrderWebhook(orderAsPayload(order));
  if (read.kind !== 'read') return { kind: 'unreadable' };
  return { kind: 'order', order: { ...read.order, ...orderDetails(order) } };
}

/** In the form of the order's own document: lists that stood apart, and metafields asked one by one. */
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

/** Which of the lines is the tip, only the sales agreements say. */
function hasTip({ totalTipReceivedSet }: OrderNode): boolean {
  return readAmount(totalTipReceivedSet.shopMoney.amount) !== ZERO;
}

/** What the store took back for it, only the refund's own lines say. */
function hasPartOfALineTakenBack({ refunds }: OrderNode, lines: readonly OrderLineNode[]): boolean {
  return (
    refunds.length > 0 &&
    lines.some(({ quantity, currentQuantity }) => currentQuantity > 0 && currentQuantity < quantity)
  );
}
