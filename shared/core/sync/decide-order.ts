import type { CompleteAssumptions } from '../../config/connector-settings.ts';
import {
  type CancelStep,
  fromThousandths,
  type ServiceOrder,
  toThousandths,
} from '../ledger/ledger.ts';
import {
  type OrderForm,
  type PastCount,
  restKey,
  type WantedOrder,
} from '../mapping/wanted-state.ts';
import type { HeldOrder } from './dependencies.ts';

export interface ServiceSide {
  /** Something was sent, or may have been. */
  readonly known: boolean;
  readonly record: ServiceOrder | undefined;
  /** What the service holds besides the amounts is not certain: it is told again. */
  readonly tellAgain: boolean;
  /** The record was read from the service, which does not say what was taken: at least what the record says. */
  readonly searches?: boolean | undefined;
}

export type RefundSettings = Pick<
  CompleteAssumptions,
  'refunds' | 'raiseAfterPartialCancel' | 'ordersAreReplaced'
>;

/** Why a person must decide; with the amounts that they need for it, in thousandths. */
export type PersonReason =
  | { readonly reason: 'raised'; readonly counts: number; readonly wanted: number }
  | { readonly reason: 'unexplained'; readonly held: number; readonly past: readonly PastCount[] }
  /** No answer came to a partial cancel, and whether its key was used by it or before is not known. */
  | { readonly reason: 'key-used'; readonly least: number; readonly most: number }
  /** The store's totals and its book count the order differently. */
  | { readonly reason: 'unbalanced'; readonly wanted: number; readonly booked: number }
  /** Whether another integration sent it, nobody knows. */
  | { readonly reason: 'unmatched' }
  /** It was sent before, and the merchant configured that the service takes no change of it. */
  | {
      readonly reason: 'not-replaced';
      readonly setting: 'ordersAreReplaced' | 'couponsAreReplaced';
    };

export type NextCall =
  /** With the record from then on. */
  | { readonly kind: 'send'; readonly order: OrderForm; readonly record: ServiceOrder }
  | { readonly kind: 'take'; readonly record: ServiceOrder; readonly step: CancelStep }
  | { readonly kind: 'cancel'; readonly wanted: Extract<WantedOrder, { kind: 'cancelled-order' }> }
  | { readonly kind: 'nothing' }
  /** Only the store's book says what is to be done. */
  | { readonly kind: 'ask-store' }
  | { readonly kind: 'person'; readonly why: PersonReason };

const person = (why: PersonReason) => ({ kind: 'person', why }) as const;

/**
 * The next call that brings the service closer to the wanted order. After each successful call it is asked again, with
 * the record as it is then, until it answers `nothing`.
 *
 *   due = told − taken − wanted
 *
 * A lower amount is taken by a partial cancel and never by a lower total: the service could count both. Its key names
 * the sum that is taken with it, so a ledger that knows too little makes the same keys again.
 * See docs/decisions/0014-what-is-taken-is-named-by-its-sum.md and 0005-a-lost-ledger-takes-nothing-twice.md.
 */
export function nextCall(
  wanted: WantedOrder,
  side: ServiceSide,
  settings: RefundSettings,
): NextCall {
  const { record } = side;
  if (wanted.kind === 'cancelled-order') {
    const order = record?.completedAt === undefined ? wanted.order : withTold(wanted, record);
    return { kind: 'cancel', wanted: { ...wanted, order } };
  }
  const mayReplace = settings.ordersAreReplaced || side.tellAgain || !side.known;
  const send = (told: ServiceOrder): NextCall =>
    mayReplace
      ? { kind: 'send', order: withTold(wanted, told), record: told }
      : person({ reason: 'not-replaced', setting: 'ordersAreReplaced' });
  const now = recordOf(wanted, record);
  if (record?.completedAt === undefined || record.ended) return send(now);
  const { step } = record;
  if (step) {
    // Finished first and unchanged: its key may be used already. What follows a search, only the book says.
    const lacksBook = step.searchedFrom !== undefined && !wanted.past;
    return lacksBook ? { kind: 'ask-store' } : { kind: 'take', record, step };
  }
  const counts = record.total - record.taken;
  const due = counts - now.total;
  const differs = side.tellAgain || record.rest !== now.rest;
  // An order that something was taken from stays with partial cancels, also if the setting changed.
  if (record.taken === 0 && (due <= 0 || settings.refunds === 'resend')) {
    const isSame = !differs && due === 0 && hasSameProducts(record, now);
    return isSame ? { kind: 'nothing' } : send(now);
  }
  if (due < 0) {
    if (settings.raiseAfterPartialCancel === 'park') {
      return person({ reason: 'raised', counts, wanted: now.total });
    }
    const total = now.total + record.taken;
    const raised = { ...now, total, taken: record.taken, products: addTaken(record, now) };
    return send(raised);
  }
  const again = { ...record, rest: now.rest };
  // Before anything is taken: the service may not hold the order yet.
  if (side.tellAgain) return send(again);
  if (due === 0) return differs ? send(again) : { kind: 'nothing' };
  const upTo = record.taken + due;
  if (side.searches) return { kind: 'take', record, step: searchFrom(upTo, wanted, record) };
  // What passed within one moment is taken at once: a ledger that is lost between two calls would leave a riddle.
  const lasting = wanted.past?.filter(({ isPassing }) => !isPassing);
  const below = sumsBelow(upTo, lasting, record);
  // One by one, the oldest first: a ledger that was restored unnoticed finds their keys used. Not if one of them may never
  // have been a sum.
  const sum = isTied(lasting) ? upTo : (below.at(-1) ?? upTo);
  const isWhole = sum === upTo && !wanted.isFine;
  const products = isWhole ? parts(record, now, due) : [];
  return { kind: 'take', record, step: { sum, value: sum - record.taken, products } };
}

