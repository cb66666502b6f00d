import { readAmount, ZERO } from '../../../store/money.ts';
import type { StoreOrder } from '../../../store/order.ts';
import { readOrderWebhook } from '../../webhooks/read-order-webhook.ts';
import { type AdminFailure, failure } from '../client/admin-answer.ts';
import type { Ask, DataOf } from '../client/admin-client.ts';
import {
  orderDiscountsDocument,
  orderLinesDocument,
  orderShippingDocument,
  orderTipsDocument,
  refundLinesDocument,
} from '../documents.gen.ts';
import { pick, readRest, type WholeList } from '../pages.ts';
import { orderDetails } from './enrichment.ts';
import {
  type OrderLineNode,
  type OrderNode,
  orderAsPayload,
  type RefundLineNode,
  type WholeOrder,
} from './order-as-payload.ts';

/** Also reads what did not fit on the node's own pages. */
export async function orderFromNode(
  ask: Ask,
  node: OrderNode,
  withStaff: boolean,
): Promise<{ readonly kind: 'read'; readonly order: StoreOrder } | AdminFailure> {
  const whole = await readWhole(ask, node, withStaff);
  if (whole.kind === 'failure') return whole;
  const read = readOrderWebhook(orderAsPayload(whole.order));
  if (read.kind !== 'read') return failure('unreadable-answer');
  return { kind: 'read', order: { ...read.order, ...orderDetails(whole.order) } };
}

async function readWhole(
  ask: Ask,
  node: OrderNode,
  withStaff: boolean,
): Promise<{ readonly kind: 'whole'; readonly order: WholeOrder } | AdminFailure> {
  const { id, updatedAt } = node;
  const lines = await readRest(node.lineItems, updatedAt, async (after) =>
    pick(await ask(orderLinesDocument, { id, after, withStaff }), ({ order }) =>
      order ? { state: order.updatedAt, page: order.lineItems } : undefined,
    ),
  );
  if (lines.kind === 'failure') return lines;
  const discounts = await readRest(node.discountApplications, updatedAt, async (after) =>
    pick(await ask(orderDiscountsDocument, { id, after }), ({ order }) =>
      order ? { state: order.updatedAt, page: order.discountApplications } : undefined,
    ),
  );
  if (discounts.kind === 'failure') return discounts;
  const shipping = await readRest(node.shippingLines, updatedAt, async (after) =>
    pick(await ask(orderShippingDocument, { id, after }), ({ order }) =>
      order ? { state: order.updatedAt, page: order.shippingLines } : undefined,
    ),
  );
  if (shipping.kind === 'failure') return shipping;
  const refundLines = await readRefundLines(ask, node, lines.nodes);
  if (refundLines.kind === 'failure') return refundLines;
  const tips = await readTipLines(ask, node);
  if (tips.kind === 'failure') return tips;
  const order = {
    node,
    lines: lines.nodes,
    discounts: discounts.nodes,
    shipping: shipping.nodes,
    refundLines: refundLines.nodes,
    tipLines: tips.ids,
  };
  return { kind: 'whole', order };
}

/** Only for orders with a line that was refunded in part: the refund states the amount. */
async function readRefundLines(
  ask: Ask,
  { refunds, updatedAt }: OrderNode,
  lines: readonly OrderLineNode[],
): Promise<WholeList<RefundLineNode>> {
  const partly = lines.some(
    ({ quantity, currentQuantity }) => currentQuantity > 0 && currentQuantity < quantity,
  );
  const nodes: RefundLineNode[] = [];
  for (const { id } of partly ? refunds : []) {
    const list = await readRest<RefundLineNode>(BEFORE_FIRST, updatedAt, async (after) =>
      pick(await ask(refundLinesDocument, { id, after: after || null }), ({ refund }) =>
        refund ? { state: refund.order.updatedAt, page: refund.refundLineItems } : undefined,
      ),
    );
    if (list.kind === 'failure') return list;
    nodes.push(...list.nodes);
  }
  return { kind: 'nodes', nodes };
}

const BEFORE_FIRST = { nodes: [], pageInfo: { hasNextPage: true, endCursor: '' } };

type TipLines = { readonly kind: 'tips'; readonly ids: ReadonlySet<string> } | AdminFailure;

type Agreements = NonNullable<DataOf<typeof orderTipsDocument>['order']>['agreements'];

interface Place {
  readonly afterAgreement: string | null;
  readonly afterSale: string | null;
}

/**
 * Webhooks mark the lines that are tips. In the Admin API only the sales agreements do, and they are read
 * only for orders with a tip.
 */
async function readTipLines(ask: Ask, node: OrderNode): Promise<TipLines> {
  const ids = new Set<string>();
  const tipped = readAmount(node.totalTipReceivedSet.shopMoney.amount) !== ZERO;
  let place: Place | undefined = tipped ? { afterAgreement: null, afterSale: null } : undefined;
  while (place) {
    const answer = await ask(orderTipsDocument, { id: node.id, ...place });
    if (answer.kind === 'failure') return answer;
    const agreements = agreementsAt(answer.kind === 'data' ? answer.data : undefined, node);
    if (!agreements) return failure('changed-while-reading');
    for (const sale of agreements.nodes[0]?.sales.nodes ?? []) {
      if (sale.lineItem) ids.add(sale.lineItem.id);
    }
    const next = placeAfter(agreements, place);
    if (next && isSame(next, place)) return failure('unreadable-answer');
    place = next;
  }
  return { kind: 'tips', ids };
}

function agreementsAt(
  data: DataOf<typeof orderTipsDocument> | undefined,
  { updatedAt }: OrderNode,
): Agreements | undefined {
  return data?.order?.updatedAt === updatedAt ? data.order.agreements : undefined;
}

function placeAfter({ nodes, pageInfo }: Agreements, { afterAgreement }: Place): Place | undefined {
  const sales = nodes[0]?.sales.pageInfo;
  if (sales?.hasNextPage) return { afterAgreement, afterSale: sales.endCursor };
  return pageInfo.hasNextPage ? { afterAgreement: pageInfo.endCursor, afterSale: null } : undefined;
}

function isSame(one: Place, other: Place): boolean {
  return one.afterAgreement === other.afterAgreement && one.afterSale === other.afterSale;
}
