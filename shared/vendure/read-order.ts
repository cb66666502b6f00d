import { type Amount, atLeastZero, share, smallest, subtract, sum, ZERO } from '../store/money.ts';
import type { StoreOrder, StoreOrderLine } from '../store/store-entities.ts';
import type {
  VendureCustomer,
  VendureFulfillment,
  VendureOrder,
  VendureRefund,
  VendureSellerOrder,
} from './documents.ts';

export interface OrderReading {
  /** When it was read: no date of an order moves with each of its changes. */
  readonly readAt: Date;
  /** Digits after the point of Vendure's integers, whatever the currency. */
  readonly precision: number;
}

/**
 * An order as it is now; undefined while it is a cart, and for a part of one.
 *
 * Vendure's totals are of the goods that are left: modifications and cancellations lower them, refunds do not. Money that
 * went back is known from payments and refunds alone, so what was refunded for goods is what the goods that are left
 * cost beyond what was paid for them in the end. That is right whether a refund belongs to a modification, to a
 * cancellation, or stands alone, and however often lines are named in it: the lines only say from which goods it is taken.
 */
export function readVendureOrder(
  order: VendureOrder,
  reading: OrderReading,
): StoreOrder | undefined {
  const { orderPlacedAt, active, type, history, payments } = order;
  // A seller's order is a part of the customer's own.
  if (orderPlacedAt === null || active || type === 'Seller') return undefined;
  const placed = { ...order, orderPlacedAt, payments: payments ?? [] };
  const now = figuresOf(placed, reading);
  const changes = changesOf(order);
  const changed = refundsOf(placed).length > 0 || changes.some(takesOut) || isOut(order);
  return { ...now, changed, ...(history && { book: bookOf(placed, now, changes, reading) }) };
}

interface PlacedOrder extends VendureOrder {
  readonly orderPlacedAt: string;
  readonly payments: NonNullable<VendureOrder['payments']>;
}

/** The oldest first. */
const refundsOf = ({ payments }: PlacedOrder): readonly VendureRefund[] =>
  payments.flatMap((payment) => payment.refunds.filter(isBack)).toSorted(byAge);

/** Fewer pieces are left than were placed. */
const isOut = ({ lines }: VendureOrder): boolean =>
  lines.some(({ quantity, orderPlacedQuantity }) => quantity < orderPlacedQuantity);

/** What an administrator added to the order or took out of it. */
interface Change {
  readonly at: number;
  /** By line: more pieces, or less. */
  readonly pieces: ReadonlyMap<string, number>;
  /** Surcharges that it added. */
  readonly surcharges: ReadonlySet<string>;
}

const takesOut = ({ pieces }: Change): boolean => [...pieces.values()].some((count) => count < 0);

function changesOf({ modifications, history }: VendureOrder): readonly Change[] {
  return [
    ...modifications.map(({ createdAt, lines, surcharges }) => ({
      at: Date.parse(createdAt),
      pieces: new Map(lines.map(({ orderLineId, quantity }) => [orderLineId, quantity])),
      surcharges: new Set(surcharges.map(({ id }) => id)),
    })),
    ...(history?.items ?? []).map(({ createdAt, data: { lines = [] } }) => ({
      at: Date.parse(createdAt),
      pieces: new Map(lines.map((one) => [String(one.orderLineId), -one.quantity])),
      surcharges: new Set<string>(),
    })),
  ];
}

type Figures = Omit<StoreOrder, 'changed' | 'book'>;

/** The order's figures after it was placed and after each change, payment and refund, the oldest first. */
function bookOf(
  order: PlacedOrder,
  now: Figures,
  changes: readonly Change[],
  reading: OrderReading,
): NonNullable<StoreOrder['book']> {
  const placedAt = Date.parse(order.orderPlacedAt);
  const paidLater = order.payments.map(madeAt).filter((at) => at > placedAt);
  const moments = [...changes.map(({ at }) => at), ...refundsOf(order).map(madeAt), ...paidLater];
  // A database may keep whole seconds: what followed in the second of the order itself would look older than it.
  const states = [BEFORE_ALL, ...new Set(moments)]
    .toSorted((one, other) => one - other)
    .map((at) => ({
      ...figuresOf(rewound(order, changes, at), reading),
      paymentStatus: 'paid',
      at: new Date(Math.max(at, placedAt)).toISOString(),
    }));
  return [...states, { ...now, at: now.updatedAt }];
}

