import {
  type CancelStep,
  fromThousandths,
  type SentAmounts,
  type SentOrder,
  toThousandths,
} from '../ledger/ledger.ts';
import { type OrderForm, restKey, type WantedOrder } from '../mapping/wanted-state.ts';

/** What the ledger knows of the order, as far as the next call depends on it. */
export interface OrderFacts {
  /** Something was sent, or may have been. */
  readonly known: boolean;
  /** Undefined when it was not sent as completed, as far as is known. */
  readonly amounts: SentAmounts | undefined;
  /** What the service holds besides the amounts is not known: it is sent again. */
  readonly unsure: boolean;
  /** The amounts were read from the service, which shows this. More may have been taken than they say. */
  readonly adopted?: ReadTotals | undefined;
}

/** What the `OrderTotal` of a read order is. */
export type ReadTotals = 'as-sent' | 'less-partial-cancels';

export interface RefundSettings {
  readonly refunds: 'partial-cancel' | 'resend';
  readonly raiseAfterPartialCancel: 'park' | 'send-gross';
  readonly ordersAreReplaced: boolean;
}

/** Why a person must decide. */
export type ParkReason = 'raise-after-partial-cancel' | 'unexplained' | 'orders-are-not-replaced';

export type NextCall =
  /** With the amounts that the ledger holds from then on; undefined for a pending order. */
  | { readonly kind: 'send'; readonly order: OrderForm; readonly amounts?: SentAmounts }
  | { readonly kind: 'take'; readonly amounts: SentAmounts; readonly step: CancelStep }
  | { readonly kind: 'cancel'; readonly wanted: Extract<WantedOrder, { kind: 'cancelled-order' }> }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'park'; readonly why: ParkReason };

/**
 * The next call that brings the service closer to the wanted order. After each successful call it is
 * asked again, with the facts as they are then, until it answers `nothing`.
 *
 *   due = sent − taken − total of the snapshot
 *
 * A lower amount is taken by partial cancels and never by a lower total: the service could count both. Each refund of
 * the store has a partial cancel of its own, whose key names the sum that is taken with it, the oldest first: at any
 * moment the service holds an amount that the order had. So a ledger that knows too little makes the same calls again,
 * and their keys are used. Of an order that was read, the newest comes first: where its key is used, all were taken.
 * The newest also comes first where it is not known which refund counted first: the oldest would be taken twice if its
 * amount was never that of the order.
 * See docs/decisions/0014-each-refund-is-a-partial-cancel-with-its-own-key.md and 0005-a-lost-ledger-takes-nothing-twice.md.
 */
export function nextCall(
  wanted: WantedOrder,
  facts: OrderFacts,
  settings: RefundSettings,
): NextCall {
  const { amounts } = facts;
  if (wanted.kind === 'cancelled-order') {
    const order = amounts ? withSent(wanted, amounts.sent) : wanted.order;
    return { kind: 'cancel', wanted: { ...wanted, order } };
  }
  if (!wanted.order.IsCompleted) return send(facts, settings, wanted.order);
  // Finished first and unchanged: its key may be used already.
  if (amounts?.step) return { kind: 'take', amounts, step: amounts.step };
  if (!amounts) return send(facts, settings, wanted.order, firstAmounts(wanted.order));
  return correct(wanted, facts, amounts, settings);
}

