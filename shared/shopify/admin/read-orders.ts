import type {
  Changed,
  OrderQuestion,
  ScanAnswer,
  ScanPage,
  Span,
  StoreAnswer,
} from '../../core/store/store.ts';
import { atLeastZero, readAmount, ZERO } from '../../store/money.ts';
import type { StoreOrder } from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import { isGiftCard, readOrderWebhook } from '../webhooks/read-order-webhook.ts';
import {
  type AdminAnswer,
  type AdminFailure,
  failure,
  ifLikeSchema,
  unavailable,
} from './client/admin-answer.ts';
import type { Ask, DataOf } from './client/admin-client.ts';
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
  type OrderLineNode,
  type OrderNode,
  orderAsPayload,
  orderDetails,
  type RefundDetails,
  type RefundLineNode,
  type WholeOrder,
} from './order-as-payload.ts';
import {
  type Agreement,
  bookOf,
  byCredit,
  giftCardPayment,
  type Payment,
  type PaymentParts,
  paidIn,
} from './order-book.ts';
import {
  judgeAbsence,
  pick,
  placeIn,
  readRest,
  type Page as ScannedNodes,
  scannedPage,
} from './pages.ts';
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
  return read.kind === 'read' ? { kind: 'found', value: read.order } : unavailable(read);
}

/** The same orders as from `readOrder`, with a seventh of the queries. */
export async function scanOrders(
  ask: Ask,
  span: Span,
  after: string | undefined,
  enrichment: Enrichment,
): Promise<ScanAnswer<ScanPage<StoreOrder>>> {
  const answer = await askForPage(ask, placeIn(span, after), enrichment);
  if (answer.kind !== 'data') return unavailable(answer);
  const changed: Changed<StoreOrder>[] = [];
  for (const node of answer.data.nodes) {
    const read = await ifLikeSchema(
      () => orderFromNode(ask, node, enrichment),
      failure('unreadable-answer'),
    );
    // A change moves the order out of the span: the next scan reads it.
    if (isChanging(read) && span.by !== 'creation') continue;
    if (read.kind === 'failure' && !isChanging(read) && read.reason !== 'unreadable-answer') {
      return unavailable(read);
    }
    const value = read.kind === 'read' ? read.order : undefined;
    changed.push({ id: idFromGid(node.id, 'Order') ?? '', updatedAt: node.updatedAt, value });
  }
  return scannedPage(answer.data, changed, after);
}

async function askForPage(
  ask: Ask,
  place: ReturnType<typeof placeIn>,
  enrichment: Enrichment,
): Promise<AdminAnswer<ScannedNodes<OrderNode>>> {
  const { orderMetafields, customerMetafields, ...switches } = extrasVariables(enrichment);
  if (!Object.values(switches).includes(true)) {
    const answer = await ask(changedOrdersDocument, { ...place, withStaff: false });
    return pick(answer, ({ orders }) => orders);
  }
  const extras = { ...switches, orderMetafields, customerMetafields };
  const answer = await ask(changedOrdersWithExtrasDocument, { ...place, ...extras });
  return pick(answer, ({ orders }) => orders);
}

function isChanging(read: { readonly kind: 'read' } | AdminFailure): boolean {
  return read.kind === 'failure' && read.reason === 'changed-while-reading';
}

/** Also reads what did not fit on the node's own pages. */
async function orderFromNode(
  ask: Ask,
  node: OrderNode,
  { staffNames = false, storeCredit = false }: Enrichment,
  wanted?: OrderQuestion['book'],
): Promise<{ readonly kind: 'read'; readonly order: StoreOrder } | AdminFailure> {
  const whole = await readWhole(ask, node, staffNames, wanted !== undefined);
  if (whole.kind === 'failure') return whole;
  const read = readOrderWebhook(orderAsPayload(whole.order));
  if (read.kind !== 'read') return failure('unreadable-answer');
  const needsBook = wanted === 'always' || (wanted === 'if-changed' && read.order.changed);
  const paid = await readPayments(ask, node, storeCredit, needsBook);
  if (paid.kind === 'failure') return paid;
  const { payments, credit } = paid;
  const { taxesIncluded } = node;
  const owed = atLeastZero(readAmount(node.totalOutstandingSet.shopMoney.amount) ?? ZERO);
  const parts = { taxesIncluded, owed, refunds: whole.order.refunds, credit };
  const order = {
    ...read.order,
    ...orderDetails(whole.order),
    paidWithGiftCards: giftCardPayment(payments, read.order.total, parts),
  };
  if (!needsBook) return { kind: 'read', order };
  const agreements = whole.order.agreements ?? (await readAgreements(ask, node));
  if ('kind' in agreements) return agreements;
  return { kind: 'read', order: { ...order, book: bookOf(order, agreements, payments, parts) } };
}

async function readWhole(
  ask: Ask,
  node: OrderNode,
  withStaff: boolean,
  needsPast: boolean,
): Promise<
  | {
      readonly kind: 'whole';
      readonly order: WholeOrder & { readonly agreements: readonly Agreement[] | undefined };
    }
  | AdminFailure