/** The book has several amounts of one moment: not each of them was one of the order, and a sum may never have been one. */
const isTied = (past: WantedOrder['past'] = []): boolean =>
  past.some(({ at, counts }, index) => {
    const next = past[index + 1];
    return next?.at === at && next.counts !== counts;
  });

/** The sums that may have been taken before, by the store's book: above what is known and below this one. */
function sumsBelow(
  sum: number,
  past: WantedOrder['past'] = [],
  { total, taken, theirs = 0 }: ServiceOrder,
): readonly number[] {
  const sums = past.map(({ counts }) => total - theirs - counts);
  const below = sums.filter((one) => one > taken && one < sum);
  return [...new Set(below)].sort((one, other) => other - one);
}

/** By the book, it was certainly the sum of what was to be taken once. */
function isLasting(sum: number, { past = [] }: WantedOrder, record: ServiceOrder): boolean {
  const { total, theirs = 0 } = record;
  const moments = [...Map.groupBy(past, ({ at }) => at).values()];
  return moments.some((group) => group.every(({ counts }) => total - theirs - counts === sum));
}

/**
 * How much was taken before is not known, and the service does not say it: only that a key is used. So the newest sum
 * comes first. If its key is used, all was taken; if not, its own part is taken now, and the next lower sum is tried.
 */
function searchFrom(
  searchedFrom: number,
  wanted: WantedOrder,
  record: ServiceOrder,
  sum = searchedFrom,
): CancelStep {
  const [next = record.taken] = sumsBelow(sum, wanted.past, record);
  return { sum, value: sum - next, products: [], searchedFrom };
}

/**
 * The record once the step is done. `found`: its key was used before; `repeated`: perhaps by this step itself, of which
 * no answer came. Or why a person must decide.
 */
export function afterStep(
  wanted: WantedOrder,
  { step: _, ...record }: ServiceOrder,
  step: CancelStep,
  { found = false, repeated = false } = {},
): ServiceOrder | PersonReason {
  const { searchedFrom, sum, value } = step;
  if (searchedFrom === undefined) {
    const values = new Map(step.products);
    const products = record.products.map(
      ([id, price, part]) => [id, price, part + (values.get(id) ?? 0)] as const,
    );
    return { ...record, products, taken: record.taken + value };
  }
  // Not by today's book: the step took what was above this one when it was begun.
  const lower = sum - value;
  if ((found && !repeated) || lower <= record.taken) return { ...record, taken: searchedFrom };
  // If its own key was used before, all of it was taken. But then the next key is used as well, if it ever was a sum.
  if (found && !isLasting(lower, wanted, record)) {
    const least = record.taken + searchedFrom - lower;
    return { reason: 'key-used', least, most: searchedFrom };
  }
  return { ...record, step: searchFrom(searchedFrom, wanted, record, lower) };
}

/** An order as the service holds it: nothing of it is certain to be stated. */
type HeldForm = Partial<HeldOrder>;

interface Reading {
  readonly held: HeldForm;
  /** Its id there, if that is not the store's. */
  readonly id?: string | undefined;
  readonly readTotals: CompleteAssumptions['readTotals'];
  /** The snapshot is one of many that a scan read. */
  readonly isScanned: boolean;
  /** Of an order that another integration sent: since when its changes are ours, in epoch milliseconds. */
  readonly oursSince?: number | undefined;
}

type Recognized =
  | { readonly kind: 'record'; readonly record: ServiceOrder; readonly searches: boolean }
  | Extract<NextCall, { kind: 'ask-store' | 'person' }>;

/**
 * The record of a completed order that was read from the service: what is there must be an amount that the order
 * counted once. Everything that this needs of its past is in the store's book.
 */