function correct(
  wanted: WantedOrder,
  facts: OrderFacts,
  { sent, taken }: SentAmounts,
  settings: RefundSettings,
): NextCall {
  const now = sentOf(wanted.order);
  const due = sent.total - taken - now.total;
  const earlier = wanted.earlier.map(countedIn);
  if (!isExplained(wanted, facts, due, [now, ...earlier])) return park('unexplained');
  const differs = facts.unsure || sent.rest !== now.rest;
  // An order that something was taken from stays with partial cancels, also if the setting changed.
  if (taken === 0 && (due <= 0 || settings.refunds === 'resend')) {
    const same = !differs && due === 0 && hasSameProducts(sent, now);
    if (same) return { kind: 'nothing' };
    return send(facts, settings, wanted.order, { sent: now, taken });
  }
  if (due < 0) {
    if (settings.raiseAfterPartialCancel === 'park') return park('raise-after-partial-cancel');
    const raised = { ...now, total: now.total + taken, products: addTaken(sent, now) };
    return send(facts, settings, withSent(wanted, raised), { sent: raised, taken });
  }
  const again = { sent: { ...sent, rest: now.rest }, taken } as SentAmounts;
  // Before anything is taken: the service may not hold the order yet.
  if (facts.unsure) return send(facts, settings, withSent(wanted, sent), again);
  if (due > 0) {
    const upTo = taken + due;
    const sums = earlier.map(({ total }) => sent.total - total);
    const below = sums.filter((sum) => sum > taken && sum < upTo).toSorted((one, two) => two - one);
    const [oldest] = below.slice(-1);
    if (oldest === undefined) {
      const step = { key: keyOf(wanted, upTo), value: due, products: parts(sent, now, due) };
      return { kind: 'take', amounts: { sent, taken }, step };
    }
    const isUncertain = facts.adopted !== undefined || wanted.refundsAreTied === true;
    const step = isUncertain
      ? stepOf(wanted, taken, { upTo, below: [upTo, ...new Set(below)] })
      : { key: keyOf(wanted, oldest), value: oldest - taken, products: [] };
    return { kind: 'take', amounts: { sent, taken }, step };
  }
  return differs ? send(facts, settings, withSent(wanted, sent), again) : { kind: 'nothing' };
}

/**
 * False: what was read is no basis for a call. Nothing can have been taken from an order without refunds. Where the
 * service shows what was sent, the order must have counted that once: then all that was taken are refunds since. Where
 * it shows what is left, how much was taken is not known, which a raise would need.
 */
function isExplained(
  { isRefunded, sold }: WantedOrder,
  { adopted, amounts }: OrderFacts,
  due: number,
  states: readonly Counted[],
): boolean {
  const sent = amounts?.sent;
  if (!adopted || !sent) return true;
  if (!isRefunded) return due === 0 || (due < 0 && holdsAll(states[0], sent));
  if (adopted === 'less-partial-cancels') return due >= 0;
  const named = new Set(sold.map(({ OriginalId }) => OriginalId));
  return states.some((one) => one.total === sent.total && isSameGoods(sent, one, named));
}

/** The store does not name products any more that were deleted since: of these only the prices are compared. */
function isSameGoods(
  sent: Counted,
  state: Counted,
  named: ReadonlySet<string | undefined>,
): boolean {
  if (sent.products.length === 0) return true;
  const isIn = (products: Counted['products'], [id, price]: Counted['products'][number]) =>
    products.some((one) => one[0] === id && one[1] === price);
  const gone = sent.products.filter((one) => !isIn(state.products, one));
  const others = state.products.filter((one) => !isIn(sent.products, one));
  return gone.every(([id]) => !named.has(id)) && pricesOf(gone) === pricesOf(others);
}

function pricesOf(products: Counted['products']): string {
  const prices = products.map(([, price]) => price).filter((price) => price > 0);
  return String(prices.sort((one, other) => one - other));
}

/**
 * True: goods were added, and nothing else changed. Other rules would count every product otherwise. Where it is not
 * known which were sent, as of another integration's order, it cannot be said.
 */
function holdsAll(now: Counted | undefined, { products }: Counted): boolean {
  const prices = new Map(now?.products.map(([id, price]) => [id, price]));
  return products.length > 0 && products.every(([id, price]) => prices.get(id) === price);
}

type Id = Pick<WantedOrder, 'id'>;

const keyOf = ({ id }: Id, sum: number): string => `${id}-${sum}`;

/** The step for the first of `below`. */
function stepOf(
  order: Id,
  taken: number,
  { upTo, below }: NonNullable<CancelStep['rest']>,
): CancelStep {
  const [sum = upTo, ...rest] = below;
  const value = sum - (rest[0] ?? taken);
  return { key: keyOf(order, sum), value, products: [], rest: { upTo, below: rest } };
}

/**
 * The amounts once the step is done. `found`: its key was used before this ledger asked, so all refunds until then
 * were taken.
 */