> {
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
  const refunds = await readRefunds(ask, node, needsPast || isKept(lines.nodes));
  if (refunds.kind === 'failure') return refunds;
  const tipped = readAmount(node.totalTipReceivedSet.shopMoney.amount) !== ZERO;
  const agreements = tipped ? await readAgreements(ask, node) : undefined;
  if (agreements && 'kind' in agreements) return agreements;
  const order = {
    node,
    lines: lines.nodes,
    discounts: discounts.nodes,
    shipping: shipping.nodes,
    refunds: refunds.refunds,
    tipLines: tipLines(agreements ?? []),
    agreements,
  };
  return { kind: 'whole', order };
}

type Refunds = { readonly kind: 'refunds'; readonly refunds: WholeOrder['refunds'] } | AdminFailure;

const isKept = (lines: readonly OrderLineNode[]): boolean =>
  lines.some(({ currentQuantity }) => currentQuantity > 0);

async function readRefunds(
  ask: Ask,
  { refunds, updatedAt }: OrderNode,
  isNeeded: boolean,
): Promise<Refunds> {
  const details = new Map<string, RefundDetails>();
  // Where nothing is kept, nothing counts.
  for (const { id } of isNeeded ? refunds : []) {
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

type Page = NonNullable<DataOf<typeof orderAgreementsDocument>['order']>['agreements'];

interface Place {
  readonly afterAgreement: string | null;
  readonly afterSale: string | null;
}

const FIRST_PLACE: Place = { afterAgreement: null, afterSale: null };

/** In the order of the store's list. */
async function readAgreements(
  ask: Ask,
  node: OrderNode,
  place = FIRST_PLACE,
  before: readonly Agreement[] = [],
): Promise<readonly Agreement[] | AdminFailure> {
  const answer = await ask(orderAgreementsDocument, { id: node.id, ...place });
  if (answer.kind === 'failure') return answer;
  const { order } = answer.kind === 'data' ? answer.data : {};
  if (order?.updatedAt !== node.updatedAt) return failure('changed-while-reading');
  const read = withSales(before, order.agreements, place);
  const next = placeAfter(order.agreements, place);
  if (!next) return read;
  return isSame(next, place) ? failure('unreadable-answer') : readAgreements(ask, node, next, read);
}

/** A page has one agreement, or more sales of the one before. */
function withSales(
  before: readonly Agreement[],
  { nodes: [node] }: Page,
  { afterSale }: Place,
): readonly Agreement[] {
  if (!node) return before;
  const sales = node.sales.nodes;
  const last = before.at(-1);
  if (afterSale !== null && last) {
    return [...before.slice(0, -1), { ...last, sales: [...last.sales, ...sales] }];
  }
  const refundId = 'refund' in node ? node.refund.id : undefined;
  return [...before, { happenedAt: node.happenedAt, refundId, sales }];
}

function placeAfter({ nodes, pageInfo }: Page, { afterAgreement }: Place): Place | undefined {
  const sales = nodes[0]?.sales.pageInfo;
  if (sales?.hasNextPage) return { afterAgreement, afterSale: sales.endCursor };
  return pageInfo.hasNextPage ? { afterAgreement: pageInfo.endCursor, afterSale: null } : undefined;
}

function isSame(one: Place, other: Place): boolean {
  return one.afterAgreement === other.afterAgreement && one.afterSale === other.afterSale;
}

/** Webhooks mark the lines that are tips. In the Admin API only the sales agreements do. */
function tipLines(agreements: readonly Agreement[]): ReadonlySet<string> {
  const tips = agreements.flatMap(({ sales }) =>
    sales.filter(({ lineType }) => lineType === 'TIP'),
  );
  return new Set(tips.flatMap((sale) => ('lineItem' in sale ? sale.lineItem.id : [])));
}

type Payments =
  | {
      readonly kind: 'payments';
      readonly payments: readonly Payment[];
      readonly credit: PaymentParts['credit'];
    }
  | AdminFailure;

/** Only where a gift card or store credit has to do with the order, or its book is wanted. */
async function readPayments(
  ask: Ask,
  { id, updatedAt, paymentGatewayNames, customer, currencyCode }: OrderNode,
  withCredit: boolean,
  needsBook: boolean,
): Promise<Payments> {
  if (!needsBook && !paymentGatewayNames.some(isGiftCard)) {
    return { kind: 'payments', payments: [], credit: undefined };
  }
  const answer = await ask(orderPaymentsDocument, { id });
  if (answer.kind === 'failure') return answer;
  const order = answer.kind === 'data' ? answer.data.order : undefined;
  if (order?.updatedAt !== updatedAt) return failure('changed-while-reading');
  const { transactions: payments } = order;
  const own = payments.filter(byCredit);
  if (own.length === 0) return { kind: 'payments', payments, credit: undefined };
  const paid = paidIn(own);
  const asked = { paymentIds: new Set(own.map((one) => one.id)), paid, currency: currencyCode };
  const read =
    withCredit && paid !== ZERO ? await readCreditMix(ask, customer?.id, asked) : undefined;
  if (read?.kind === 'failure') return read;
  return { kind: 'payments', payments, credit: { paid, mix: read?.mix } };
}