export function recognize(
  wanted: WantedOrder,
  record: ServiceOrder | undefined,
  reading: Reading,
): Recognized {
  const { held, id, readTotals, oursSince } = reading;
  const now = recordOf(wanted, record);
  const { total, products } = countedIn(held);
  const { Customer, Coupon } = wanted.order;
  // Not all of the rest can be read.
  const isSameRest =
    held.Customer?.OriginalId === Customer?.OriginalId &&
    held.Coupon?.toLowerCase() === Coupon?.toLowerCase();
  const read: ServiceOrder = {
    ...{ ...now, id: id ?? now.id, total, taken: record?.taken ?? 0 },
    // What it does not state of an order of nothing is taken for the same.
    products: held.Products || total > 0 ? products : now.products,
    rest: isSameRest ? now.rest : undefined,
  };
  const isTold = record !== undefined && total === record.total;
  const isTheirs = oursSince !== undefined;
  // Today's snapshot does not show that a payment was voided once, or goods added to another's order. But a scan that
  // repairs a lost ledger reads every order: the books of all would cost as much again.
  const isSame = !wanted.changed && !isTheirs && (isTold || total === now.total);
  if (isSame && reading.isScanned) {
    return { kind: 'record', record: isTold ? record : read, searches: false };
  }
  const { past } = wanted;
  if (!past) return { kind: 'ask-store' };
  const booked = past.at(-1)?.counts ?? 0;
  const ours = toThousandths(wanted.order.OrderTotal);
  if (booked !== ours) return person({ reason: 'unbalanced', wanted: ours, booked });
  const unexplained = person({ reason: 'unexplained', held: total, past });
  if (isTheirs) {
    const theirs = theirsIn(held) ?? theirPart(total, past, oursSince);
    if (theirs === undefined) return unexplained;
    // How they name products and people is no reason to send the order again.
    const adopted = { ...read, theirs, products: [], rest: now.rest };
    return { kind: 'record', record: adopted, searches: true };
  }
  const { theirs = 0, step } = record ?? {};
  const completed = past.slice(firstAt(past, Date.parse(held.OrderCompletedDate ?? '')));
  const counted = total - theirs;
  const told = completed.findIndex(({ counts }) => counts === counted);
  const since = completed.slice(told + 1);
  // More may have been taken than is due, and no partial cancel would tell it.
  if (since.some(({ counts }) => counts < ours && counts !== counted)) return unexplained;
  if (readTotals === 'as-sent') {
    // What was begun is finished first: a search that began anew would find its own key.
    const begun = { ...read, ...(isTold && step && { step }) };
    return isTold || told >= 0 ? { kind: 'record', record: begun, searches: true } : unexplained;
  }
  if (risesAfterAFall(past) || (told < 0 && total !== (record && record.total - record.taken))) {
    return unexplained;
  }
  // A sum above all that was ever sent: the keys that it makes were never used.
  const most = Math.max(total, record?.total ?? 0, ...past.map(({ counts }) => counts + theirs));
  const lowered = { ...read, total: most, taken: most - total };
  return { kind: 'record', record: lowered, searches: false };
}

/** The first of the amounts that it may have had then. One from before it was completed was never sent as such. */
function firstAt(past: readonly PastCount[], moment: number): number {
  const since = past.findLast(({ at }) => at <= moment)?.at;
  return since === undefined ? 0 : past.findIndex(({ at }) => at === since);
}

/**
 * What another integration counted more than we do, or less, when its orders became ours. Of a change in that very
 * moment, it is not known whose it was: what it counted may tell. So it is with an order that was placed later and has
 * changed since, and with what is in no book: a lost dispute, an expired payment.
 */
function theirPart(total: number, past: readonly PastCount[], since: number): number | undefined {
  const booked = past.filter(({ isUndated }) => !isUndated);
  const today = past.filter((one) => one.isUndated && one.counts !== booked.at(-1)?.counts);
  const until = booked.filter(({ at }) => at <= since);
  const [last, before] = [until.at(-1), until.findLast(({ at }) => at < since)];
  const candidates = [...(last ? [last, ...(before ? [before] : [])] : booked), ...today];
  const isSteady = new Set(past.map(({ counts }) => counts)).size === 1;
  if (Number.isNaN(since) && !isSteady) return undefined;
  // What it counted only since may have been sent by us, before the ledger was lost.
  const isOpen = today.length > 0 || booked.some((one) => one.at > since && one.counts === total);
  const certain = isOpen ? undefined : (last ?? (isSteady ? past[0] : undefined));
  const base = candidates.find(({ counts }) => counts === total) ?? certain;
  // It counted as we do, and was switched off before it saw the goods that were added.
  const isBehind = base && total < base.counts && until.some(({ counts }) => counts === total);
  return isBehind ? 0 : base && total - base.counts;
}

