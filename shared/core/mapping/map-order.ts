import type { MappingRules } from '../../config/mapping-settings.ts';
import { atLeastZero, minorDigits, subtract, sum, toJsonNumber, ZERO } from '../../store/money.ts';
import { type CreditMix, creditIn } from '../../store/store-credit.ts';
import type { NamedReference, StoreOrder, StoreOrderLine } from '../../store/store-entities.ts';
import type { MappingSkip } from '../events/outcome.ts';
import { isKnown } from '../ledger/entry.ts';
import { type EntityEntry, fromThousandths, toThousandths } from '../ledger/ledger.ts';
import { askMerchant, isIdentified, needsMetafields, orderCustomer } from './customer-form.ts';
import { byId, isUnpaid, lacksAmounts, type OrderAmounts, orderAmounts } from './order-amounts.ts';
import {
  type AmountRules,
  type Found,
  faultsIn,
  HISTORY_METADATA,
  type KnownBefore,
  knownFields,
  type Mapped,
  type MetadataForm,
  type OrderForm,
  type OrderProductForm,
  orderMemory,
  type ReferenceForm,
  type RememberedOrder,
  rulesRevision,
  type WantedOrder,
} from './wanted-state.ts';

export function mapOrder(snapshot: StoreOrder, rules: MappingRules, before: KnownBefore): Mapped {
  const remembered = orderMemory.read(before.remembered);
  const order = { ...snapshot, lostDispute: snapshot.lostDispute ?? remembered?.lostDispute };
  const skipped = skipReason(order, rules, before, remembered);
  if (skipped !== undefined) return { kind: 'skip', why: skipped };

  const foreign = otherCurrency(order, rules);
  if (foreign && !before.known && !isOver(order)) return { kind: 'fault', faults: [foreign] };
  const completedBefore = before.service?.completedAt;
  const hasEarned = completedBefore !== undefined;
  const customer = orderCustomer(order, rules, { customer: remembered?.customer, hasEarned });
  const metadata = orderMetadata(order, rules, before.history === true);
  if (customer.kind === 'fault' || metadata.kind === 'fault') {
    return { kind: 'fault', faults: faultsIn([customer, metadata]) };
  }
  const unidentified = !isOver(order) && !isIdentified(customer.value, rules);
  // The document may be among what only the store can say.
  if (!before.known && unidentified && !needsMetafields(order, rules)) {
    return { kind: 'skip', why: 'customer-without-email' };
  }

  const id = before.service?.id ?? order.id;
  const { branch, salesPerson } = pointOfSale(order, remembered);
  const progress = orderProgress(order, rules, completedBefore);
  const countedBy = amountRules(
    rules,
    before.byNewRules || !completedBefore ? undefined : remembered,
  );
  const credit = creditPaid(order, remembered);
  const counted = withCredit(order, credit);
  const amounts = orderAmounts(counted, countedBy);
  const { steps } = amounts;
  const form: OrderForm = knownFields({
    ...orderBasics(order, amounts, progress),
    ...{ OriginalId: id, Customer: customer.value, Metadatas: metadata.value },
    PaymentMethod: paymentMethod(order, remembered),
    ...{ Branch: branch, SalesPerson: salesPerson },
  });
  const remember = orderMemory.write({
    countedBy,
    steps: steps.length > 1 ? steps.map(({ kind, amount }) => [kind, amount] as const) : undefined,
    credit: countedBy.storeCredit === 'by-origin' ? credit : undefined,
    lostDispute: order.lostDispute || undefined,
    customer: customer.value,
    card: order.card ?? remembered?.card,
    ...{ branch, salesPerson },
  });
  const isLost = isUnpaid(order) || order.lostDispute === true;
  const goods = {
    sold: soldProducts(order),
    changed: order.changed || isLost,
    past: pastCounts(counted, countedBy),
    isFine: minorDigits(order.currency) > 2,
  };
  const wanted = wantedOrder(id, form, goods, progress);
  const lacks = lacksAmounts(order, countedBy) || lacksPayment(order, rules, completedBefore);
  const incomplete = progress.cancelledAt === undefined && lacks;
  return {
    kind: 'wanted',
    wanted,
    steps,
    remember,
    ...(incomplete && { incomplete }),
    // A cancellation is sent under any rules.
    ...(progress.cancelledAt === undefined && { rules: rulesRevision(rules) }),
    ...(before.history && { history: true }),
  };
}

