import { gid } from '../model/ids.ts';
import { sum } from '../model/line-amounts.ts';
import type { OrderRow, RefundRow, TransactionRow } from '../model/order-row.ts';
import type { World } from '../model/world.ts';
import {
  idNumber,
  localMoment,
  type MoneySet,
  type MoneyWriter,
  moneyWriter,
} from './json-values.ts';
import { plainLine } from './line-payload.ts';

/** The body of refunds/create, and an entry of an order's `refunds`. */
export function refundPayload(world: World, order: OrderRow, refund: RefundRow) {
  const money = moneyWriter(order);
  const at = localMoment(refund.createdAt, world.shop.utcOffset);
  const reductions = order.reductions.filter(({ refundId }) => refundId === refund.id);
  return {
    id: idNumber(refund.id),
    admin_graphql_api_id: gid('Refund', refund.id),
    created_at: at,
    note: refund.note,
    order_id: idNumber(order.id),
    processed_at: at,
    restock: reductions.some(({ restock }) => restock !== 'no_restock'),
    total_duties_set: money.set(refund.dutiesMinor),
    user_id: idNumber(refund.staffId ?? world.shop.id),
    order_adjustments: adjustments(order, refund, money),
    transactions: order.transactions
      .filter(({ id }) => refund.transactionIds.includes(id))
      .map((one) => transactionPayload(world, order, one)),
    refund_line_items: reductions.flatMap((one) => {
      const line = order.lines.find(({ id }) => id === one.lineId);
      if (!line) return [];
      const taxMinor = sum(one.taxesMinor);
      return [
        {
          id: idNumber(one.id),
          line_item_id: idNumber(one.lineId),
          location_id: idNumber(one.locationId),
          quantity: one.quantity,
          restock_type: one.restock,
          subtotal: money.number(one.worthMinor),
          subtotal_set: money.set(one.worthMinor),
          total_tax: money.number(taxMinor),
          total_tax_set: money.set(taxMinor),
          line_item: plainLine(world, order, line, money),
        },
      ];
    }),
    refund_shipping_lines: refund.shipping.map((one) => ({
      id: idNumber(one.id),
      shipping_line: { id: idNumber(one.shippingId) },
      subtotal_amount_set: money.set(one.minor),
      tax_amount_set: money.set(sum(one.taxesMinor)),
    })),
    duties: [],
    return:
      refund.returnId === null
        ? null
        : {
            id: idNumber(refund.returnId),
            admin_graphql_api_id: gid('Return', refund.returnId),
          },
  };
}

/** Contains refunds of shipping, too: adding up both lists counts them twice. */
function adjustments(order: OrderRow, refund: RefundRow, money: MoneyWriter) {
  const adjustment = (
    id: string,
    kind: string,
    reason: string,
    minor: number,
    taxMinor: number,
  ) => ({
    id: idNumber(id),
    order_id: idNumber(order.id),
    refund_id: idNumber(refund.id),
    amount: money.flat(minor),
    amount_set: money.set(minor),
    tax_amount: money.flat(taxMinor),
    tax_amount_set: money.set(taxMinor),
    kind,
    reason,
  });
  return [
    ...refund.shipping.map(({ adjustmentId, minor, taxesMinor }) =>
      adjustment(adjustmentId, 'shipping_refund', 'Shipping refund', -minor, -sum(taxesMinor)),
    ),
    ...refund.discrepancies.map(({ id, minor, reason }) =>
      adjustment(id, 'refund_discrepancy', reason, minor, 0),
    ),
  ];
}

function transactionPayload({ shop }: World, order: OrderRow, one: TransactionRow) {
  const money = moneyWriter(order);
  const seen = money.set(one.minor).presentment_money;
  const unsettled = one.status === 'pending' ? one.minor : 0;
  return {
    id: idNumber(one.id),
    admin_graphql_api_id: gid('OrderTransaction', one.id),
    // The only flat amount in the customer's currency (Shopify, "Transaction").
    amount: seen.amount,
    amount_rounding: null,
    authorization: null,
    created_at: localMoment(one.createdAt, shop.utcOffset),
    currency: seen.currency_code,
    device_id: null,
    error_code: null,
    gateway: one.gateway,
    kind: one.kind,
    location_id: idNumber(order.locationId),
    manual_payment_gateway: one.gateway === 'manual',
    message: messages[one.status],
    order_id: idNumber(order.id),
    parent_id: idNumber(one.parentId),
    payment_id: `#${order.number}.${one.id.slice(-3)}`,
    processed_at: localMoment(one.processedAt, shop.utcOffset),
    receipt: {},
    source_name: order.sourceName,
    status: one.status,
    test: order.test,
    total_unsettled_set: withCurrency(money.set(unsettled)),
    user_id: idNumber(order.staffId),
  };
}

const messages = {
  success: 'Transaction approved',
  pending: 'Transaction pending',
  failure: 'Transaction failed',
} as const satisfies Record<TransactionRow['status'], string>;

/** The only set whose key is `currency`, as in recorded deliveries. */
function withCurrency({ shop_money, presentment_money }: MoneySet) {
  const rename = ({ amount, currency_code }: MoneySet['shop_money']) => ({
    amount,
    currency: currency_code,
  });
  return { presentment_money: rename(presentment_money), shop_money: rename(shop_money) };
}