const BEFORE_ALL = 0;

const madeAt = ({ createdAt }: { readonly createdAt: string }): number => Date.parse(createdAt);

/** The order as it was then. What is left of a line costs what it costs today. */
function rewound(order: PlacedOrder, changes: readonly Change[], at: number): PlacedOrder {
  const paidUntil = Math.max(at, Date.parse(order.orderPlacedAt));
  const payments = order.payments
    .filter((payment) => madeAt(payment) <= paidUntil)
    .map((payment) => ({
      ...payment,
      refunds: payment.refunds.filter((one) => madeAt(one) <= at),
    }));
  const later = changes.filter((change) => change.at > at);
  if (later.length === 0) return { ...order, payments };
  const lines = order.lines.map((line) => {
    const since = addUp(later, ({ pieces }) => pieces.get(line.id) ?? 0);
    const quantity = line.quantity - since;
    if (since === 0) return line;
    return {
      ...{ ...line, quantity },
      proratedLinePrice: line.proratedUnitPrice * quantity,
      proratedLinePriceWithTax: line.proratedUnitPriceWithTax * quantity,
    };
  });
  const surcharges = order.surcharges.filter(
    ({ id }) => !later.some((change) => change.surcharges.has(id)),
  );
  const subTotalWithTax =
    addUp(lines, (line) => line.proratedLinePriceWithTax) +
    addUp(surcharges, ({ priceWithTax }) => priceWithTax);
  const totalWithTax = subTotalWithTax + order.shippingWithTax;
  return { ...order, payments, lines, surcharges, subTotalWithTax, totalWithTax };
}

const addUp = <Item>(items: readonly Item[], units: (item: Item) => number): number =>
  items.reduce((before, item) => before + units(item), 0);

/** Pending money is not back yet; pieces are. */
const isBack = ({ state, lines }: VendureRefund): boolean =>
  state === 'Pending' ? lines.length > 0 : state !== 'Failed';

/** Refunds of one second are told apart by their ids. */
function byAge(one: VendureRefund, other: VendureRefund): number {
  const apart = madeAt(one) - madeAt(other);
  return apart || one.id.localeCompare(other.id, 'en', { numeric: true });
}