/**
 * An order that was sent as completed is counted by the rules it was sent under, for the rest of its life.
 * See docs/decisions/0013-a-completed-order-stays-completed-under-its-own-rules.md.
 */
function amountRules(rules: MappingRules, sent: RememberedOrder | undefined): AmountRules {
  const { taxes, giftCards, storeCredit, lostDisputes } = sent?.countedBy ?? rules;
  return { taxes, giftCards, storeCredit, lostDisputes };
}

/**
 * What the payment with store credit was made of, as it was counted before, unless the account tells more now: a
 * customer may be deleted with their account. Undefined where none paid, or nobody asked.
 */
function creditPaid(
  { paidWithGiftCards }: StoreOrder,
  remembered: RememberedOrder | undefined,
): CreditMix | undefined {
  const { paid, mix } = paidWithGiftCards?.apart?.credit ?? {};
  const known = remembered?.credit;
  if (!known || paid === undefined || creditIn(known) !== paid) return mix;
  const isClearer = mix && subtract(mix.unknown, known.unknown).startsWith('-');
  return isClearer ? mix : known;
}

/** In all states that its book has. */
function withCredit(order: StoreOrder, mix: CreditMix | undefined): StoreOrder {
  const apply = <State extends Pick<StoreOrder, 'paidWithGiftCards'>>(state: State): State => {
    const { paidWithGiftCards: paid } = state;
    if (!paid?.apart || !mix) return state;
    const apart = { ...paid.apart, credit: { ...paid.apart.credit, mix } };
    return { ...state, paidWithGiftCards: { ...paid, apart } };
  };
  return { ...apply(order), ...(order.book && { book: order.book.map(apply) }) };
}

/**
 * A deleted order. The store deletes only cancelled or archived orders, and cannot be asked about them
 * any more. The order is cancelled in the loyalty service, which accepts a cancellation of an unknown
 * order.
 *
 * Its customer is neither sent nor remembered: they may have changed since, and a later redaction does not
 * name the order. Where the service needs them, it is asked.
 */
export function mapDeletedOrder(
  ownId: string,
  before: KnownBefore & { readonly now: Date },
): Mapped {
  const { service } = before;
  const id = service?.id ?? ownId;
  const cancelledAt = before.now.toISOString();
  const progress = { status: 'deleted', completedAt: undefined, cancelledAt };
  const form = knownFields({
    OrderPlacementDate: service?.placedAt,
    OrderTotal: service && fromThousandths(service.total - service.taken),
    OriginalId: id,
    OrderCancelledDate: cancelledAt,
    OrderStatus: progress.status,
    IsCancelledOrReturned: true,
    IsCompleted: false,
    OrderCompletedDate: null,
    UpdatedDate: cancelledAt,
  });
  return {
    kind: 'wanted',
    wanted: wantedOrder(id, form, NOTHING_SOLD, progress),
    remember: undefined,
    ...(before.history && { history: true }),
  };
}

/**
 * An order is skipped only while nothing was applied: what the service already holds is still corrected.
 * The end of an order that may have been sent is sent even so, because a worker may have died between
 * sending the order and recording that, and its customer may have been deleted since; the service
 * answers an unknown order as done. A guest's order is then known without a customer. If it continues after its end (an exchange),
 * there is still no customer to give points to.
 */
function skipReason(
  order: StoreOrder,
  rules: MappingRules,
  { known, history, askedFor }: KnownBefore,
  remembered: RememberedOrder | undefined,
): MappingSkip | undefined {
  if (!known && history && !askedFor) return 'before-go-live';
  if (!known && order.test && rules.testOrders === 'skip') return 'test-order';
  if (!known && order.ofOtherCurrency) return 'other-currency';
  if (isBetweenLines(order)) return 'exchange';
  const neverHadCustomer = !known || (remembered !== undefined && !remembered.customer);
  if (order.customer === undefined && !isOver(order) && neverHadCustomer) return 'guest';
  if (known || rules.pendingOrders === 'send' || !neverCompleted(order, rules)) return undefined;
  return isOver(order) ? 'never-sent' : 'pending';
}

