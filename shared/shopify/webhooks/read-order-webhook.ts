import { type Amount, subtract, sum, ZERO } from '../../store/money.ts';
import type { StoreOrder, StoreOrderLine, Unreadable } from '../../store/store-entities.ts';
import { entityId, idFromGid } from '../entity-id.ts';
import {
  currentShipping,
  currentSubtotal,
  currentTotal,
  type LineAmounts,
  lineAmounts,
  type OrderPayload,
  orderPayload,
  type RefundPayload,
  refundedShipping,
  refundedWithoutLines,
  shippingRefund,
  takenOutUnpaid,
} from './order-amounts.ts';
import { filled, readPayload, toCustomer } from './payload-fields.ts';

type ReadOrder = { readonly kind: 'read'; readonly order: StoreOrder } | Unreadable;

export function readOrderWebhook(value: unknown): ReadOrder {
  const result = readPayload(orderPayload, value);
  if (result.kind !== 'read') return result;
  const unpaid = takenOutUnpaid(result.value);
  const order = toOrder(result.value, unpaid);
  // Where nothing is kept, nothing counts, and the Admin API is not asked for refunds.
  const isKept = order.lines.some(({ kept }) => kept > 0);
  const before = isKept ? beforeRefunds(result.value, order, unpaid) : [];
  const refundsAreTied = isKept && bySecond(result.value.refunds, datesOf).some(isTied);
  return { kind: 'read', order: { ...order, beforeRefunds: before, refundsAreTied } };
}

function toOrder(
  payload: OrderPayload,
  unpaid: Amount | undefined,
): StoreOrder['beforeRefunds'][number] {
  const amounts = lineAmounts(payload);
  const lines = toLines(amounts);
  // Where nothing is kept, the Admin API is not asked for refunds.
  const isKept = lines.some(({ kept }) => kept > 0);
  return {
    id: entityId(payload, 'Order') ?? '',
    name: filled(payload.name),
    placedAt: payload.processed_at ?? payload.created_at ?? '',
    updatedAt: payload.updated_at,
    cancelledAt: payload.cancelled_at ?? undefined,
    closedAt: payload.closed_at ?? undefined,
    fulfilledAt: latest(
      payload.fulfillments
        .filter(({ status }) => status === 'success')
        .map(({ created_at }) => created_at),
    ),
    refundedAt: latest(payload.refunds.map((refund) => refund.processed_at ?? refund.created_at)),
    test: payload.test ?? false,
    source: filled(payload.source_name),
    pointOfSale: payload.source_name === 'pos',
    currency: payload.currency,
    paymentStatus: filled(payload.financial_status),
    outstanding: payload.total_outstanding ?? undefined,
    paidAt: undefined,
    lostDispute: undefined,
    fulfillmentStatus: filled(payload.fulfillment_status),
    lines,
    taxesIncluded: payload.taxes_included ?? false,
    subtotal: currentSubtotal(
      payload,
      lines.map((line) => line.paid),
    ),
    refundedWithoutLines: isKept ? refundedWithoutLines(payload, amounts, unpaid) : ZERO,
    total: currentTotal(payload, amounts),
    shipping: {
      ...currentShipping(payload),
      refunded: isKept ? refundedShipping(payload) : ZERO,
    },
    couponCodes: usedCodes(payload),
    paymentGateways: payload.payment_gateway_names
      .filter((name) => name !== '')
      .toSorted((one, other) => Number(isGiftCard(one)) - Number(isGiftCard(other))),
    // No webhook says how much.
    paidWithGiftCards: payload.payment_gateway_names.some(isGiftCard) ? undefined : NOTHING,
    card: cardOf(payload),
    location: reference(payload.location_id),
    staff: reference(payload.user_id ?? attributedStaff(payload)),
    noteAttributes: payload.note_attributes.map(({ name, value }) => ({
      name: name ?? '',
      value: value ?? '',
    })),
    metafields: undefined,
    customer: payload.customer ? toCustomer(payload.customer, payload) : undefined,
  };
}

export const STORE_CREDIT = 'shopify_store_credit';
/** What Shopify's own gift cards and store credit are called among the gateways. */
const GIFT_CARDS: ReadonlySet<string> = new Set(['gift_card', STORE_CREDIT]);

export function isGiftCard(gateway: string | null): boolean {
  return GIFT_CARDS.has(gateway ?? '');
}

const NOTHING = { net: ZERO, returnedForShipping: ZERO };

/** Without tips, which are listed as lines but are no products and not part of the subtotal. */
function toLines(amounts: readonly LineAmounts[]): StoreOrderLine[] {
  return amounts
    .filter(({ line }) => line.tip_payment_gateway === undefined)
    .map(({ line, kept, paid, tax }) => ({
      id: line.id,
      productId: line.product_id ?? undefined,
      title: filled(line.title) ?? filled(line.name) ?? '',
      vendor: filled(line.vendor),
      giftCard: line.gift_card ?? false,
      ...{ kept, paid, tax },
    }));
}

/**
 * `discount_codes` also lists manual discounts by their title, so it is read only where the payload is
 * too old to have applications.
 */
function usedCodes(payload: OrderPayload): string[] {
  const codes = payload.discount_applications
    ? payload.discount_applications
        .filter(({ type }) => type === 'discount_code')
        .map(({ code }) => code)
    : payload.discount_codes.map(({ code }) => code);
  return [...new Set(codes.map(filled).filter((code) => code !== undefined))];
}

function cardOf({ payment_details }: OrderPayload): StoreOrder['card'] {
  const brand = filled(payment_details?.credit_card_company);
  return brand === undefined ? undefined : { brand, type: undefined };
}

