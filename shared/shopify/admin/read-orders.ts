import type {
  Changed,
  OrderQuestion,
  ScanAnswer,
  ScanPage,
  Span,
  StoreAnswer,
} from '../../core/store/store.ts';
import { atLeastZero, ZERO } from '../../store/money.ts';
import type { StoreOrder } from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import { isGiftCard, readOrderWebhook } from '../webhooks/read-event.ts';
import {
  type AdminAnswer,
  type AdminFailure,
  type FailureReason,
  failure,
  ifLikeSchema,
  unavailable,
} from './client/admin-answer.ts';
import type { Ask } from './client/admin-client.ts';
import {
  changedOrdersDocument,
  changedOrdersWithExtrasDocument,
  orderAgreementsDocument,
  orderDiscountsDocument,
  orderDocument,
  orderLinesDocument,
  orderPaymentsDocument,
  orderShippingDocument,
  refundDocument,
} from './documents.gen.ts';
import {
  type Enrichment,
  extrasVariables,
  type OrderNode,
  orderAsPayload,
  orderDetails,
  paidAtOf,
  type RefundLineNode,
  type RefundNode,
  type WholeOrder,
} from './order-as-payload.ts';
import {
  type Agreement,
  amountOf,
  bookOf,
  byCredit,
  giftCardPayment,
  isPaidLate,
  moneyIn,
  type Payment,
  type PaymentParts,
} from './order-book.ts';
import { judgeAbsence, type Page, pick, placeIn, readRest, scannedPage } from './pages.ts';
import { readCreditMix } from './read-credit.ts';

/** Equal to what a webhook would say now, plus the enrichment. */
export async function readOrder(
  ask: Ask,
  id: string,
  enrichment: Enrichment,
  { book, ...evidence }: OrderQuestion,
): Promise<StoreAnswer<StoreOrder>> {
  const variables = { id: `gid://shopify/Order/${id}`, ...extrasVariables(enrichment) };
  const answer = await ask(orderDocument, variables);
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.order;
  if (!node) return judgeAbsence(ask, evidence);
  const read = await orderFromNode(ask, node, enrichment, book);
  return 'kind' in read ? unavailable(read) : { kind: 'found', value: read };
}

/** The same orders as from `readOrder`, with a seventh of the queries. */
export async function scanOrders(
  ask: Ask,
  span: Span,
  after: string | undefined,
  enrichment: Enrichment,
): Promise<ScanAnswer<ScanPage<StoreOrder>>> {
  const place = placeIn(span, after);
  const extras = extrasVariables(enrichment);
  const answer = Object.values<unknown>(extras).includes(true)
    ? await ask(changedOrdersWithExtrasDocument, { ...place, ...extras })
    : await ask(changedOrdersDocument, { ...place, withStaff: false });
  if (answer.kind !== 'data') return unavailable(answer);
  const { orders } = answer.data;
  const changed: Changed<StoreOrder>[] = [];
  for (const node of orders.nodes) {
    const read = await ifLikeSchema(
      () => orderFromNode(ask, node, enrichment),
      failure('unreadable-answer'),
    );
    const isRead = !('kind' in read);
    if (!isRead && !OF_ONE_ORDER.has(read.reason)) return unavailable(read);
    // A change moves the order out of the span: the next scan reads it.
    const hasMoved = !isRead && read.reason === 'changed-while-reading' && span.by !== 'creation';
    const value = isRead ? read : undefined;
    const id = idFromGid(node.id, 'Order') ?? '';
    if (!hasMoved) changed.push({ id, updatedAt: node.updatedAt, value });
  }
  return scannedPage(orders, changed, after);
}

/** After these failures the scan goes on with the next order. */
const OF_ONE_ORDER: ReadonlySet<FailureReason> = new Set([
  'changed-while-reading',
  'unreadable-answer',
]);