/**
 * History is what was placed before go-live; after another integration, what was complete before it. What the service
 * holds decides first: an order that was sent live is not sent again for the mark, and one that was sent with it keeps it.
 * See docs/decisions/0017-only-a-backfill-sends-orders-from-before-go-live.md.
 */
export function isHistory(
  entry: EntityEntry | undefined,
  order: StoreOrder,
  rules: MappingRules,
): boolean {
  if (isKnown(entry)) return entry.history === true;
  const isBefore = (date = '') => Date.parse(date) < Date.parse(rules.goLive ?? '');
  if (!rules.takesOver || !isBefore(order.placedAt)) return isBefore(order.placedAt);
  const { completedAt } = orderProgress(order, rules, undefined);
  // What was shipped before may have been paid since, where the store was asked for that: then it is complete only since.
  const isPaidSince = order.paidAt !== undefined && !isBefore(order.paidAt);
  return isBefore(completedAt) && !isPaidSince && !lacksPayment(order, rules, undefined);
}

/** The service takes amounts without a currency: this one would count as the program's. */
function otherCurrency(
  { currency }: Pick<StoreOrder, 'currency'>,
  { currency: wanted = currency }: Pick<MappingRules, 'currency'>,
): string | undefined {
  if (wanted === currency || wanted === 'any') return undefined;
  return `rules.currency is ${wanted}, and the order is in ${currency}`;
}

/** Never with both flags: of the two, only the cancellation counts then. */
function orderBasics(order: StoreOrder, amounts: OrderAmounts, progress: OrderProgress): OrderForm {
  const isCancelled = progress.cancelledAt !== undefined;
  const completedAt = isCancelled ? undefined : progress.completedAt;
  return {
    OrderPlacementDate: order.placedAt,
    OrderCompletedDate: completedAt ?? null,
    OrderCancelledDate: progress.cancelledAt ?? null,
    OrderStatus: progress.status,
    IsCancelledOrReturned: isCancelled,
    IsCompleted: completedAt !== undefined,
    OrderTotal: toJsonNumber(amounts.total),
    Products: orderProducts(amounts),
    UpdatedDate: order.updatedAt,
    Coupon: order.couponCodes[0] ?? null,
  };
}

const NOTHING_SOLD = { sold: [], changed: false, isFine: false };

/** By the store's book. Its last figures are those of today, whatever was lost since. */
function pastCounts(order: StoreOrder, rules: AmountRules): WantedOrder['past'] {
  if (!order.book || order.book.some((figures) => lacksAmounts(figures, rules))) return undefined;
  return order.book.map((figures) => ({
    at: Date.parse(figures.at),
    counts: toThousandths(toJsonNumber(orderAmounts(figures, rules).total)),
    isPassing: figures.isPassing,
    isUndated: figures.isUndated,
  }));
}

function wantedOrder(
  id: string,
  order: OrderForm,
  goods: Pick<WantedOrder, 'sold' | 'changed' | 'past' | 'isFine'>,
  { cancelledAt, status }: OrderProgress,
): WantedOrder {
  if (cancelledAt === undefined) return { kind: 'order', id, order, ...goods };
  const cancellation = { OrderCancelledDate: cancelledAt, OrderStatus: status };
  return { kind: 'cancelled-order', id, cancellation, order, ...goods };
}

interface OrderProgress {
  /** One word: programs list the words that count as completed or cancelled. */
  readonly status: string;
  readonly completedAt: string | undefined;
  readonly cancelledAt: string | undefined;
}

/**
 * An order that was sent as completed stays completed, at its first date: an exchange adds a line that
 * is not fulfilled yet, and must not take the points of the whole order.
 * See docs/decisions/0013-a-completed-order-stays-completed-under-its-own-rules.md.
 */
export function orderProgress(
  order: StoreOrder,
  rules: Pick<MappingRules, 'completeWhen'>,
  completedBefore: string | undefined,
): OrderProgress {
  const completes = isCompleted(order, rules);
  return {
    status: statusOf(order),
    completedAt: completedBefore ?? (completes ? completionDate(order, rules) : undefined),
    cancelledAt: cancellationDate(order),
  };
}

/** Cancelled, or all of its money went back. Final: the loyalty service revives no cancelled order. */
export function isOver(order: StoreOrder): boolean {
  return order.cancelledAt !== undefined || isReturned(order);
}