function attributedStaff({ line_items }: OrderPayload): string | undefined {
  return line_items
    .flatMap((line) => line.attributed_staffs)
    .map((staff) => idFromGid(staff.id, 'StaffMember'))
    .find((staffId) => staffId !== undefined);
}

function reference(id: string | null | undefined): StoreOrder['location'] {
  return id == null ? undefined : { id, name: undefined };
}

/** The dates have one form and offset, so the latest is the greatest text. */
export function latest(moments: readonly (string | null | undefined)[]): string | undefined {
  return moments
    .filter((moment) => moment != null)
    .sort()
    .at(-1);
}

type OneState = StoreOrder['beforeRefunds'][number];

/**
 * Lines that are read, for all states together: a hundred refunds of an order of 500 lines. What it counted before later
 * refunds is not known to a ledger that was lost.
 */
const MOST_LINES = 50_000;

/**
 * The order with its amounts before each refund, the oldest first. Refunds are only ever added, and an edit that
 * takes goods out is one without money. Goods that were returned and are not refunded yet count as the newest refund;
 * goods that an edit added, as if they had always been there.
 */
function beforeRefunds(
  payload: OrderPayload,
  now: OneState,
  unpaid: Amount | undefined,
): readonly OneState[] {
  const most = Math.max(1, Math.floor(MOST_LINES / Math.max(1, payload.line_items.length)));
  const pieces = ({ lines }: OneState) => lines.reduce((count, { kept }) => count + kept, 0);
  const states: OneState[] = [];
  for (const counted of countedRefunds(payload.refunds, datesOf)) {
    if (states.length === most) break;
    const then = toOrder(withRefunds(payload, counted), unpaid);
    // The state with all refunds is that of today, unless goods were returned since.
    const isNow = counted.length === payload.refunds.length && pieces(then) <= pieces(now);
    if (isNow) break;
    // No version states it.
    states.push({ ...then, total: sum([now.total, subtract(worthOf(then), worthOf(now))]) });
  }
  return states;
}

interface RefundDates {
  readonly made: string | null | undefined;
  /** Of money without goods. */
  readonly settled: readonly (string | null | undefined)[];
}

function datesOf(refund: RefundPayload): RefundDates {
  const { created_at, processed_at, refund_line_items: lines, transactions } = refund;
  const settled = transactions?.map((one) => one.processed_at) ?? [];
  return { made: processed_at ?? created_at, settled: lines.length > 0 ? [] : settled };
}

interface DatedRefund<Refund> {
  readonly refund: Refund;
  readonly at: number;
  /** It counts from later than it was made. */
  readonly isLate: boolean;
}

/** States of one second: of five refunds that all settled in it. Of more, only those in the order of the store's list. */
const MOST_OF_ONE_SECOND = 32;

/**
 * The refunds that counted at each time: none first, all last. The store's dates have no milliseconds: money that
 * settles in the second of another refund may count before it or after it, so both are listed.
 */
export function* countedRefunds<Refund>(
  refunds: readonly Refund[],
  dates: (refund: Refund) => RefundDates,
): Generator<readonly Refund[]> {
  let before: readonly Refund[] = [];
  for (const second of bySecond(refunds, dates)) {
    for (const counted of countedWithin(second)) {
      if (counted.length < second.length) yield [...before, ...counted];
    }
    before = [...before, ...second.map(({ refund }) => refund)];
  }
  yield before;
}

function* countedWithin<Refund>(
  second: readonly DatedRefund<Refund>[],
): Generator<readonly Refund[]> {
  const late = second.filter(({ isLate }) => isLate);
  const isBounded = (second.length - late.length + 1) * 2 ** late.length <= MOST_OF_ONE_SECOND;
  const anytime = isTied(second) && isBounded ? late : [];
  const inOrder = second.filter((one) => !anytime.includes(one)).map(({ refund }) => refund);
  const settled: (readonly Refund[])[] = [[]];
  for (const { refund } of anytime) settled.push(...settled.map((set) => [...set, refund]));
  for (let count = 0; count <= inOrder.length; count += 1) {
    for (const set of settled) yield [...inOrder.slice(0, count), ...set];
  }
}

/** Which of them counted first cannot be known. Refunds that were only made in one second are listed in their order. */
function isTied(second: readonly DatedRefund<unknown>[]): boolean {
  return second.length > 1 && second.some(({ isLate }) => isLate);
}

function bySecond<Refund>(
  refunds: readonly Refund[],
  dates: (refund: Refund) => RefundDates,
): readonly (readonly DatedRefund<Refund>[])[] {
  const dated = refunds.map((refund) => {
    const { made, settled } = dates(refund);
    const at = refundedAt(made, settled);
    return { refund, at, isLate: at > refundedAt(made, []) };
  });
  const inTime = dated.toSorted((one, other) => one.at - other.at);
  return [...Map.groupBy(inTime, ({ at }) => at).values()];
}

/** From when a refund counts. Money without goods does once it has settled (Shopify, "OrderTransaction"). */
function refundedAt(made: RefundDates['made'], settled: RefundDates['settled']): number {
  return [made, ...settled].reduce(
    (latest, one) => Math.max(latest, Date.parse(one ?? '') || 0),
    0,
  );
}

/** Without what the payload states of its current amounts: the readers count lines and refunds. */
function withRefunds(payload: OrderPayload, refunds: readonly RefundPayload[]): OrderPayload {
  const { current_shipping_price_set: shipping } = payload;
  const counted = new Set(refunds);
  const undone = payload.refunds.filter((refund) => !counted.has(refund));
  const back = undone.map((refund) => shippingRefund(refund).price);
  return {
    ...payload,
    refunds: [...refunds],
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