/** Then it may have been sent with more than it ever counted, and any sum have been taken. */
function risesAfterAFall(past: readonly PastCount[]): boolean {
  const counts = past.map((one) => one.counts);
  const fall = counts.findIndex((one, index) => one < (counts[index - 1] ?? one));
  return fall >= 0 && counts.slice(fall).some((one, index, rest) => one > (rest[index - 1] ?? one));
}

/**
 * In the `Metadatas` of an order that another integration sent and we have sent since: without it, a lost ledger would
 * take our own rise for a part of theirs.
 */
const TAKEN_OVER = 'taken_over';

function theirsIn({ Metadatas }: HeldForm): number | undefined {
  const mark = Metadatas?.find(({ Name }) => Name === TAKEN_OVER);
  return mark?.Value === undefined ? undefined : toThousandths(Number(mark.Value));
}

/** Far more than an order has; the ledger item stays far below DynamoDB's 400 KB. */
const MOST_PRODUCTS = 3_000;

/** What the service holds once the wanted order is sent as it is. */
function recordOf({ order }: WantedOrder, before: ServiceOrder | undefined): ServiceOrder {
  const { id, theirs } = before ?? {};
  const { total, products } = countedIn(order);
  const completedAt = order.OrderCompletedDate ?? undefined;
  const isCompleted = completedAt !== undefined;
  return {
    ...{ id, placedAt: order.OrderPlacementDate, completedAt },
    rest: isCompleted ? restKey(order) : undefined,
    total: Math.max(total + (theirs ?? 0), 0),
    products: isCompleted ? products : [],
    ...{ taken: 0, theirs },
  };
}

type Counted = Pick<ServiceOrder, 'total' | 'products'>;

/** Of a form that was sent, or that the service holds. */
function countedIn({ OrderTotal, Products }: Pick<HeldForm, 'OrderTotal' | 'Products'>): Counted {
  const products = Products ?? [];
  return {
    total: toThousandths(OrderTotal),
    products: (products.length > MOST_PRODUCTS ? [] : products).map(
      ({ OriginalId, ProductPrice }) => [OriginalId ?? '', toThousandths(ProductPrice), 0] as const,
    ),
  };
}

/** The order with these amounts, so that nothing is lowered by sending it again. */
function withTold({ order, sold }: WantedOrder, record: ServiceOrder): OrderForm {
  const { total, products, theirs } = record;
  const OrderTotal = fromThousandths(total);
  const mark = { Name: TAKEN_OVER, Value: String(fromThousandths(theirs ?? 0)) };
  const form = {
    ...{ ...order, OrderTotal },
    ...(theirs !== undefined && { Metadatas: [...(order.Metadatas ?? []), mark] }),
  };
  if (products.length === 0) return form;
  return {
    ...form,
    Products: products.map(([id, price]) => ({
      ...(sold.find(({ OriginalId }) => OriginalId === id) ?? { OriginalId: id, Title: id }),
      ProductPrice: fromThousandths(price),
    })),
  };
}

function hasSameProducts(held: ServiceOrder, other: Counted): boolean {
  const text = ({ products }: Counted) => JSON.stringify(products.toSorted());
  // Of an order of nothing, none is all that it held.
  const areUnknown = held.total > 0 || held.theirs !== undefined;
  return (held.products.length === 0 && areUnknown) || text(held) === text(other);
}

/** What is left now and what was taken: together the price before anything was taken. */
function addTaken(before: Counted, now: Counted): Counted['products'] {
  const taken = new Map(before.products.map(([id, , part]) => [id, part]));
  const kept = now.products.map(([id, price]) => {
    const part = taken.get(id) ?? 0;
    taken.delete(id);
    return [id, price + part, part] as const;
  });
  const gone = [...taken].filter(([, part]) => part > 0);
  return [...kept, ...gone.map(([id, part]) => [id, part, part] as const)];
}

/** Only where each product lost something or nothing, and all of it adds up: else it is not stated. */
function parts(before: Counted, now: Counted, due: number): CancelStep['products'] {
  const left = new Map(now.products.map(([id, price]) => [id, price]));
  const lost = before.products.map(([id, price, part]) => {
    const value = price - part - (left.get(id) ?? 0);
    left.delete(id);
    return [id, value] as const;
  });
  const sum = lost.reduce((total, [, value]) => total + value, 0);
  const isKnown = left.size === 0 && sum === due && lost.every(([, value]) => value >= 0);
  return isKnown ? lost.filter(([, value]) => value > 0) : [];
}

/** The order counts, or may. */
export function isHeldLive(held: HeldOrder | undefined): held is HeldOrder {
  return held !== undefined && held.IsCancelledOrReturned !== true;
}