function figuresOf(order: PlacedOrder, { readAt, precision }: OrderReading): Figures {
  const { state } = order;
  const refunds = refundsOf(order);
  const money = (units: number) => amountOf(units, precision);
  const settled = order.payments.filter((payment) => payment.state === 'Settled');
  const paid = sum(settled.map(({ amount }) => money(amount)));
  const back = sum(refunds.map(({ total }) => money(total)));
  const left = lessDiscounts(goodsOf(order, money), order, precision);
  const goods = money(order.subTotalWithTax);
  const shipping = money(order.shippingWithTax);
  const wholes = wholeRefunds(refunds);
  const named = addUp(wholes, (whole) => Math.min(whole.shipping, whole.total));
  const shippingBack = smallest([shipping, money(named)]);
  const shippingLeft = subtract(shipping, shippingBack);
  const keptForGoods = subtract(subtract(paid, back), shippingLeft);
  const forGoods = smallest([
    atLeastZero(subtract(goods, keptForGoods)),
    atLeastZero(subtract(back, shippingBack)),
    goods,
  ]);
  const lines = lessRefunded(left, wholes, forGoods, order, precision);
  const ofLines = subtract(paidIn(left), paidIn(lines));
  const isCancelled = state === 'Cancelled';
  const parts = order.sellerOrders ?? [order];
  const parcels = parts.flatMap(({ fulfillments }) => fulfillments ?? []);
  const sentOut = parcels.filter(({ state: at }) => isSent(at));
  return {
    id: order.id,
    name: order.code,
    placedAt: moment(order.orderPlacedAt),
    updatedAt: readAt.toISOString(),
    cancelledAt: isCancelled ? moment(order.updatedAt) : undefined,
    closedAt: undefined,
    fulfilledAt: newest(sentOut.map(({ updatedAt }) => updatedAt)),
    refundedAt: newest(refunds.map(({ createdAt }) => createdAt)),
    test: false,
    source: 'web',
    pointOfSale: false,
    currency: order.currencyCode,
    paymentStatus: paymentStatusOf(order, paid, money),
    outstanding: isCancelled ? ZERO : atLeastZero(subtract(money(order.totalWithTax), paid)),
    paidAt: newest(settled.map(({ createdAt }) => createdAt)),
    lostDispute: undefined,
    fulfillmentStatus: fulfilmentOf(state, parts, sentOut),
    lines,
    taxesIncluded: true,
    subtotal: subtract(goods, ofLines),
    refundedWithoutLines: atLeastZero(subtract(forGoods, ofLines)),
    total: subtract(money(order.totalWithTax), sum([shippingBack, ofLines])),
    shipping: { price: shippingLeft, taxOnTop: ZERO, refunded: shippingBack },
    couponCodes: order.couponCodes,
    paymentGateways: [...new Set(order.payments.map(({ method }) => method))],
    paidWithGiftCards: { net: ZERO, returnedForShipping: ZERO },
    card: undefined,
    location: undefined,
    staff: undefined,
    noteAttributes: [],
    metafields: undefined,
    customer: order.customer ? readCustomer(order.customer) : undefined,
  };
}

const paidIn = (lines: readonly StoreOrderLine[]): Amount => sum(lines.map(({ paid }) => paid));

type WholeRefund = Pick<VendureRefund, 'shipping' | 'lines'> & { total: number };

/**
 * A refund that is more than is left of its payment is spread over several: each of them repeats the figures and lines of
 * the whole. One of a stated amount may name more shipping than it gives back.
 */
function wholeRefunds(refunds: readonly VendureRefund[]): readonly WholeRefund[] {
  const wholes: (WholeRefund & { readonly figures: string })[] = [];
  for (const { items, shipping, adjustment, total, lines } of refunds) {
    const pieces = lines.map(({ orderLineId, quantity }) => `${orderLineId}: ${quantity}`);
    const figures = [items, shipping, adjustment, ...pieces.toSorted()].join();
    const last = wholes.at(-1);
    const isPart = last?.figures === figures && last.total < items + shipping + adjustment;
    if (isPart) last.total += total;
    else wholes.push({ figures, shipping, lines, total });
  }
  return wholes;
}

/**
 * Takes the pieces that refunds name from their lines, as far as each one's money goes. Pieces that were cancelled
 * besides have left the order already, and the same may be named again.
 */
function lessRefunded(
  lines: readonly StoreOrderLine[],
  wholes: readonly WholeRefund[],
  forGoods: Amount,
  order: VendureOrder,
  digits: number,
): readonly StoreOrderLine[] {
  const cancelled = new Map(
    order.lines.map((line) => [line.id, Math.max(line.orderPlacedQuantity - line.quantity, 0)]),
  );
  const back = (whole: WholeRefund, { id, kept }: StoreOrderLine): number => {
    const named = piecesOf(id, whole.lines);
    const before = cancelled.get(id) ?? 0;
    cancelled.set(id, Math.max(before - named, 0));
    return Math.min(kept, Math.max(named - before, 0));
  };
  let [left, money] = [lines, forGoods];
  for (const whole of wholes) {
    const ofGoods = amountOf(Math.max(whole.total - whole.shipping, 0), digits);
    const pieces = left.map((line) => back(whole, line));
    const next = takePieces(left, pieces, smallest([money, ofGoods]), digits);
    money = subtract(money, subtract(paidIn(left), paidIn(next)));
    left = next;
  }
  return left;
}

