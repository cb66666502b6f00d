import { type Amount, readAmount, smallest, subtract, sum, ZERO } from '../../../store/money.ts';
import type { GiftCardPayment } from '../../../store/order.ts';
import { isGiftCard } from '../../webhooks/read-order-webhook.ts';
import { type AdminFailure, failure } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { orderPaymentsDocument } from '../documents.gen.ts';
import type { RefundDetails, WholeOrder } from './order-as-payload.ts';

const PAID: ReadonlySet<string> = new Set(['CAPTURE', 'SALE']);

type Transaction = RefundDetails['node']['transactions']['nodes'][number];

/** A refund may go to a new gift card: what exceeds the payment did not go back to it. */
export async function readGiftCardPayments(
  ask: Ask,
  { node, refunds }: WholeOrder,
): Promise<{ readonly kind: 'paid'; readonly paidWithGiftCards: GiftCardPayment } | AdminFailure> {
  const { id, updatedAt, paymentGatewayNames } = node;
  if (!paymentGatewayNames.some(isGiftCard)) {
    return { kind: 'paid', paidWithGiftCards: { net: ZERO, returnedForShipping: ZERO } };
  }
  const answer = await ask(orderPaymentsDocument, { id });
  if (answer.kind === 'failure') return answer;
  const order = answer.kind === 'data' ? answer.data.order : undefined;
  if (order?.updatedAt !== updatedAt) return failure('changed-while-reading');
  const paid = byGiftCards(order.transactions, (kind) => PAID.has(kind));
  const returned = smallest([paid, byGiftCards(order.transactions, isRefund)]) ?? ZERO;
  const forShipping = [...refunds.values()].map((refund) =>
    smallest([
      byGiftCards(refund.node.transactions.nodes, isRefund),
      shippingOf(refund, node.taxesIncluded),
    ]),
  );
  const returnedForShipping = sum(forShipping.map((amount) => amount ?? ZERO));
  const net = subtract(paid, returned);
  return { kind: 'paid', paidWithGiftCards: { net, returnedForShipping } };
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
