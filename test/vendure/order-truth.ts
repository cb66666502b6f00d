import type { VendureEngine } from '../../local/vendure-engine/engine.ts';

/** A placed order in cents, computed from the rows of its parts. No total that the engine has computed is used. */
export interface OrderTruth {
  readonly id: number;
  readonly state: string;
  readonly customerId: number;
  readonly currencyCode: string;
  /** What was paid for the goods that are kept, without taxes. */
  readonly counts: number;
  readonly isShipped: boolean;
  /** All that was paid has gone back. */
  readonly isRefunded: boolean;
  /** Paid, or authorized: not voided. */
  readonly isPayable: boolean;
  /** What the engine's own totals say otherwise. */
  readonly doubts: readonly string[];
}

/** Of one tax rate, in the prices of its channel: with taxes or without. */
interface Priced {
  readonly orderId: number;
  readonly listPrice: number;
  readonly listPriceIncludesTax: number;
  readonly taxLines: string;
}

interface Line extends Priced {
  readonly id: number;
  readonly quantity: number;
  readonly orderPlacedQuantity: number;
  readonly adjustments: string;
  readonly sent: number;
}

/** What one request of the merchant gave back, over all payments that bear it. */
interface Refund {
  readonly id: number;
  readonly orderId: number;
  readonly paymentId: number;
  readonly state: string;
  readonly items: number;
  readonly shipping: number;
  readonly adjustment: number;
  readonly total: number;
}

interface NamedPieces {
  readonly refundId: number;
  readonly orderLineId: number;
  readonly quantity: number;
}

interface Payment {
  readonly orderId: number;
  readonly amount: number;
  readonly state: string;
}

interface OrderRow {
  readonly id: number;
  readonly state: string;
  readonly customerId: number;
  readonly currencyCode: string;
  readonly subTotal: number;
  readonly subTotalWithTax: number;
  readonly shippingWithTax: number;
  readonly wasShipped: number;
}

const ORDERS = `
  SELECT id, state, customerId, currencyCode, subTotal, subTotalWithTax, shippingWithTax,
    EXISTS (SELECT 1 FROM history_entry AS entry
     WHERE entry.orderId = o.id AND entry.type = 'ORDER_STATE_TRANSITION'
       AND json_extract(entry.data, '$.to') IN ('Shipped', 'Delivered')) AS wasShipped
  FROM "order" AS o
  WHERE orderPlacedAt IS NOT NULL`;

const LINES = `
  SELECT line.*,
    (SELECT coalesce(sum(reference.quantity), 0)
     FROM order_line_reference AS reference
     JOIN fulfillment ON fulfillment.id = reference.fulfillmentId
     WHERE reference.orderLineId = line.id AND fulfillment.state IN ('Shipped', 'Delivered')) AS sent
  FROM order_line AS line`;

const REFUNDS = `
  SELECT refund.*, payment.orderId
  FROM refund JOIN payment ON payment.id = refund.paymentId
  WHERE refund.state <> 'Failed' ORDER BY refund.id`;

