import { type Amount, readAmount, smallest, subtract, sum, ZERO } from '../../../store/money.ts';
import type { GiftCardPayment } from '../../../store/order.ts';
import { refundedAt } from '../../webhooks/before-refunds.ts';
import { isGiftCard } from '../../webhooks/read-order-webhook.ts';
import { type AdminFailure, failure } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { orderPaymentsDocument } from '../documents.gen.ts';
import type { RefundDetails, WholeOrder } from './order-as-payload.ts';

const PAID: ReadonlySet<string> = new Set(['CAPTURE', 'SALE']);

type Transaction = Omit<RefundDetails['node']['transactions']['nodes'][number], 'processedAt'>;

export interface GiftCardPayments {
  readonly kind: 'paid';
  readonly now: GiftCardPayment;
  /** Before each refund, the oldest first. */
  readonly before: readonly GiftCardPayment[];
}

export async function readGiftCardPayments(
  ask: Ask,
  { node, refunds }: WholeOrder,
): Promise<GiftCardPayments | AdminFailure> {
  const { id, updatedAt, paymentGatewayNames } = node;
  if (!paymentGatewayNames.some(isGiftCard)) {
    const none = { net: ZERO, returnedForShipping: ZERO };
    return { kind: 'paid', now: none, before: node.refunds.map(() => none) };
  }
  const answer = await ask(orderPaymentsDocument, { id });
  if (answer.kind === 'failure') return answer;
  const order = answer.kind === 'data' ? answer.data.order : undefined;
  if (order?.updatedAt !== updatedAt) return failure('changed-while-reading');
  const paid = byGiftCards(order.transactions, (kind) => PAID.has(kind));
  const momentOf = ({ id, createdAt, processedAt }: WholeOrder['node']['refunds'][number]) => {
    const { lines, node: refund } = refunds.get(id) ?? {};
    const settled = refund?.transactions.nodes.map((one) => one.processedAt) ?? [];
    return refundedAt(processedAt ?? createdAt, lines?.length ? [] : settled);
  };
  const inTime = node.refunds.toSorted((one, other) => momentOf(one) - momentOf(other));
  const made = inTime.map((refund) => refunds.get(refund.id));
  /** A refund may go to a new gift card: what exceeds the payment did not go back to it. */
  const less = (back: Amount, until: readonly (RefundDetails | undefined)[]): GiftCardPayment => ({
    net: subtract(paid, smallest([paid, back]) ?? ZERO),
    returnedForShipping: sum(until.map((one) => returnedForShipping(one, node.taxesIncluded))),
  });
  const before = made.map((_, count) => {
    const until = made.slice(0, count);
    return less(sum(until.map(returnedIn)), until);
  });
  return { kind: 'paid', now: less(byGiftCards(order.transactions, isRefund), made), before };
}

const returnedIn = (refund: RefundDetails | undefined): Amount =>
  refund ? byGiftCards(refund.node.transactions.nodes, isRefund) : ZERO;

function returnedForShipping(refund: RefundDetails | undefined, taxesIncluded: boolean): Amount {
  if (!refund) return ZERO;
  return smallest([returnedIn(refund), shippingOf(refund, taxesIncluded)]) ?? ZERO;
}

const isRefund = (kind: string): boolean => kind === 'REFUND';

function byGiftCards(
  transactions: readonly Transaction[],
  isWanted: (kind: string) => boolean,
): Amount {
  return sum(
    transactions
      .filter(({ gateway, status }) => status === 'SUCCESS' && isGiftCard(gateway))
      .filter(({ kind }) => isWanted(kind))
      .map(({ amountSet }) => amountOf(amountSet)),
  );
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
