import { type Amount, atLeastZero, share, smallest, subtract, sum, ZERO } from '../store/money.ts';
import type { StoreOrder, StoreOrderLine } from '../store/store-entities.ts';
import type {
  VendureCustomer,
  VendureFulfillment,
  VendureOrder,
  VendurePayment,
  VendureRefund,
} from './documents.ts';

export interface OrderReading {
  /** When it was read: no date of an order moves with each of its changes. */
  readonly readAt: Date;
  /** Digits after the point of Vendure's integers, whatever the currency. */
  readonly precision: number;
}

/**
 * An order as it is now; undefined while it is a cart.
 *
 * Vendure's totals are of the goods that are left: modifications and cancellations lower them, refunds do not. Money that
 * went back is known from payments and refunds alone, so what was refunded without goods is what the goods that are left
 * cost beyond what was paid for them in the end. That is right whether a refund belongs to a modification, to a
 * cancellation, or stands alone, and however often lines are named in it.
 */
export function readVendureOrder(
  order: VendureOrder,
  reading: OrderReading,
): StoreOrder | undefined {
  const refunds = (order.payments ?? [])
    .flatMap((payment) => payment.refunds)
    .filter(({ state }) => state !== 'Failed')
    .toSorted(byAge);
  const now = readWith(order, refunds, reading);
  if (!now) return undefined;
  const isKept = now.lines.some(({ kept }) => kept > 0);
  const ofModifications = new Set(order.modifications.map(({ refund }) => refund?.id));
  const alone = refunds.filter(({ id }) => !ofModifications.has(id));
  const beforeRefunds = isKept
    ? alone.flatMap((_, index) => {
        const later = new Set(alone.slice(index));
        return (
          readWith(
            order,
            refunds.filter((one) => !later.has(one)),
            reading,
          ) ?? []
        );
      })
    : [];
  return { ...now, beforeRefunds };
}

/** Refunds of one second are told apart by their ids. */
function byAge(one: VendureRefund, other: VendureRefund): number {
  const [a, b] = [Date.parse(one.createdAt), Date.parse(other.createdAt)];
  return a === b ? one.id.localeCompare(other.id, 'en', { numeric: true }) : a - b;
}

function readWith(
  order: VendureOrder,
  refunds: readonly VendureRefund[],
  { readAt, precision }: OrderReading,
): Omit<StoreOrder, 'beforeRefunds'> | undefined {
  const { orderPlacedAt, state } = order;
  if (orderPlacedAt === null || order.active) return undefined;
  const money = (units: number) => amountOf(units, precision);
  const settled = (order.payments ?? []).filter((payment) => payment.state === 'Settled');
  const paid = sum(settled.map(({ amount }) => money(amount)));
  const back = sum(refunds.map(({ total }) => money(total)));
  const lines = lessDiscounts(
    [...order.lines.map((line) => readLine(line, money)), ...surchargesOf(order, money)],
    order,
    precision,
  );
  const goods = money(order.subTotalWithTax);
  const shipping = money(order.shippingWithTax);
  const shippingBack = smallest([shipping, money(shippingIn(refunds))]) ?? ZERO;
  const shippingLeft = subtract(shipping, shippingBack);
  const keptForGoods = subtract(subtract(paid, back), shippingLeft);
  const refundedWithoutLines =
    smallest([
      atLeastZero(subtract(goods, keptForGoods)),
      atLeastZero(subtract(back, shippingBack)),
      goods,
    ]) ?? ZERO;
  const isCancelled = state === 'Cancelled';
  const total = subtract(money(order.totalWithTax), shippingBack);
  const lastPayment = newest(settled.map(({ createdAt }) => createdAt));
  const sentOut = (order.fulfillments ?? []).filter(({ state: at }) => isSent(at));
  return {
    id: order.id,
    name: order.code,
    placedAt: moment(orderPlacedAt),
    updatedAt: readAt.toISOString(),
    cancelledAt: isCancelled ? moment(order.updatedAt) : undefined,
    closedAt: undefined,
    fulfilledAt: newest(sentOut.map(({ updatedAt }) => updatedAt)),
    refundedAt: newest(refunds.map(({ createdAt }) => createdAt)),
    test: false,
    source: 'web',
    pointOfSale: false,
    currency: order.currencyCode,
    paymentStatus: paymentStatusOf(order, paid, back, money(order.totalWithTax)),
    outstanding: isCancelled ? ZERO : atLeastZero(subtract(money(order.totalWithTax), paid)),
    paidAt: lastPayment,
    lostDispute: undefined,
    fulfillmentStatus: fulfilmentOf(order, sentOut),
    lines,
    taxesIncluded: true,
    subtotal: goods,
    refundedWithoutLines,
    total,
    shipping: { price: shippingLeft, taxOnTop: ZERO, refunded: shippingBack },
    couponCodes: order.couponCodes,
    paymentGateways: [...new Set((order.payments ?? []).map(({ method }) => method))],
    paidWithGiftCards: { net: ZERO, returnedForShipping: ZERO },
    card: undefined,
    location: undefined,
    staff: undefined,
    noteAttributes: [],
    metafields: undefined,
    customer: order.customer ? readCustomer(order.customer) : undefined,
  };
}

/**
 * A refund that is more than is left of its payment is spread over several: each of them repeats the figures of the
 * whole. One of a stated amount may name more shipping than it gives back.
 */
