import type { Amount } from './money.ts';
import type { CreditMix } from './store-credit.ts';

/**
 * An order as it is now, from any source. Every source must set every field (if only to `undefined`),
 * so that two sources of one order cannot differ unnoticed.
 *
 * Amounts are in the shop's currency. Dates are ISO 8601 in UTC with milliseconds, because sources
 * write the same time with different offsets and it must compare as equal.
 */
export interface StoreOrder {
  readonly id: string;
  /** As shown to people: `#1001`. */
  readonly name: string | undefined;
  readonly placedAt: string;
  readonly updatedAt: string;
  readonly cancelledAt: string | undefined;
  readonly closedAt: string | undefined;
  /** The time of the last successful fulfilment. */
  readonly fulfilledAt: string | undefined;
  readonly refundedAt: string | undefined;
  readonly test: boolean;
  /** Where it was placed, as the store writes it: `web`, an app's id. */
  readonly source: string | undefined;
  /** Placed at a point of sale. Not true of draft orders, which can have a location and staff, too. */
  readonly pointOfSale: boolean;
  readonly currency: string;
  /** The store lists it beside its own, and another program counts its currency. */
  readonly ofOtherCurrency?: true;
  /** `pending`, `authorized`, `partially_paid`, `paid`, `partially_refunded`, `refunded`, `voided`, `expired`, … */
  readonly paymentStatus: string | undefined;
  /** What is still to be paid. Undefined if this source does not say. */
  readonly outstanding: Amount | undefined;
  /** The time of the last payment that succeeded. Only known to sources that read the order's transactions. */
  readonly paidAt: string | undefined;
  /** A chargeback was lost or accepted. Undefined if this source does not say. */
  readonly lostDispute: boolean | undefined;
  /** `fulfilled`, `partial`, `restocked`, …; undefined means nothing fulfilled. */
  readonly fulfillmentStatus: string | undefined;
  /** Includes lines with nothing left. Tips are not lines. */
  readonly lines: readonly StoreOrderLine[];
  /** Prices include the taxes; otherwise taxes come on top. */
  readonly taxesIncluded: boolean;
  /** The kept lines after all discounts, before shipping, duties, tips and taxes on top. */
  readonly subtotal: Amount;
  /**
   * What was paid back beyond the value of what was taken back: refunds of an amount without lines. Never
   * shipping. Zero where nothing is kept. Not deducted from `subtotal` and `total`. Undefined if this source does
   * not say how much.
   */
  readonly refundedWithoutLines: Amount | undefined;
  /** Everything that the customer owes or paid, without what was removed or refunded. */
  readonly total: Amount;
  /** Price and tax: the part of `total` that is shipping. */
  readonly shipping: {
    readonly price: Amount;
    /** Zero if prices include taxes. */
    readonly taxOnTop: Amount;
    /** Not part of `total` any more; with its taxes. Zero where nothing is kept. */
    readonly refunded: Amount;
  };
  /** Codes that were used, in the order of the store's list. */
  readonly couponCodes: readonly string[];
  /** Gift cards and store credit last: what pays the rest says more. */
  readonly paymentGateways: readonly string[];
  /**
   * Paid with gift cards and store credit. Undefined if some of it was, and this source does not say how much.
   */
  readonly paidWithGiftCards: GiftCardPayment | undefined;
  /** Only known to sources that read the order's transactions. */
  readonly card: { readonly brand: string; readonly type: string | undefined } | undefined;
  /** Draft orders can have one, too: it does not prove a point of sale. */
  readonly location: NamedReference | undefined;
  readonly staff: NamedReference | undefined;
  readonly noteAttributes: readonly { readonly name: string; readonly value: string }[];
  /** Undefined if this source cannot read them, empty if there are none. */
  readonly metafields: readonly StoreMetafield[] | undefined;
  /** Undefined for a guest, and after the customer was deleted. */
  readonly customer: StoreCustomer | undefined;
  /** Something was taken out or paid back since it was placed, as far as this source says. */
  readonly changed: boolean;
  /**
   * Its figures after each change of goods and money, the oldest first and those of today last: from the store's own
   * books, never from today's snapshot. Undefined if they were not asked for. Of changes whose order is not known, it
   * has what the order may have been in either order.
   */
  readonly book?: readonly BookedFigures[];
}

/** What an order's amount is computed from. */
export type OrderFigures = Pick<
  StoreOrder,
  | 'currency'
  | 'taxesIncluded'
  | 'lines'
  | 'subtotal'
  | 'total'
  | 'shipping'
  | 'refundedWithoutLines'
  | 'paidWithGiftCards'
  | 'paymentStatus'
  | 'lostDispute'
>;

export interface BookedFigures extends OrderFigures {
  /** ISO 8601: since then. */
  readonly at: string;
  /** Within one moment, of which the order of changes is not known: the order may never have had these figures. */
  readonly isPassing?: boolean;
  /** Today's: `at` is not known, where they differ from those before. */
  readonly isUndated?: boolean;
}