/** Also reads what did not fit on the node's own pages. */
async function orderFromNode(
  ask: Ask,
  node: OrderNode,
  { staffNames = false, storeCredit = false }: Enrichment,
  wanted?: OrderQuestion['book'],
): Promise<StoreOrder | AdminFailure> {
  const whole = await readWhole(ask, node, staffNames, wanted !== undefined);
  if ('kind' in whole) return whole;
  const read = readOrderWebhook(orderAsPayload(whole));
  if (read.kind !== 'read') return failure('unreadable-answer');
  const isWanted = (changed: boolean) =>
    wanted === 'always' || (wanted === 'if-changed' && changed);
  const paid = await readPayments(ask, node, storeCredit, isWanted(read.order.changed));
  if ('kind' in paid) return paid;
  const { payments, credit } = paid;
  const changed = read.order.changed || isPaidLate(read.order, payments);
  const owed = atLeastZero(amountOf(node.totalOutstandingSet));
  const parts = { owed, refunds: whole.refunds, credit };
  const details = orderDetails(whole.node);
  const order = {
    ...read.order,
    ...{ ...details, changed, paidAt: details.paidAt ?? paidAtOf(payments) },
    paidWithGiftCards: giftCardPayment(payments, read.order, parts),
  };
  if (!isWanted(changed)) return order;
  const agreements = whole.agreements ?? (await readAgreements(ask, node));
  if ('kind' in agreements) return agreements;
  return { ...order, book: bookOf(order, agreements, payments, parts) };
}

async function readWhole(
  ask: Ask,
  node: OrderNode,
  withStaff: boolean,
  needsPast: boolean,
): Promise<(WholeOrder & { agreements: readonly Agreement[] | undefined }) | AdminFailure> {
  const { id, updatedAt } = node;
  const lines = await readRest(node.lineItems, updatedAt, async (after) =>
    pageOf(await ask(orderLinesDocument, { id, after, withStaff }), (order) => order.lineItems),
  );
  if (lines.kind === 'failure') return lines;
  const discounts = await readRest(node.discountApplications, updatedAt, async (after) =>
    pageOf(await ask(orderDiscountsDocument, { id, after }), (order) => order.discountApplications),
  );
  if (discounts.kind === 'failure') return discounts;
  const shipping = await readRest(node.shippingLines, updatedAt, async (after) =>
    pageOf(await ask(orderShippingDocument, { id, after }), (order) => order.shippingLines),
  );
  if (shipping.kind === 'failure') return shipping;
  // Where nothing is kept, nothing counts.
  const needsRefunds = needsPast || lines.nodes.some(({ currentQuantity }) => currentQuantity > 0);
  const refunds = await readRefunds(ask, needsRefunds ? node.refunds : [], updatedAt);
  if ('kind' in refunds) return refunds;
  const tipped = amountOf(node.totalTipReceivedSet) !== ZERO;
  const agreements = tipped ? await readAgreements(ask, node) : undefined;
  if (agreements && 'kind' in agreements) return agreements;
  const lists = {
    lineItems: { ...node.lineItems, nodes: lines.nodes },
    discountApplications: { ...node.discountApplications, nodes: discounts.nodes },
    shippingLines: { ...node.shippingLines, nodes: shipping.nodes },
  };
  return { node: { ...node, ...lists }, refunds, tipLines: tipLines(agreements ?? []), agreements };
}

/** A page of one of the order's lists, with the state that it is of. */
function pageOf<Order extends { readonly updatedAt: string }, Node>(
  answer: AdminAnswer<{ readonly order: Order | null }>,
  list: (order: Order) => Page<Node>,
) {
  return pick(answer, ({ order }) =>
    order ? { state: order.updatedAt, page: list(order) } : undefined,
  );
}

const NONE = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
const BEFORE_FIRST = { nodes: [], pageInfo: { hasNextPage: true, endCursor: '' } };