function shippingIn(refunds: readonly VendureRefund[]): number {
  const wholes: { readonly figures: string; readonly shipping: number; total: number }[] = [];
  for (const { items, shipping, adjustment, total } of refunds) {
    const figures = [items, shipping, adjustment].join();
    const last = wholes.at(-1);
    const isPart = last?.figures === figures && last.total < items + shipping + adjustment;
    if (isPart) last.total += total;
    else wholes.push({ figures, shipping, total });
  }
  return wholes.reduce((back, { shipping, total }) => back + Math.min(shipping, total), 0);
}

const isSent = (state: string): boolean => state === 'Shipped' || state === 'Delivered';

/**
 * By the pieces that are on their way. An order of two parcels, of which one has arrived, is `PartiallyDelivered`
 * whether or not the other was sent.
 */
function fulfilmentOf(
  { state, lines }: VendureOrder,
  sentOut: readonly VendureFulfillment[],
): string | undefined {
  const sent = sentOut.flatMap((one) => one.lines);
  const piecesOf = (id: string) =>
    sent
      .filter(({ orderLineId }) => orderLineId === id)
      .reduce((pieces, { quantity }) => pieces + quantity, 0);
  const isWhole = sent.length > 0 && lines.every(({ id, quantity }) => piecesOf(id) >= quantity);
  if (isWhole || isSent(state)) return 'fulfilled';
  return sent.length > 0 ? 'partial' : undefined;
}

/** Prices with their taxes: both are known of every line, and the rules decide which count. */
function readLine(
  line: VendureOrder['lines'][number],
  money: (units: number) => Amount,
): StoreOrderLine {
  const { id, quantity, proratedLinePrice, proratedLinePriceWithTax, productVariant } = line;
  return {
    id,
    productId: productVariant.product.id,
    title: productVariant.name,
    vendor: undefined,
    giftCard: false,
    kept: quantity,
    paid: money(proratedLinePriceWithTax),
    tax: money(proratedLinePriceWithTax - proratedLinePrice),
  };
}

/**
 * A surcharge below zero is a discount on everything: each line bears its part, of the price and of the tax, so that
 * the lines add up to the order's own sums.
 */
function lessDiscounts(
  lines: readonly StoreOrderLine[],
  { surcharges }: VendureOrder,
  digits: number,
): readonly StoreOrderLine[] {
  const discounts = surcharges.filter(({ priceWithTax }) => priceWithTax < 0);
  if (discounts.length === 0) return lines;
  const discount = {
    paid: discounts.reduce((units, one) => units + one.priceWithTax, 0),
    tax: discounts.reduce((units, one) => units + one.priceWithTax - one.price, 0),
  };
  const spread = (field: 'paid' | 'tax'): readonly Amount[] => {
    const whole = sum(lines.map((line) => line[field]));
    const left = sum([whole, amountOf(discount[field], digits)]);
    let [before, given] = [ZERO, ZERO];
    return lines.map((line) => {
      before = sum([before, line[field]]);
      const upTo = whole === ZERO ? ZERO : share(left, before, whole, digits);
      const own = subtract(upTo, given);
      given = upTo;
      return own;
    });
  };
  const [paid, tax] = [spread('paid'), spread('tax')];
  return lines.map((line, index) => ({
    ...line,
    paid: paid[index] ?? ZERO,
    tax: tax[index] ?? ZERO,
  }));
}

/** A line without a product. */
function surchargesOf(
  { surcharges }: VendureOrder,
  money: (units: number) => Amount,
): readonly StoreOrderLine[] {
  return surcharges
    .filter(({ priceWithTax }) => priceWithTax > 0)
    .map(({ id, description, price, priceWithTax }) => ({
      id: `surcharge-${id}`,
      productId: undefined,
      title: description,
      vendor: undefined,
      giftCard: false,
      kept: 1,
      paid: money(priceWithTax),
      tax: money(priceWithTax - price),
    }));
}

function paymentStatusOf(
  { state, payments }: VendureOrder,
  paid: Amount,
  back: Amount,
  total: Amount,
): string {
  const authorized = (payments ?? []).some(
    (payment: VendurePayment) => payment.state === 'Authorized',
  );
  if (paid === ZERO) {
    if (state === 'Cancelled') return 'voided';
    return authorized ? 'authorized' : 'pending';
  }
  if (back !== ZERO) return subtract(paid, back) === ZERO ? 'refunded' : 'partially_refunded';
  return atLeastZero(subtract(total, paid)) === ZERO ? 'paid' : 'partially_paid';
}

export function readCustomer(customer: VendureCustomer): NonNullable<StoreOrder['customer']> {
  const { id, firstName, lastName, emailAddress, phoneNumber, createdAt } = customer;
  return {
    id,
    name: `${firstName} ${lastName}`.trim() || undefined,
    email: emailAddress || undefined,
    phone: phoneNumber || undefined,
    createdAt: moment(createdAt),
  };
}

/** Not more digits than Vendure's own: an amount may come with a fraction of the smallest unit. */
export const amountOf = (units: number, precision: number): Amount =>
  share(String(units) as Amount, 1, 10 ** precision, precision);

export const moment = (text: string): string => new Date(text).toISOString();

function newest(dates: readonly string[]): string | undefined {
  const last = Math.max(...dates.map((date) => Date.parse(date)));
  return Number.isFinite(last) ? new Date(last).toISOString() : undefined;
}
