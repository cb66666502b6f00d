import { subtract, sum, ZERO } from '../../store/money.ts';
import type { StoreOrder } from '../../store/order.ts';
import { shippingRefund } from './order-amounts.ts';
import type { OrderPayload, RefundPayload } from './order-payload.ts';

type OneState = StoreOrder['beforeRefunds'][number];

/**
 * Lines that are read, for all states together: a hundred refunds of an order of 500 lines. What it counted before later
 * refunds is not known to a ledger that was lost.
 */
const MOST_LINES = 50_000;

/**
 * The order with its amounts before each refund, the oldest first. Refunds are only ever added, and an edit that
 * takes goods out is one without money. Goods that were returned and are not refunded yet count as the newest refund;
 * goods that an edit added, as if they had always been there.
 */
export function beforeRefunds(
  payload: OrderPayload,
  now: OneState,
  read: (payload: OrderPayload) => OneState,
): readonly OneState[] {
  const inTime = payload.refunds.toSorted((one, other) => momentOf(one) - momentOf(other));
  const most = Math.max(1, Math.floor(MOST_LINES / Math.max(1, payload.line_items.length)));
  const counts = [...inTime.keys(), inTime.length].slice(0, most);
  const states = counts.map((count) => {
    const then = read(withRefunds(payload, inTime.slice(0, count), inTime.slice(count)));
    // No version states it.
    return { ...then, total: sum([now.total, subtract(worthOf(then), worthOf(now))]) };
  });
  const pieces = ({ lines }: OneState) => lines.reduce((count, { kept }) => count + kept, 0);
  // The state with all refunds is that of today, unless goods were returned since.
  const latest = states[inTime.length];
  return latest && pieces(latest) <= pieces(now) ? states.slice(0, -1) : states;
}

function momentOf(refund: RefundPayload): number {
  const { created_at, processed_at, refund_line_items: lines, transactions } = refund;
  const settled = transactions?.map((one) => one.processed_at) ?? [];
  return refundedAt(processed_at ?? created_at, lines.length > 0 ? [] : settled);
}

/** From when a refund counts. Money without goods does once it has settled (Shopify, "OrderTransaction"). */
export function refundedAt(
  made: string | null | undefined,
  settled: readonly (string | null | undefined)[],
): number {
  return [made, ...settled].reduce(
    (latest, one) => Math.max(latest, Date.parse(one ?? '') || 0),
    0,
  );
}

/** Without what the payload states of its current amounts: the readers count lines and refunds. */
function withRefunds(
  payload: OrderPayload,
  refunds: OrderPayload['refunds'],
  undone: OrderPayload['refunds'],
): OrderPayload {
  const { current_shipping_price_set: shipping } = payload;
  const back = undone.map((refund) => shippingRefund(refund).price);
  return {
    ...payload,
    refunds,
    line_items: payload.line_items.map((line) => ({ ...line, current_quantity: undefined })),
    current_subtotal_price: undefined,
    current_subtotal_price_set: undefined,
    current_shipping_price_set: shipping && {
      shop_money: { amount: sum([shipping.shop_money.amount, ...back]) },
    },
  };
}

/** Of the goods that are kept, and the shipping. */
function worthOf({ subtotal, lines, shipping, taxesIncluded }: OneState) {
  const taxes = taxesIncluded ? ZERO : sum(lines.map(({ tax }) => tax));
  return sum([subtotal, taxes, shipping.price, shipping.taxOnTop]);
}