export function afterStep(
  order: Id,
  { sent, taken }: SentAmounts,
  step: CancelStep,
  found = false,
): SentAmounts {
  const { rest } = step;
  if (rest) {
    const isOver = found || rest.below.length === 0;
    return isOver ? { sent, taken: rest.upTo } : { sent, taken, step: stepOf(order, taken, rest) };
  }
  const values = new Map(step.products);
  const products = sent.products.map(
    ([id, price, part]) => [id, price, part + (values.get(id) ?? 0)] as const,
  );
  return { sent: { ...sent, products }, taken: taken + step.value };
}

function send(
  { known, unsure }: OrderFacts,
  { ordersAreReplaced }: RefundSettings,
  order: OrderForm,
  amounts?: SentAmounts,
): NextCall {
  if (known && !unsure && !ordersAreReplaced) return park('orders-are-not-replaced');
  return { kind: 'send', order, ...(amounts && { amounts }) };
}

function park(why: ParkReason): NextCall {
  return { kind: 'park', why };
}

/** Far more than an order has; the ledger item stays far below DynamoDB's 400 KB. */
const MOST_PRODUCTS = 3_000;

const firstAmounts = (order: OrderForm): SentAmounts => ({ sent: sentOf(order), taken: 0 });

export function sentOf(order: OrderForm): SentOrder {
  const completedAt = order.OrderCompletedDate ?? '';
  return { ...countedIn(order), completedAt, rest: restKey(order) };
}

type Counted = Pick<SentOrder, 'total' | 'products'>;

/** Of a form that was sent, or that the service holds. */
export function countedIn({ OrderTotal, Products }: HeldForm): Counted {
  const products = Products ?? [];
  return {
    total: toThousandths(OrderTotal),
    products: (products.length > MOST_PRODUCTS ? [] : products).map(
      ({ OriginalId, ProductPrice }) => [OriginalId ?? '', toThousandths(ProductPrice), 0] as const,
    ),
  };
}

interface HeldForm {
  readonly OrderTotal?: number;
  readonly Products?:
    | readonly { readonly OriginalId?: string; readonly ProductPrice?: number | null }[]
    | null;
}

/** The order with the amounts that were sent, so that nothing is lowered by sending it again. */
function withSent({ order, sold }: WantedOrder, sent: SentOrder): OrderForm {
  const OrderTotal = fromThousandths(sent.total);
  if (sent.products.length === 0) return { ...order, OrderTotal };
  return {
    ...order,
    OrderTotal,
    Products: sent.products.map(([id, price]) => ({
      ...(sold.find(({ OriginalId }) => OriginalId === id) ?? { OriginalId: id, Title: id }),
      ProductPrice: fromThousandths(price),
    })),
  };
}

function hasSameProducts(one: Counted, other: Counted): boolean {
  const text = ({ products }: Counted) => JSON.stringify(products.toSorted());
  return one.products.length === 0 || text(one) === text(other);
}

/** What is left now and what was taken: together the price before anything was taken. */
function addTaken(sent: SentOrder, now: SentOrder): SentOrder['products'] {
  const taken = new Map(sent.products.map(([id, , part]) => [id, part]));
  const kept = now.products.map(([id, price]) => {
    const part = taken.get(id) ?? 0;
    taken.delete(id);
    return [id, price + part, part] as const;
  });
  const gone = [...taken].filter(([, part]) => part > 0);
  return [...kept, ...gone.map(([id, part]) => [id, part, part] as const)];
}

/** Only where each product lost something or nothing, and all of it adds up: else it is not stated. */
function parts(sent: SentOrder, now: SentOrder, due: number): CancelStep['products'] {
  const left = new Map(now.products.map(([id, price]) => [id, price]));
  const lost = sent.products.map(([id, price, part]) => {
    const value = price - part - (left.get(id) ?? 0);
    left.delete(id);
    return [id, value] as const;
  });
  const sum = lost.reduce((total, [, value]) => total + value, 0);
  const isKnown = left.size === 0 && sum === due && lost.every(([, value]) => value >= 0);
  return isKnown ? lost.filter(([, value]) => value > 0) : [];
}
