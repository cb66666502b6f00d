import { subtract, sum, ZERO } from '../../store/money.ts';
import type { StoreOrder } from '../../store/order.ts';
import { shippingRefund } from './order-amounts.ts';
import type { OrderPayload, RefundPayload } from './order-payload.ts';

type OneState = StoreOrder['beforeRefunds'][number];

/** Each costs a reading of the whole order. What it counted before later ones is not known to a ledger that was lost. */
const MOST_REFUNDS = 100;

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
  const counts = [...inTime.keys(), inTime.length].slice(0, MOST_REFUNDS);
  const states = counts.map((count) => {
    const then = read(withRefunds(payload, inTime.slice(0, count), inTime.slice(count)));
    // No version states it.
    return { ...then, total: sum([now.total, subtract(worthOf(then), worthOf(now))]) };
  });
  const pieces = ({ lines }: OneState) => lines.reduce((count, { kept }) => count + kept, 0);
  const [last] = states.slice(-1);
  return last && pieces(last) > pieces(now) ? states : states.slice(0, -1);
}

const momentOf = ({ created_at, processed_at }: RefundPayload): number =>
  Date.parse(processed_at ?? created_at ?? '') || 0;

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