export interface GiftCardPayment extends PartPayment {
  /** The same, each for itself. Undefined where no store credit paid. */
  readonly apart?: { readonly cards: PartPayment; readonly credit: StoreCreditPayment } | undefined;
}

interface PartPayment {
  /** Less what went back to them. */
  readonly net: Amount;
  /** What went back to them for shipping. */
  readonly returnedForShipping: Amount;
}

export interface StoreCreditPayment extends PartPayment {
  /** Before anything went back. */
  readonly paid: Amount;
  /** What `paid` was made of. Undefined if the account was not asked. */
  readonly mix: CreditMix | undefined;
}

export interface StoreOrderLine {
  readonly id: string;
  /** Undefined for a custom line, and after the product was deleted. */
  readonly productId: string | undefined;
  readonly title: string;
  readonly vendor: string | undefined;
  readonly giftCard: boolean;
  /** The quantity left after edits, returns and refunds. */
  readonly kept: number;
  /** What was paid for that quantity, after line and order discounts. */
  readonly paid: Amount;
  /** The taxes on that; part of `paid` if the order's prices include them. */
  readonly tax: Amount;
}

export interface StoreCustomer {
  readonly id: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly createdAt: string | undefined;
}

/**
 * The namespace, among an order's metafields, of fields that a country requires at checkout, such as a
 * Brazilian tax id. No real namespace can contain a colon.
 */
export const LOCALIZED_FIELDS = 'localized:fields';

interface StoreMetafield {
  readonly owner: 'order' | 'customer';
  readonly namespace: string;
  readonly key: string;
  readonly value: string;
}

/** An id in the store, with the name if the source knows it. */
export interface NamedReference {
  readonly id: string;
  readonly name: string | undefined;
}

/** A product as it is now. Dates and `undefined` as in `StoreOrder`. */
export interface StoreProduct {
  readonly id: string;
  readonly title: string;
  /** The last part of its address in the store. */
  readonly handle: string | undefined;
  readonly imageUrl: string | undefined;
  /** `active`, `draft`, `archived`, … */
  readonly status: string;
  readonly vendor: string | undefined;
  /** The store's taxonomy, root first; undefined when the product has no category there. */
  readonly category: StoreCategory | undefined;
  /** The merchant's own name for the kind of product. */
  readonly productType: string | undefined;
  /** The price of the cheapest variant that the source lists. */
  readonly price: Amount | undefined;
  readonly updatedAt: string;
}

export interface StoreCategory {
  /** The id of the leaf in the taxonomy: `sg-4-17-2-17`. */
  readonly id: string | undefined;
  /** At least one name. */
  readonly names: readonly string[];
}

/** One code of a discount. Dates and `undefined` as in `StoreOrder`. */
export interface StoreCoupon {
  readonly code: string;
  /** The id of the code itself: a discount has many codes. */
  readonly codeId: string;
  readonly discountId: string;
  readonly kind: CouponKind;
  /** 10 % is 10; a fixed amount is in the shop's currency; undefined for other kinds. */
  readonly value: Amount | undefined;
  /** `active`, `scheduled`, `expired`. */
  readonly status: string;
  readonly createdAt: string;
  readonly startsAt: string;
  /** Undefined if it never ends. */
  readonly endsAt: string | undefined;
  readonly updatedAt: string;
  readonly audience: CouponAudience;
  readonly timesUsed: number;
  /** Undefined if it is unlimited. */
  readonly useLimit: number | undefined;
  readonly oncePerCustomer: boolean;
  /** The connector created it as a reward code. */
  readonly madeByConnector: boolean;
  /** The store gives it to a share of all buyers, and does not say to whom. */
  readonly onlyForSome?: true;
}

export type CouponKind = 'percentage' | 'fixed-amount' | 'free-shipping' | 'buy-x-get-y' | 'app';

/** Who may use it. A segment is a rule, so its customers are not known here. */
type CouponAudience =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'segment' }
  | { readonly kind: 'customers'; readonly customers: readonly StoreCustomer[] };

/** A customer of the store as an entity of their own: the loyalty service calls them a member. */
export interface StoreMember extends StoreCustomer {
  /** ISO 8601 in UTC with milliseconds. */
  readonly updatedAt: string;
  /** The customer's own. Undefined if this source cannot read them, empty if there are none. */
  readonly metafields: StoreOrder['metafields'];
}

/**
 * What is wrong with a payload of the store, and where. Neither part ever contains a value of the
 * payload, because faults go into logs and dead letters, and payloads contain personal data.
 */
export interface ReadFault {
  /** `line_items[2].price`; `$` is the whole body. */
  readonly path: string;
  /** Completes the sentence that the path begins: `is missing`, `is not an amount`. */
  readonly problem: string;
}

export interface Unreadable {
  readonly kind: 'unreadable';
  /** Every fault, not just the first. */
  readonly faults: readonly ReadFault[];
}
