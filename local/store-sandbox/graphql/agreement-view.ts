import { gid } from '../model/ids.ts';
import { discountOf, sumTaxes } from '../model/line-amounts.ts';
import type { OrderRow } from '../model/order-row.ts';
import { connect, type PageArguments } from './connection.ts';
import type { GraphContext, View } from './graph-context.ts';
import { lineView } from './line-view.ts';
import { moneyBag } from './money-view.ts';

const saleTypes = {
  product: ['ProductSale', 'PRODUCT'],
  custom: ['ProductSale', 'PRODUCT'],
  'gift-card': ['GiftCardSale', 'GIFT_CARD'],
  tip: ['TipSale', 'TIP'],
} as const;

/** The agreement of the sale: the only place in the schema that marks a line as a tip. */
export function agreementsOf(context: GraphContext, order: OrderRow, args: PageArguments): View {
  return connect(context, args, {
    rows: [order],
    id: ({ id }) => id,
    view: () => ({
      __typename: 'OrderAgreement',
      id: gid('OrderAgreement', order.id),
      happenedAt: order.processedAt,
      reason: 'ORDER',
      sales: (paging: PageArguments) =>
        connect(context, paging, {
          rows: order.lines,
          id: ({ id }) => id,
          view: (line) => {
            const [typeName, lineType] = saleTypes[line.kind];
            const onTop = order.taxesIncluded ? 0 : sumTaxes(line.taxes);
            const net = line.unitMinor * line.quantity - discountOf(line);
            return {
              __typename: typeName,
              id: gid(typeName, line.id),
              actionType: 'ORDER',
              lineType,
              quantity: line.quantity,
              totalAmount: moneyBag(order, net + onTop),
              totalTaxAmount: moneyBag(order, sumTaxes(line.taxes)),
              lineItem: () => lineView(context, order, line),
            };
          },
        }),
    }),
  });
}