/**
 * True when the snapshot completes the order for the first time and does not say when it was paid, or whether
 * all of it was. No webhook says when; one from soon after the order was placed leaves little to say.
 */
export function lacksPayment(
  order: StoreOrder,
  rules: Pick<MappingRules, 'completeWhen'>,
  completedBefore: string | undefined,
): boolean {
  if (rules.completeWhen !== 'paid' || completedBefore || !isCompleted(order, rules)) return false;
  if (order.paymentStatus !== 'paid' && order.outstanding === undefined) return true;
  const age = Date.parse(order.updatedAt) - Date.parse(order.placedAt);
  return order.paidAt === undefined && age > PAID_AT_ONCE_MS;
}

const PAID_AT_ONCE_MS = 3_600_000;

/** Nothing is kept, and all of the money is: the middle of an exchange. Its next event decides. */
export function isBetweenLines(order: StoreOrder): boolean {
  const nothingKept = order.lines.length > 0 && order.lines.every((line) => line.kept === 0);
  return nothingKept && order.paymentStatus === 'paid' && order.cancelledAt === undefined;
}

/**
 * An order that was never sent, if pending orders are not: it is not completed, or it ended and nothing
 * says that it ever was.
 */
export function neverCompleted(
  order: StoreOrder,
  rules: Pick<MappingRules, 'completeWhen'>,
): boolean {
  if (isCompleted(order, rules)) return false;
  if (!isOver(order)) return true;
  return rules.completeWhen === 'paid' ? !isReturned(order) : order.fulfilledAt === undefined;
}

function isReturned(order: StoreOrder): boolean {
  return order.paymentStatus === 'refunded';
}

function statusOf(order: StoreOrder): string {
  if (order.cancelledAt !== undefined) return 'cancelled';
  if (isReturned(order)) return 'returned';
  if (order.fulfillmentStatus === 'fulfilled') return 'fulfilled';
  if (order.fulfillmentStatus === 'partial') return 'partially_fulfilled';
  return order.paymentStatus ?? 'open';
}

function isCompleted(order: StoreOrder, rules: Pick<MappingRules, 'completeWhen'>): boolean {
  switch (rules.completeWhen) {
    case 'fulfilled':
      return order.fulfillmentStatus === 'fulfilled' && !isUnpaid(order);
    case 'paid':
      return (
        order.paymentStatus === 'paid' ||
        (order.paymentStatus === 'partially_refunded' && !isOwed(order))
      );
  }
}

/** A deposit of which a part was refunded is in part refunded, too. */
const isOwed = ({ outstanding = ZERO }: StoreOrder): boolean => atLeastZero(outstanding) !== ZERO;

/** The service accepts equal dates: its own sample client sends every sale so. */
function completionDate(order: StoreOrder, rules: Pick<MappingRules, 'completeWhen'>): string {
  const fulfilledAt = order.fulfilledAt ?? order.closedAt;
  const completedAt = rules.completeWhen === 'paid' ? order.paidAt : fulfilledAt;
  return notBefore(order.placedAt, completedAt ?? order.placedAt);
}

function cancellationDate(order: StoreOrder): string | undefined {
  if (order.cancelledAt !== undefined) return notBefore(order.placedAt, order.cancelledAt);
  if (!isReturned(order)) return undefined;
  return notBefore(order.placedAt, order.refundedAt ?? order.updatedAt);
}

/** Dates are all in one form and offset, so they compare as text. */
function notBefore(earliest: string, date: string): string {
  return date < earliest ? earliest : date;
}

/** Every product of the order with what was paid for it, also those of which nothing is kept. */
function soldProducts({ lines }: StoreOrder): OrderProductForm[] {
  const counting = lines.toSorted(byId).map((line) => ({ line, counts: line.paid }));
  return orderProducts({ lines: counting });
}

/** One entry per product, with what its kept lines count. */
function orderProducts({ lines }: Pick<OrderAmounts, 'lines'>): OrderProductForm[] {
  const groups = Map.groupBy(lines, ({ line }) => productIdOf(line));
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, group]) => {
      const first = group[0]?.line;
      return {
        OriginalId: id,
        Title: first?.title ?? '',
        // A product just bought is on offer; a line without a product is not.
        IsActive: first?.productId !== undefined,
        ProductPrice: toJsonNumber(sum(group.map(({ counts }) => counts))),
        ProductBrand: brandForm(first?.vendor),
      };
    });
}

