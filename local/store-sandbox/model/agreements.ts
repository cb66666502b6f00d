import { discountOf, lineAmounts, shippingAmounts, sum } from './line-amounts.ts';
import { share } from './minor-units.ts';
import type { AgreementRow, LineRow, OrderRow, SaleRow } from './rows.ts';
import { moment, type World } from './world.ts';

/*
 * The store's own book of an order.
 *
 * Documented (Shopify, "SalesAgreement", "Sale", "SaleLineType", "SaleActionType", "OrderActionType", "returnCreate",
 * "Migrate to return processing"; read in copies of these pages, tried on no store):
 * - An agreement is made when an order is placed, edited, refunded or returned, with a sale for each line concerned.
 * - `totalAmount` is after taxes and discounts. Amounts are whole units of the currency, and in sum exact.
 * - A refund reverses its lines, and one ADJUSTMENT is the difference to what was paid back.
 * - A return counts once it is processed. Its agreement also has the sales of exchange items.
 * - By the schema no agreement is a `Node`.
 *
 * Recorded or quoted by others in public repositories: quantities and amounts of what is taken out are negative, in an edit,
 * too; exchange items are sales in an agreement of RETURN; a return's fee is a sale of FEE.
 *
 * Assumed: only sales of line items have a quantity, which is 0 where only the amount differs; an edit that removes goods
 * makes no agreement for the refund that it leaves; neither does a refund that changes no amount; money that settles later
 * is an agreement of its own; a cancellation is a refund. `defaultShop` in settings.ts has what tests need both ways.
 */

/** What the agreement is about. */
type Subject =
  | { readonly reason: 'ORDER' | 'ORDER_EDIT' | 'RETURN' }
  | { readonly reason: 'REFUND'; readonly refundId: string };

/**
 * Adds what changed since the last agreement. The book is compared with the order, so that it balances, whatever an
 * action does.
 */
export function agree(
  { ids, now }: Pick<World, 'ids' | 'now'>,
  order: OrderRow,
  subject: Subject,
): OrderRow {
  const booked = Map.groupBy(
    order.agreements.flatMap(({ sales }) => sales),
    keyOf,
  );
  const sales = positionsOf(order).flatMap((position) => {
    const before = booked.get(keyOf(position)) ?? [];
    const sale = difference(before, position);
    return sale ? [{ ...sale, id: ids.next('Sale') }] : [];
  });
  if (sales.length === 0) return order;
  const happenedAt = subject.reason === 'ORDER' ? order.processedAt : moment({ now });
  const agreement: AgreementRow = {
    id: ids.next('SalesAgreement'),
    happenedAt,
    ...{ refundId: null, ...subject },
    sales,
  };
  return { ...order, agreements: [...order.agreements, agreement] };
}

/** What the order has of a line, of shipping and so on: the sum of all its sales. */
type Position = Omit<SaleRow, 'id'>;

const lineTypes = {
  product: 'PRODUCT',
  custom: 'PRODUCT',
  'gift-card': 'GIFT_CARD',
  tip: 'TIP',
} as const satisfies Record<LineRow['kind'], SaleRow['lineType']>;

function positionsOf(order: OrderRow): Position[] {
  const onTop = order.taxesIncluded ? 0 : 1;
  const plain = { quantity: null, discountMinor: 0, taxesMinor: [] };
  return [
    ...order.lines.map((line): Position => {
      const { kept, keptNetMinor, keptTaxesMinor } = lineAmounts(order, line);
      return {
        lineType: lineTypes[line.kind],
        ofId: line.id,
        quantity: kept,
        minor: keptNetMinor + onTop * sum(keptTaxesMinor),
        discountMinor: kept * line.unitMinor - keptNetMinor,
        taxesMinor: keptTaxesMinor,
      };
    }),
    ...order.shipping.map((line): Position => {
      const { discountedMinor, currentMinor, currentTaxesMinor } = shippingAmounts(order, line);
      const discountMinor = line.isRemoved ? 0 : discountOf(line);
      const isFree = discountedMinor === 0;
      return {
        lineType: 'SHIPPING',
        ofId: line.id,
        quantity: null,
        minor: currentMinor + onTop * sum(currentTaxesMinor),
        discountMinor: isFree ? discountMinor : share(discountMinor, currentMinor, discountedMinor),
        taxesMinor: currentTaxesMinor,
      };
    }),
    ...(order.dutiesMinor > 0
      ? [
          {
            ...plain,
            lineType: 'DUTY' as const,
            ofId: order.id,
            minor: order.dutiesMinor - sum(order.refunds.map(({ dutiesMinor }) => dutiesMinor)),
          },
        ]
      : []),
    ...order.fees.map(({ id, lineType, minor, isTakenBack }) => ({
      ...plain,
      lineType,
      ofId: id,
      minor: isTakenBack ? 0 : minor,
    })),
    ...order.refunds.map(({ id, discrepancies }) => ({
      ...plain,
      lineType: 'ADJUSTMENT' as const,
      ofId: id,
      minor: sum(discrepancies.map(({ minor }) => minor)),
    })),
  ];
}

const keyOf = ({ lineType, ofId }: Position): string => `${lineType} ${ofId}`;

function difference(before: readonly SaleRow[], now: Position): Position | undefined {
  const less = (amount: number, of: (sale: SaleRow) => number) => amount - sum(before.map(of));
  const quantity = now.quantity === null ? null : less(now.quantity, (one) => one.quantity ?? 0);
  const minor = less(now.minor, (one) => one.minor);
  const discountMinor = less(now.discountMinor, (one) => one.discountMinor);
  const taxesMinor = now.taxesMinor.map((tax, i) => less(tax, (one) => one.taxesMinor[i] ?? 0));
  const isUnchanged = [quantity ?? 0, minor, discountMinor, ...taxesMinor].every(
    (one) => one === 0,
  );
  const isNew = before.length === 0 && now.lineType !== 'ADJUSTMENT';
  if (isUnchanged && !isNew) return undefined;
  return { ...now, quantity, minor, discountMinor, taxesMinor };
}
