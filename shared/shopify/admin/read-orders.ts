import type { Changed, ScanAnswer, ScanPage, Span, StoreAnswer } from '../../core/store/store.ts';
import { type Amount, readAmount, smallest, subtract, sum, ZERO } from '../../store/money.ts';
import type {
  GiftCardPayment,
  StoreCreditPayment,
  StoreOrder,
} from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import {
  countedRefunds,
  isGiftCard,
  readOrderWebhook,
  STORE_CREDIT,
} from '../webhooks/read-order-webhook.ts';
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
  orderDiscountsDocument,
  orderDocument,
  orderLinesDocument,
  orderPaymentsDocument,
  orderShippingDocument,
  orderTipsDocument,
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
  judgeAbsence,
  type OrderEvidence,
  type Page,
  pick,
  placeIn,
  readRest,
  scannedPage,
} from './pages.ts';
import { readCreditMix } from './read-credit.ts';

/** Equal to what a webhook would say now, plus the enrichment. */
export async function readOrder(
  ask: Ask,
  id: string,
  enrichment: Enrichment,
  evidence: OrderEvidence,
): Promise<StoreAnswer<StoreOrder>> {
  const variables = { id: `gid://shopify/Order/${id}`, ...extrasVariables(enrichment) };
  const answer = await ask(orderDocument, variables);
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.order;
  if (!node) return judgeAbsence(ask, evidence);
  const read = await orderFromNode(ask, node, enrichment);
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
): Promise<AdminAnswer<Page<OrderNode>>> {
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
): Promise<{ readonly kind: 'read'; readonly order: StoreOrder } | AdminFailure> {
  const whole = await readWhole(ask, node, staffNames);
  if (whole.kind === 'failure') return whole;
  const paid = await readGiftCardPayments(ask, whole.order, storeCredit);
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
function needsRefunds(lines: readonly OrderLineNode[]): boolean {
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

const PAID: ReadonlySet<string> = new Set(['CAPTURE', 'SALE']);

type Transaction = Omit<RefundDetails['node']['transactions']['nodes'][number], 'processedAt'>;

type RefundMade = WholeOrder['node']['refunds'][number];

interface GiftCardPayments {
  readonly kind: 'paid';
  readonly now: GiftCardPayment;
  /** For each of the order's `beforeRefunds`; `now`, where it has more. */
  readonly before: readonly GiftCardPayment[];
}

async function readGiftCardPayments(
  ask: Ask,
  { node, refunds }: WholeOrder,
  withCredit: boolean,
): Promise<GiftCardPayments | AdminFailure> {
  const { id, updatedAt, paymentGatewayNames } = node;
  if (!paymentGatewayNames.some(isGiftCard)) {
    const none = { net: ZERO, returnedForShipping: ZERO };
    return { kind: 'paid', now: none, before: [] };
  }
  const answer = await ask(orderPaymentsDocument, { id });
  if (answer.kind === 'failure') return answer;
  const order = answer.kind === 'data' ? answer.data.order : undefined;
  if (order?.updatedAt !== updatedAt) return failure('changed-while-reading');
  const { transactions } = order;
  const credit = await readCreditPayment(ask, node, transactions, withCredit);
  if (credit?.kind === 'failure') return credit;
  const datesOf = ({ id, createdAt, processedAt }: RefundMade) => {
    const { lines, node: refund } = refunds.get(id) ?? {};
    const settled = refund?.transactions.nodes.map((one) => one.processedAt) ?? [];
    return { made: processedAt ?? createdAt, settled: lines?.length ? [] : settled };
  };
  const less = (
    means: Means,
    made: readonly RefundMade[],
    back: readonly Transaction[] = made.flatMap((one) => moneyIn(refunds.get(one.id))),
  ) => {
    const paid = sumOf(transactions, (one) => PAID.has(one.kind) && means.paid(one));
    /** A refund may go to a new gift card: what exceeds the payment did not go back to it. */
    const returned = smallest([paid, sumOf(back, (one) => isRefund(one) && means.back(one))]);
    const forShipping = made.map(({ id }) => {
      const refund = refunds.get(id);
      const given = sumOf(moneyIn(refund), (one) => isRefund(one) && means.back(one));
      return refund ? (smallest([given, shippingOf(refund, node.taxesIncluded)]) ?? ZERO) : ZERO;
    });
    return { net: subtract(paid, returned ?? ZERO), returnedForShipping: sum(forShipping) };
  };
  const paidWith = (made: readonly RefundMade[], back?: readonly Transaction[]) => ({
    ...less(EITHER, made, back),
    ...(credit && {
      apart: {
        cards: less(CARDS, made, back),
        credit: { ...less(CREDIT, made, back), paid: credit.paid, mix: credit.mix },
      },
    }),
  });
  const before = Array.from(countedRefunds(node.refunds, datesOf), (made) => paidWith(made));
  const now = paidWith(node.refunds, transactions);
  // With all refunds it is that of today.
  return { kind: 'paid', now, before: before.slice(0, -1) };
}

const moneyIn = (refund: RefundDetails | undefined): readonly Transaction[] =>
  refund?.node.transactions.nodes ?? [];

const isRefund = ({ kind }: Transaction): boolean => kind === 'REFUND';

/** Which payments are meant, and which refunds went back to them. */
interface Means {
  readonly paid: (transaction: Transaction) => boolean;
  readonly back: (transaction: Transaction) => boolean;
}

const byGiftCard = ({ gateway }: Transaction) => isGiftCard(gateway);
const byCard = (one: Transaction) => byGiftCard(one) && !byCredit(one);
const byCredit = ({ gateway }: Transaction) => gateway === STORE_CREDIT;
const EITHER: Means = { paid: byGiftCard, back: byGiftCard };
const CARDS: Means = { paid: byCard, back: byCard };
/** A refund of another payment to store credit is a new credit: it leaves this payment as it is. */
const CREDIT: Means = {
  paid: byCredit,
  back: (one) => byCredit(one) && one.parentTransaction?.gateway === STORE_CREDIT,
};

function sumOf(
  transactions: readonly Transaction[],
  isWanted: (transaction: Transaction) => boolean,
): Amount {
  return sum(
    transactions
      .filter((one) => one.status === 'SUCCESS' && isWanted(one))
      .map(({ amountSet }) => amountOf(amountSet)),
  );
}

type Payment = NonNullable<DataOf<typeof orderPaymentsDocument>['order']>['transactions'][number];

/** Undefined where no store credit has to do with the order. */
async function readCreditPayment(
  ask: Ask,
  { customer, currencyCode }: OrderNode,
  transactions: readonly Payment[],
  isWanted: boolean,
): Promise<
  (Pick<StoreCreditPayment, 'paid' | 'mix'> & { kind: 'credit' }) | AdminFailure | undefined
> {
  const own = transactions.filter(byCredit);
  if (own.length === 0) return undefined;
  const paid = sumOf(own, ({ kind }) => PAID.has(kind));
  if (!isWanted || paid === ZERO) return { kind: 'credit', paid, mix: undefined };
  const paymentIds = new Set(own.map(({ id }) => id));
  const read = await readCreditMix(ask, customer?.id, { paymentIds, paid, currency: currencyCode });
  return read.kind === 'failure' ? read : { kind: 'credit', paid, mix: read.mix };
}

function shippingOf({ node }: RefundDetails, taxesIncluded: boolean): Amount {
  return sum(
    node.refundShippingLines.nodes.flatMap(({ subtotalAmountSet, taxAmountSet }) => [
      amountOf(subtotalAmountSet),
      taxesIncluded ? ZERO : amountOf(taxAmountSet),
    ]),
  );
}

const amountOf = ({ shopMoney }: Transaction['amountSet']): Amount =>
  readAmount(shopMoney.amount) ?? ZERO;