export function readOrders(engine: VendureEngine): readonly OrderTruth[] {
  const lines = byOrder(engine.query<Line>(LINES));
  const surcharges = byOrder(engine.query<Priced>('SELECT * FROM surcharge'));
  const shippings = byOrder(
    engine.query<Priced & { adjustments: string }>('SELECT * FROM shipping_line'),
  );
  const payments = byOrder(engine.query<Payment>('SELECT * FROM payment'));
  const refunds = byOrder(engine.query<Refund>(REFUNDS));
  const named = Map.groupBy(
    engine.query<NamedPieces>('SELECT * FROM order_line_reference WHERE refundId IS NOT NULL'),
    ({ refundId }) => refundId,
  );
  return engine.query<OrderRow>(ORDERS).map((row) => {
    const { id, state, customerId, currencyCode } = row;
    const own = lines(id);
    const goods = own.map((line) => ({ ...line, ...costOf(line) }));
    const extras = surcharges(id).map((one) => taxed(one, one.listPrice));
    const shipping = sum(
      shippings(id).map((one) => taxed(one, one.listPrice + adjusted(one)).gross),
    );
    const settled = payments(id).filter((payment) => payment.state === 'Settled');
    const paid = sum(settled.map(({ amount }) => amount));
    // Pieces are back when the merchant says so; money alone, when it was paid out.
    const back = refunds(id)
      .filter((one) => one.state === 'Settled' || named.has(one.id))
      .map((one) => ({ ...one, pieces: named.get(one.id) ?? [] }));
    const money = { paid, shipping, refunds: joined(back) };
    return {
      ...{ id, state, customerId, currencyCode },
      counts: keptOf(goods, extras, money),
      isShipped: row.wasShipped === 1 || own.every(({ quantity, sent }) => sent >= quantity),
      isRefunded: paid > 0 && sum(back.map(({ total }) => total)) >= paid,
      isPayable: paid > 0 || payments(id).some((payment) => payment.state === 'Authorized'),
      doubts: doubtsOf(row, {
        net: sum([...goods, ...extras].map((one) => one.net)),
        gross: sum([...goods, ...extras].map((one) => one.gross)),
        shipping,
      }),
    };
  });
}

type Cost = { readonly net: number; readonly gross: number };
type Back = Pick<Refund, 'total' | 'shipping'> & { readonly pieces: readonly NamedPieces[] };

/**
 * A refund of pieces takes them from their own line, if its money is enough for them; one that is less lowers these
 * lines. All other money that went back is taken from everything that is left, in proportion. Pieces that were cancelled
 * are not there to be refunded. What is still owed counts as paid, and what came in too much pays for nothing.
 */
function keptOf(
  goods: readonly (Line & Cost)[],
  extras: readonly Cost[],
  { paid, shipping, refunds }: { paid: number; shipping: number; refunds: readonly Back[] },
): number {
  const gross = sum([...goods, ...extras].map((one) => one.gross));
  const back = sum(refunds.map(({ total }) => total));
  const shippingBack = Math.min(shipping, sum(refunds.map((one) => one.shipping)));
  const keptForGoods = Math.max(paid, gross + shipping) - back - (shipping - shippingBack);
  let owed = Math.max(Math.min(gross - keptForGoods, back - shippingBack, gross), 0);
  // A surcharge below zero is a discount on all the others.
  const all = [
    ...goods.map(({ id, quantity, orderPlacedQuantity, ...cost }) => ({
      ...cost,
      id,
      pieces: quantity,
      cancelled: Math.max(orderPlacedQuantity - quantity, 0),
    })),
    ...extras.map((cost) => ({ ...cost, id: 0, pieces: 0, cancelled: 0 })),
  ];
  const priced = all.filter((one) => one.gross > 0);
  const discounted = (side: keyof Cost) => {
    const dear = sum(priced.map((one) => one[side]));
    return dear === 0 ? 1 : sum(all.map((one) => one[side])) / dear;
  };
  const left = priced.map((one) => ({
    ...one,
    net: one.net * discounted('net'),
    gross: one.gross * discounted('gross'),
  }));
  for (const refund of refunds) {
    const taken = refund.pieces.flatMap(({ orderLineId, quantity }) => {
      const line = left.find(({ id }) => id === orderLineId);
      if (!line) return [];
      const before = Math.min(line.cancelled, quantity);
      line.cancelled -= before;
      const pieces = Math.min(quantity - before, line.pieces);
      const cost = line.pieces === 0 ? 0 : (line.gross * pieces) / line.pieces;
      return pieces === 0 ? [] : [{ line, pieces, cost }];
    });
    const cost = sum(taken.map((one) => one.cost));
    const money = Math.min(refund.total - refund.shipping, owed);
    const isEnough = Math.round(money) >= Math.round(cost);
    for (const { line, pieces, cost: own } of taken) {
      const less = cost === 0 ? 0 : (own / cost) * Math.min(money, cost);
      line.net -= line.gross === 0 ? 0 : (line.net * less) / line.gross;
      line.gross -= less;
      if (isEnough) line.pieces -= pieces;
      owed -= less;
    }
  }
  const kept = sum(left.map((line) => line.gross));
  const part = kept === 0 ? 0 : Math.min(Math.max(1 - owed / kept, 0), 1);
  return Math.round(sum(left.map((line) => line.net)) * part);
}

