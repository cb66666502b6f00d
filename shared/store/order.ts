import type { Amount } from './money.ts';

/**
 * An order as it stands now, whatever told us of it. Every field must be stated by every source
 * (`undefined` is a statement too), so that two sources of one order cannot drift apart unnoticed.
 *
 * Amounts are in the shop's currency. Dates are ISO 8601 in UTC with milliseconds, because sources
 * write the same moment with different offsets and it must compare as equal.
 */
export interface StoreOrder {
  readonly id: string;
  /** What people call it: `#1001`. */
  readonly name: string | undefined;
  readonly placedAt: string;
  readonly updatedAt: string;
  readonly cancelledAt: string | undefined;
  readonly closedAt: string | undefined;
  /** The last fulfilment that succeeded. */
  readonly fulfilledAt: string | undefined;
  /** The last refund. */
  readonly refundedAt: string | undefined;
  readonly test: boolean;
  /** Where it was placed, in the store's own words: `web`, an app's id. */
  readonly source: string | undefined;
  /** Placed at a till. A draft order has a location and a staff member too, and is not. */
  readonly pointOfSale: boolean;
  readonly currency: string;
  /** `pending`, `authorized`, `partially_paid`, `paid`, `partially_refunded`, `refunded`, `voided`, … */
  readonly paymentStatus: string | undefined;
  /** `fulfilled`, `partial`, `restocked`, …; undefined: nothing fulfilled. */
  readonly fulfillmentStatus: string | undefined;
  /** Lines of which nothing is kept stay in the list. Tips are not lines. */
  readonly lines: readonly StoreOrderLine[];
  /** What is kept, after every discount, before shipping, duties, tips and taxes on top. */
  readonly subtotal: Amount;
  /** Everything the customer owes or paid for what is kept. */
  readonly total: Amount;
  /** The part of `total` that is shipping. */
  readonly shipping: {
    readonly price: Amount;
    /** Zero where prices include taxes: the price then holds it. */
    readonly taxOnTop: Amount;
  };
  /** Codes actually used, in the order in which the store lists them. */
  readonly couponCodes: readonly string[];
  readonly paymentGateways: readonly string[];
  /** Known only to sources that read the order's transactions. */
  readonly card: { readonly brand: string; readonly type: string | undefined } | undefined;
  /** Recorded on draft orders too: alone it proves no point of sale. */
  readonly location: NamedReference | undefined;
  readonly staff: NamedReference | undefined;
  readonly noteAttributes: readonly { readonly name: string; readonly value: string }[];
  /** Undefined: this source cannot see them. Empty: there are none. */
  readonly metafields: readonly StoreMetafield[] | undefined;
  /** Undefined for a guest, and after the customer was deleted. */
  readonly customer: StoreCustomer | undefined;
  /** What a guest left behind. */
  readonly contact: {
    readonly name: string | undefined;
    readonly email: string | undefined;
    readonly phone: string | undefined;
  };
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
}

export interface StoreCustomer {
  readonly id: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly createdAt: string | undefined;
}

/**
 * What a country asks of its buyers at checkout (a Brazilian tax id, for one) stands among an order's
 * metafields under this namespace. No real namespace can hold a colon.
 */
export const LOCALIZED_FIELDS = 'localized:fields';

interface StoreMetafield {
  readonly owner: 'order' | 'customer';
  readonly namespace: string;
  readonly key: string;
  readonly value: string;
}

/** Something of the store's by id, and by name where the source knows it. */
export interface NamedReference {
  readonly id: string;
  readonly name: string | undefined;
}