async function readRefunds(
  ask: Ask,
  refunds: OrderNode['refunds'],
  updatedAt: string,
): Promise<WholeOrder['refunds'] | AdminFailure> {
  const whole = new Map<string, RefundNode>();
  for (const { id } of refunds) {
    let node: RefundNode | undefined;
    const lines = await readRest<RefundLineNode>(BEFORE_FIRST, updatedAt, async (after) =>
      pick(await ask(refundDocument, { id, after: after || null }), ({ refund }) => {
        if (!refund) return undefined;
        node = refund;
        return { state: refund.order.updatedAt, page: refund.refundLineItems };
      }),
    );
    if (lines.kind === 'failure') return lines;
    const { nodes } = lines;
    if (node) whole.set(id, { ...node, refundLineItems: { ...node.refundLineItems, nodes } });
  }
  return whole;
}

/** In the order of the store's list. A page has one agreement, with a page of its sales. */
async function readAgreements(
  ask: Ask,
  { id, updatedAt }: OrderNode,
): Promise<readonly Agreement[] | AdminFailure> {
  const pageAfter = async (agreement: string, sale: string) => {
    const place = { id, afterAgreement: agreement || null, afterSale: sale || null };
    return pageOf(await ask(orderAgreementsDocument, place), (order) => order.agreements);
  };
  const all = await readRest<Agreement>(BEFORE_FIRST, updatedAt, async (after) => {
    const answer = await pageAfter(after, '');
    const page = answer.kind === 'data' ? answer.data?.page : undefined;
    const node = page?.nodes[0];
    const sales = await readRest(node?.sales ?? NONE, updatedAt, async (afterSale) =>
      pick(await pageAfter(after, afterSale), (more) =>
        more ? { state: more.state, page: more.page.nodes[0]?.sales ?? NONE } : undefined,
      ),
    );
    if (sales.kind === 'failure') return sales;
    const refundId = node && 'refund' in node ? node.refund.id : undefined;
    const nodes = node ? [{ happenedAt: node.happenedAt, refundId, sales: sales.nodes }] : [];
    return pick(answer, (first) => first && { ...first, page: { ...first.page, nodes } });
  });
  return all.kind === 'failure' ? all : all.nodes;
}

/** Webhooks mark the lines that are tips. In the Admin API only the sales agreements do. */
function tipLines(agreements: readonly Agreement[]): ReadonlySet<string> {
  const tips = agreements.flatMap(({ sales }) => sales).filter((one) => one.lineType === 'TIP');
  return new Set(tips.flatMap((sale) => ('lineItem' in sale ? sale.lineItem.id : [])));
}

/** Only where a gift card or store credit has to do with the order, or its book is wanted. */
async function readPayments(
  ask: Ask,
  { id, updatedAt, paymentGatewayNames, customer, currencyCode: currency }: OrderNode,
  withCredit: boolean,
  needsBook: boolean,
): Promise<(Pick<PaymentParts, 'credit'> & { payments: readonly Payment[] }) | AdminFailure> {
  const isNeeded = needsBook || paymentGatewayNames.some(isGiftCard);
  if (!isNeeded) return { payments: [], credit: undefined };
  const answer = await ask(orderPaymentsDocument, { id });
  if (answer.kind === 'failure') return answer;
  const order = answer.kind === 'data' ? answer.data.order : undefined;
  if (order?.updatedAt !== updatedAt) return failure('changed-while-reading');
  const { transactions: payments } = order;
  const own = payments.filter(byCredit);
  if (own.length === 0) return { payments, credit: undefined };
  const { received: paid } = moneyIn(own);
  const asked = { paymentIds: new Set(own.map((one) => one.id)), paid, currency };
  const read =
    withCredit && paid !== ZERO ? await readCreditMix(ask, customer?.id, asked) : undefined;
  if (read?.kind === 'failure') return read;
  return { payments, credit: { paid, mix: read?.mix } };
}
