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
  refundDocument,
} from '../documents.gen.ts';
import { pick, readRest } from '../pages.ts';
import { orderDetails } from './enrichment.ts';
import { readGiftCardPayments } from './gift-card-payments.ts';
import {
  type OrderLineNode,
  type OrderNode,
  orderAsPayload,
  type RefundDetails,
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
  const paid = await readGiftCardPayments(ask, whole.order);
  if (paid.kind === 'failure') return paid;
  const read = readOrderWebhook(orderAsPayload(whole.order));
  if (read.kind !== 'read') return failure('unreadable-answer');
  const beforeRefunds = read.order.beforeRefunds.map((order, index) => ({
    ...order,
    paidWithGiftCards: paid.before[index] ?? paid.now,
  }));
  const details = { ...orderDetails(whole.order), paidWithGiftCards: paid.now, beforeRefunds };
  return { kind: 'read', order: { ...read.order, ...details } };
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
  const refunds = await readRefunds(ask, node, lines.nodes);
  if (refunds.kind === 'failure') return refunds;
  const tips = await readTipLines(ask, node);
  if (tips.kind === 'failure') return tips;
  const order = {
    node,
    lines: lines.nodes,
    discounts: discounts.nodes,
    shipping: shipping.nodes,
    refunds: refunds.refunds,
    tipLines: tips.ids,
  };
  return { kind: 'whole', order };
}

type Refunds = { readonly kind: 'refunds'; readonly refunds: WholeOrder['refunds'] } | AdminFailure;

/** Only where something is kept: of the others nothing counts. */
export function needsRefunds(lines: readonly OrderLineNode[]): boolean {
  return lines.some(({ currentQuantity }) => currentQuantity > 0);
}

async function readRefunds(
  ask: Ask,
  { refunds, updatedAt }: OrderNode,
  lines: readonly OrderLineNode[],
): Promise<Refunds> {
  const details = new Map<string, RefundDetails>();
  for (const { id } of needsRefunds(lines) ? refunds : []) {
    let node: RefundDetails['node'] | undefined;
    const list = await readRest<RefundLineNode>(BEFORE_FIRST, updatedAt, async (after) =>
      pick(await ask(refundDocument, { id, after: after || null }), ({ refund }) => {
        if (!refund) return undefined;
        node = refund;
        return { state: refund.order.updatedAt, page: refund.refundLineItems };
      }),
    );
    if (list.kind === 'failure') return list;
    if (node) details.set(id, { lines: list.nodes, node });
  }
  return { kind: 'refunds', refunds: details };
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