/** Where the money is less than they cost, the lines are lowered in proportion, and keep their pieces. */
function takePieces(
  lines: readonly StoreOrderLine[],
  pieces: readonly number[],
  money: Amount,
  digits: number,
): readonly StoreOrderLine[] {
  const costs = lines.map(({ paid, kept }, index) =>
    kept === 0 ? ZERO : share(paid, pieces[index] ?? 0, kept, digits),
  );
  const cost = sum(costs);
  const isWhole = atLeastZero(subtract(cost, money)) === ZERO;
  return lines.map((line, index) => {
    const own = costs[index] ?? ZERO;
    if (own === ZERO) return line;
    const taken = isWhole ? own : share(own, money, cost, digits);
    const kept = isWhole ? line.kept - (pieces[index] ?? 0) : line.kept;
    const tax = subtract(line.tax, share(line.tax, taken, line.paid, digits));
    return { ...line, kept, paid: subtract(line.paid, taken), tax };
  });
}

const piecesOf = (id: string, lines: VendureRefund['lines']): number =>
  addUp(lines, ({ orderLineId, quantity }) => (orderLineId === id ? quantity : 0));

const isSent = (state: string): boolean => state === 'Shipped' || state === 'Delivered';

/**
 * By the pieces that are on their way. An order of two parcels, of which one has arrived, is `PartiallyDelivered`
 * whether or not the other was sent.
 */
function fulfilmentOf(
  state: string,
  parts: readonly Pick<VendureSellerOrder, 'lines'>[],
  sentOut: readonly VendureFulfillment[],
): string | undefined {
  const lines = parts.flatMap((part) => part.lines);
  const sent = sentOut.flatMap((one) => one.lines);
  const isWhole =
    sent.length > 0 && lines.every(({ id, quantity }) => piecesOf(id, sent) >= quantity);
  if (isWhole || isSent(state)) return 'fulfilled';
  return sent.length > 0 ? 'partial' : undefined;
}

/** Prices with their taxes: both are known of every line, and the rules decide which count. */
function goodsOf(
  { lines, surcharges }: VendureOrder,
  money: (units: number) => Amount,
): readonly StoreOrderLine[] {
  const goods = [
    ...lines.map((line) => ({
      id: line.id,
      productId: line.productVariant.product.id,
      title: line.productVariant.name,
      kept: line.quantity,
      price: line.proratedLinePrice,
      priceWithTax: line.proratedLinePriceWithTax,
    })),
    // A line without a product.
    ...surcharges
      .filter(({ priceWithTax }) => priceWithTax > 0)
      .map(({ id, description, price, priceWithTax }) => ({
        ...{ id: `surcharge-${id}`, productId: undefined, title: description, kept: 1 },
        ...{ price, priceWithTax },
      })),
  ];
  return goods.map(({ price, priceWithTax, ...line }) => ({
    ...{ ...line, vendor: undefined, giftCard: false },
    paid: money(priceWithTax),
    tax: money(priceWithTax - price),
  }));
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
    paid: addUp(discounts, ({ priceWithTax }) => priceWithTax),
    tax: addUp(discounts, ({ priceWithTax, price }) => priceWithTax - price),
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

/** Of payments from which none will come. */
const NO_MONEY: ReadonlySet<string> = new Set(['Cancelled', 'Declined', 'Error']);

function paymentStatusOf(
  order: PlacedOrder,
  paid: Amount,
  money: (units: number) => Amount,
): string {
  const states = order.payments.map((payment) => payment.state);
  if (paid === ZERO && !states.includes('Settled')) {
    if (order.state === 'Cancelled') return 'voided';
    if (states.includes('Authorized')) return 'authorized';
    return states.length > 0 && states.every((one) => NO_MONEY.has(one)) ? 'voided' : 'pending';
  }
  const refunds = refundsOf(order);
  if (refunds.length > 0) {
    const back = refunds.filter((one) => one.state !== 'Pending').map(({ total }) => money(total));
    return subtract(paid, sum(back)) === ZERO ? 'refunded' : 'partially_refunded';
  }
  const owed = subtract(money(order.totalWithTax), paid);
  return atLeastZero(owed) === ZERO ? 'paid' : 'partially_paid';
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