/** Both were rounded, the engine's in floating point: a cent may differ, and no more. */
function doubtsOf(
  row: OrderRow,
  { net, gross, shipping }: Readonly<Record<'net' | 'gross' | 'shipping', number>>,
) {
  const pairs = [
    ['without taxes', net, row.subTotal],
    ['with taxes', gross, row.subTotalWithTax],
    ['shipping', shipping, row.shippingWithTax],
  ] as const;
  return pairs.flatMap(([what, computed, said]) =>
    Math.abs(computed - said) > 1 ? [`${what} ${computed} cents, and the engine says ${said}`] : [],
  );
}

/** A discount was given for all pieces that were ordered: what is left of them has its part of it. */
function costOf(line: Line): Cost {
  const { listPrice, quantity, orderPlacedQuantity } = line;
  if (quantity === 0) return { net: 0, gross: 0 };
  const ordered = Math.max(orderPlacedQuantity, quantity);
  return taxed(line, (listPrice * ordered + adjusted(line)) * quantity, ordered);
}

function adjusted({ adjustments }: { readonly adjustments: string }): number {
  const all = JSON.parse(adjustments) as readonly { readonly amount: number }[];
  return sum(all.map(({ amount }) => amount));
}

/** `cents / parts` in the prices of its channel, and what it is on the other side of its taxes. */
function taxed({ listPriceIncludesTax, taxLines }: Priced, cents: number, parts = 1): Cost {
  const rates = JSON.parse(taxLines) as readonly { readonly taxRate: number }[];
  // In thousandths of a percent, so that all is in integers.
  const rate = sum(rates.map(({ taxRate }) => Math.round(taxRate * 1000)));
  const given = rounded(cents, parts);
  return listPriceIncludesTax === 1
    ? { net: rounded(cents * 100_000, parts * (100_000 + rate)), gross: given }
    : { net: given, gross: rounded(cents * (100_000 + rate), parts * 100_000) };
}

/** Half a cent goes up. */
const rounded = (cents: number, parts: number): number =>
  Math.floor((2 * cents + parts) / (2 * parts));

/**
 * A refund that one payment cannot bear is spread over several, with a row for each: all repeat what was asked for, and
 * only `total` is the row's own.
 */
function joined(
  refunds: readonly (Refund & { readonly pieces: readonly NamedPieces[] })[],
): readonly Back[] {
  const whole: { -readonly [Key in keyof Back]: Back[Key] }[] = [];
  let [owed, asked]: [number, Refund | undefined] = [0, undefined];
  for (const refund of refunds) {
    const { items, shipping, adjustment, total, pieces } = refund;
    const isRest =
      owed > 0 &&
      asked?.items === items &&
      asked.shipping === shipping &&
      asked.adjustment === adjustment &&
      asked.paymentId !== refund.paymentId;
    const last = whole.at(-1);
    if (isRest && last) last.total += total;
    else whole.push({ total, shipping, pieces });
    owed = (isRest ? owed : items + shipping + adjustment) - total;
    asked = refund;
  }
  return whole.map((one) => ({ ...one, shipping: Math.min(one.shipping, one.total) }));
}

function byOrder<Row extends { readonly orderId: number }>(rows: readonly Row[]) {
  const all = Map.groupBy(rows, ({ orderId }) => orderId);
  return (id: number): readonly Row[] => all.get(id) ?? [];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