/** The vendor's name is its own id: it is all the store has. */
export function brandForm(vendor: string | undefined): { OriginalId: string; Name: string } | null {
  return vendor === undefined ? null : { OriginalId: vendor, Name: vendor };
}

function productIdOf(line: StoreOrderLine): string {
  return line.productId ?? `line-${line.id}`;
}

/**
 * What has no field of its own, and the merchant's additions, which replace ours of the same name,
 * except the history mark. Sorted by name: the merchant's function may build its answer in any
 * order.
 */
function orderMetadata(
  order: StoreOrder,
  rules: MappingRules,
  history: boolean,
): Found<MetadataForm[]> {
  const ours = new Map<string, string>();
  if (order.name !== undefined) ours.set('order_name', order.name);
  if (order.source !== undefined) ours.set('source', order.source);
  ours.set('currency', order.currency);
  if (order.couponCodes.length > 1) ours.set('coupons', order.couponCodes.join(', '));
  if (order.paymentGateways.length > 1) {
    ours.set('payment_gateways', order.paymentGateways.join(', '));
  }

  const { metadata } = rules;
  if (metadata !== undefined) {
    const expected = 'an object of texts';
    const added = askMerchant('metadata', metadata, order, isTexts, expected);
    if (added.kind === 'fault') return added;
    for (const [name, value] of Object.entries(added.value)) ours.set(name, value);
  }
  // Last, so that the merchant's function cannot replace it: it keeps campaigns from firing.
  if (history) ours.set(HISTORY_METADATA.name, HISTORY_METADATA.value);
  const value = [...ours]
    .map(([Name, Value]) => ({ Name, Value }))
    .toSorted((one, other) => (one.Name < other.Name ? -1 : 1));
  return { kind: 'value', value };
}

function isTexts(answer: unknown): answer is Record<string, string> {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    !Array.isArray(answer) &&
    Object.values(answer).every((value) => typeof value === 'string')
  );
}

/**
 * How it was paid: by card brand and type where a source saw them, by gateway otherwise. A source that
 * does not see the card does not replace what another has seen.
 */
export function paymentMethod(
  order: StoreOrder,
  remembered: RememberedOrder | undefined,
): ReferenceForm | undefined {
  const card = order.card ?? remembered?.card;
  if (card !== undefined) {
    const name = [card.brand, card.type].filter((part) => part !== undefined).join(' ');
    return { OriginalId: slug(name), Name: name };
  }
  const [gateway] = order.paymentGateways;
  return gateway === undefined ? undefined : { OriginalId: gateway, Name: gateway };
}

/** Only for orders of a till: other orders may have a location and staff, too, but were not sold there. */
function pointOfSale(order: StoreOrder, remembered: RememberedOrder | undefined) {
  if (!order.pointOfSale) return {};
  return {
    branch: referenceForm(order.location, remembered?.branch),
    salesPerson: referenceForm(order.staff, remembered?.salesPerson),
  };
}

/** True when a setting needs a name or a card that neither this snapshot nor the ledger has. */
export function needsEnrichment(
  order: StoreOrder,
  { enrich }: Pick<MappingRules, 'enrich'>,
  remembered: RememberedOrder | undefined,
): boolean {
  const card = enrich.cardDetails && !order.card && !remembered?.card;
  if (card && order.paymentGateways.length > 0) return true;
  if (!order.pointOfSale) return false;
  const unnamed = (reference: NamedReference | undefined, earlier: ReferenceForm | undefined) =>
    reference !== undefined && !reference.name && earlier?.OriginalId !== reference.id;
  return (
    (enrich.locationNames === true && unnamed(order.location, remembered?.branch)) ||
    (enrich.staffNames === true && unnamed(order.staff, remembered?.salesPerson))
  );
}

/**
 * A webhook has the id only: a name known earlier stays, else the id is the name. Without its
 * access scope, the app does not see even the id: then what was known stays.
 */
function referenceForm(
  reference: NamedReference | undefined,
  earlier: ReferenceForm | undefined,
): ReferenceForm | undefined {
  if (reference === undefined) return earlier;
  const known = earlier?.OriginalId === reference.id ? earlier.Name : undefined;
  return { OriginalId: reference.id, Name: reference.name ?? known ?? reference.id };
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
