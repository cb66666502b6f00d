import { readAmount, smallest, subtract, sum, ZERO } from '../../../store/money.ts';
import type { GiftCardPayment } from '../../../store/order.ts';
import { isGiftCard } from '../../webhooks/read-order-webhook.ts';
import { type AdminFailure, failure } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { orderPaymentsDocument } from '../documents.gen.ts';
import type { OrderNode } from './order-as-payload.ts';

const PAID: ReadonlySet<string> = new Set(['CAPTURE', 'SALE']);

/** A refund may go to a new gift card: what exceeds the payment did not go back to it. */
export async function readGiftCardPayments(
  ask: Ask,
  { id, updatedAt, paymentGatewayNames }: OrderNode,
): Promise<{ readonly kind: 'paid'; readonly paidWithGiftCards: GiftCardPayment } | AdminFailure> {
  if (!paymentGatewayNames.some(isGiftCard)) {
    return { kind: 'paid', paidWithGiftCards: { net: ZERO, returned: ZERO } };
  }
  const answer = await ask(orderPaymentsDocument, { id });
  if (answer.kind === 'failure') return answer;
  const order = answer.kind === 'data' ? answer.data.order : undefined;
  if (order?.updatedAt !== updatedAt) return failure('changed-while-reading');
  const payments = order.transactions.filter(
    ({ gateway, status }) => status === 'SUCCESS' && isGiftCard(gateway),
  );
  const total = (fits: (kind: string) => boolean) =>
    sum(
      payments
        .filter(({ kind }) => fits(kind))
        .map(({ amountSet }) => readAmount(amountSet.shopMoney.amount) ?? ZERO),
    );
  const paid = total((kind) => PAID.has(kind));
  const returned = smallest([paid, total((kind) => kind === 'REFUND')]) ?? ZERO;
  return { kind: 'paid', paidWithGiftCards: { net: subtract(paid, returned), returned } };
}
