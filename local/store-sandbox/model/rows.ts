import type * as v from 'valibot';
import type { Tables } from '../../sandbox-kit/tables.ts';
import type {
  address,
  card,
  dispute,
  disputeChange,
  metafieldDefinition,
  metafieldDraft,
  rolloutDraft,
} from './inputs.ts';

/** An order as the store keeps it. Totals are computed from it, never stored. */
export interface OrderRow {
  readonly id: string;
  /** 1001, shown as `#1001`. */
  readonly number: number;
  /** ISO 8601 in UTC, whole seconds, like all times here. */
  readonly createdAt: string;
  readonly processedAt: string;
  readonly updatedAt: string;
  readonly cancelledAt: string | null;
  readonly closedAt: string | null;
  readonly test: boolean;
  /** `web`, `pos`, `shopify_draft_order`. */
  readonly sourceName: string;
  readonly currency: string;
  /** The customer's currency, and how many units of it equal one unit of the shop's. */
  readonly presentment: { readonly currency: string; readonly rate: number } | null;
  readonly taxesIncluded: boolean;
  readonly lines: readonly LineRow[];
  readonly shipping: readonly ShippingRow[];
  readonly dutiesMinor: number;
  readonly fees: readonly FeeRow[];
  readonly applications: readonly ApplicationRow[];
  readonly reductions: readonly ReductionRow[];
  readonly refunds: readonly RefundRow[];
  readonly returns: readonly ReturnRow[];
  readonly fulfillments: readonly FulfillmentRow[];
  readonly transactions: readonly TransactionRow[];
  /** In the order in which they were made. */
  readonly agreements: readonly AgreementRow[];
  readonly disputes: readonly DisputeRow[];
  readonly gateways: readonly string[];
  readonly customerId: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly billingAddress: AddressRow | null;
  readonly shippingAddress: AddressRow | null;
  readonly locationId: string | null;
  readonly staffId: string | null;
  readonly note: string | null;
  readonly noteAttributes: readonly { readonly name: string; readonly value: string }[];
  readonly localizedFields: readonly { readonly key: string; readonly value: string }[];
  readonly tags: readonly string[];
}

export interface LineRow {
  readonly id: string;
  readonly kind: 'product' | 'custom' | 'gift-card' | 'tip';
  readonly productId: string | null;
  readonly variantId: string | null;
  readonly title: string;
  readonly variantTitle: string | null;
  readonly vendor: string | null;
  readonly unitMinor: number;
  /** As sold, including additions by edits; removals are in the reductions. */
  readonly quantity: number;
  readonly taxes: readonly TaxRow[];
  readonly allocations: readonly AllocationRow[];
  /** The seller at a point of sale. */
  readonly staffId: string | null;
}

export interface TaxRow {
  readonly title: string;
  /** 20 % is 200 000. A whole number, so that no rate is rounded before it is used. */
  readonly ratePpm: number;
  readonly minor: number;
}

export interface AllocationRow {
  /** Index among the order's applications. */
  readonly application: number;
  readonly minor: number;
}

export interface ShippingRow {
  readonly id: string;
  readonly title: string;
  readonly priceMinor: number;
  readonly taxes: readonly TaxRow[];
  readonly allocations: readonly AllocationRow[];
  /** By an edit. */
  readonly isRemoved?: true;
}

/** Charged with the order (ADDITIONAL_FEE), or for a return (FEE). */
export interface FeeRow {
  readonly id: string;
  readonly lineType: 'ADDITIONAL_FEE' | 'FEE';
  readonly minor: number;
  readonly isTakenBack: boolean;
}

/** One entry in the store's book of the order; agreements.ts says what is known about it. */
export interface AgreementRow {
  readonly id: string;
  readonly happenedAt: string;
  readonly reason: 'ORDER' | 'ORDER_EDIT' | 'REFUND' | 'RETURN';
  readonly refundId: string | null;
  readonly sales: readonly SaleRow[];
}

/** All numbers are changes: negative where something is taken out. */
export interface SaleRow {
  readonly id: string;
  readonly lineType:
    | FeeRow['lineType']
    | 'PRODUCT'
    | 'GIFT_CARD'
    | 'TIP'
    | 'SHIPPING'
    | 'DUTY'
    | 'ADJUSTMENT';
  /** Of the line, the shipping line, the fee; of the order for duties, of the refund for an adjustment. */
  readonly ofId: string;
  readonly quantity: number | null;
  /** After taxes and discounts. */
  readonly minor: number;
  readonly discountMinor: number;
  /** In the order of the line's taxes. */
  readonly taxesMinor: readonly number[];
}

export interface ApplicationRow {
  readonly type: 'discount_code' | 'automatic' | 'manual';
  /** The code, or the title. */
  readonly name: string;
  readonly value:
    | { readonly kind: 'percentage'; readonly ppm: number }
    | { readonly kind: 'fixed_amount'; readonly minor: number };
  readonly target: 'line_item' | 'shipping_line';
  readonly method: 'across' | 'each';
}

/** Items of a line that the customer no longer has, and their value. */
export interface ReductionRow {
  readonly id: string;
  readonly lineId: string;
  readonly quantity: number;
  /** How many of them had been fulfilled. */
  readonly fulfilled: number;
  /** After discounts; without a tax on top. */
  readonly worthMinor: number;
  /** In the order of the line's taxes. */
  readonly taxesMinor: readonly number[];
  /** Undefined for a return without a refund yet. */
  readonly refundId?: string;
  readonly returnId?: string;
  readonly restock: 'no_restock' | 'cancel' | 'return';
}

export interface RefundRow {
  readonly id: string;
  readonly createdAt: string;
  readonly shipping: readonly {
    readonly id: string;
    readonly shippingId: string;
    readonly minor: number;
    readonly taxesMinor: readonly number[];
  }[];
  readonly dutiesMinor: number;
  readonly discrepancies: readonly DiscrepancyRow[];
  /** How much of its money went back beyond what the customer was owed. */
  readonly givenMinor: number;
  readonly transactionIds: readonly string[];
  readonly returnId: string | null;
}

/** What lines and money of a refund differ by. */
export interface DiscrepancyRow {
  readonly id: string;
  readonly minor: number;
  readonly reason: 'Refund discrepancy' | 'Pending refund discrepancy';
}

export interface ReturnRow {
  readonly id: string;
  /** For its fee and what the customer gets instead: deducted from its refund. */
  readonly chargesMinor: number;
}

export interface FulfillmentRow {
  readonly id: string;
  readonly createdAt: string;
  readonly lines: readonly { readonly lineId: string; readonly quantity: number }[];
}

export interface TransactionRow {
  readonly id: string;
  readonly kind: 'authorization' | 'capture' | 'sale' | 'refund' | 'void';
  readonly status: 'success' | 'pending' | 'failure';
  readonly gateway: string;
  /** In the shop's currency, like all amounts here. */
  readonly minor: number;
  readonly parentId: string | null;
  readonly createdAt: string;
  /** Null while it is pending. */
  readonly processedAt: string | null;
  /** An authorization that was not captured in time. */
  readonly hasExpired?: true;
  /** Undefined for cash and other payments without a card. */
  readonly card?: Readonly<v.InferOutput<typeof card>>;
}

/** Of Shopify Payments. No status or time of the order shows it. */
export interface DisputeRow {
  readonly id: string;
  /** An inquiry may become a chargeback. */
  readonly type: DisputeType;
  readonly status: DisputeStatus;
  readonly minor: number;
}

type DisputeType = v.InferOutput<typeof dispute>['type'];

export type DisputeStatus = NonNullable<v.InferOutput<typeof disputeChange>['status']>;

export type AddressRow = Readonly<v.InferOutput<typeof address>>;

export interface ProductRow {
  readonly id: string;
  readonly title: string;
  readonly handle: string;
  readonly description: string;
  readonly vendor: string;
  readonly productType: string;
  /** The id (`aa-1-13-8`) and path (`Apparel & Accessories > …`) in the taxonomy. */
  readonly category: { readonly id: string; readonly fullName: string } | null;
  readonly status: 'active' | 'draft' | 'archived';
  readonly tags: readonly string[];
  readonly imageUrl: string | null;
  readonly imageId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly variants: readonly VariantRow[];
}

export interface VariantRow {
  readonly id: string;
  readonly title: string;
  readonly priceMinor: number;
  readonly inventory: number;
}

export interface DiscountRow {
  readonly id: string;
  readonly method: 'code' | 'automatic';
  readonly kind: 'basic' | 'bxgy' | 'free-shipping' | 'app';
  readonly title: string;
  /** Null for free shipping and for an app's discount. */
  readonly value: DiscountValue | null;
  readonly startsAt: string;
  readonly endsAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly context:
    | { readonly kind: 'all' }
    | { readonly kind: 'customers'; readonly ids: readonly string[] }
    | { readonly kind: 'segments' };
  readonly usageLimit: number | null;
  readonly oncePerCustomer: boolean;
  readonly minimumMinor: number | null;
  /** Null: every product. */
  readonly productIds: readonly string[] | null;
  /** Classes of discounts; absent: all. */
  readonly combinesWith?: readonly ('order' | 'product' | 'shipping')[];
  readonly tags: readonly string[];
}

/** An active Rollout; one that has ended is not kept. */
export interface RolloutRow extends Readonly<v.InferOutput<typeof rolloutDraft>> {
  readonly id: string;
  readonly startedAt: string;
}

export type DiscountValue =
  | { readonly kind: 'percentage'; readonly ppm: number }
  | { readonly kind: 'fixed'; readonly minor: number; readonly each: boolean };

export interface CodeRow {
  readonly id: string;
  /** As written; the lookup ignores case. */
  readonly code: string;
  readonly discountId: string;
  readonly used: number;
}

type Personal = 'firstName' | 'lastName' | 'email' | 'phone' | 'note';

export interface CustomerRow extends Readonly<Record<Personal, string | null>> {
  readonly id: string;
  readonly tags: readonly string[];
  readonly address: AddressRow | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A customer has one for each currency. */
export interface StoreCreditAccountRow {
  readonly id: string;
  readonly customerId: string;
  readonly currency: string;
  readonly balanceMinor: number;
}

/** By the names of the schema. */
export type StoreCreditEvent =
  | 'ADJUSTMENT'
  | 'ORDER_CANCELLATION'
  | 'ORDER_PAYMENT'
  | 'ORDER_REFUND'
  | 'PAYMENT_FAILURE';

interface StoreCreditBooking {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: string;
  /** Negative for a debit and an expiration. */
  readonly minor: number;
  readonly balanceAfterMinor: number;
  readonly event: StoreCreditEvent;
  /** The order's transaction that caused it. */
  readonly originId: string | null;
  readonly orderId: string | null;
}

export type BookedAs =
  | {
      readonly kind: 'credit';
      readonly expiresAt: string | null;
      /** What was left when it expired, or is left now. */
      readonly remainingMinor: number;
      readonly expiredMinor: number;
    }
  | {
      readonly kind: 'debit';
      /** What it still holds of each credit. */
      readonly spent: readonly { readonly creditId: string; readonly minor: number }[];
    }
  | { readonly kind: 'debit-revert'; readonly debitId: string }
  | { readonly kind: 'expiration'; readonly creditId: string };

export type StoreCreditTransactionRow = StoreCreditBooking & BookedAs;
export type StoreCreditRow = Extract<StoreCreditTransactionRow, { readonly kind: 'credit' }>;

export interface MetafieldRow extends Readonly<v.InferOutput<typeof metafieldDraft>> {
  readonly id: string;
  readonly updatedAt: string;
}

export interface MetafieldDefinitionRow
  extends Readonly<v.InferOutput<typeof metafieldDefinition>> {
  readonly id: string;
}

interface LocationRow {
  readonly id: string;
  readonly name: string;
}

interface StaffRow {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** A trigger that Shopify Flow was sent. */
interface TriggerRow {
  readonly at: string;
  readonly handle: string;
  readonly payload: unknown;
}

export type StoreRows = Readonly<ReturnType<typeof openRows>>;

export function openRows(tables: Tables) {
  return {
    orders: tables.table<OrderRow>('orders'),
    products: tables.table<ProductRow>('products'),
    discounts: tables.table<DiscountRow>('discounts'),
    /** By the code in lower case. */
    codes: tables.table<CodeRow>('codes'),
    rollouts: tables.table<RolloutRow>('rollouts'),
    customers: tables.table<CustomerRow>('customers'),
    storeCreditAccounts: tables.table<StoreCreditAccountRow>('storeCreditAccounts'),
    /** Of all accounts, in the order in which they were made. */
    storeCreditTransactions: tables.table<StoreCreditTransactionRow>('storeCreditTransactions'),
    /** By owner, namespace and key. */
    metafields: tables.table<MetafieldRow>('metafields'),
    /** By owner's type, namespace and key. */
    metafieldDefinitions: tables.table<MetafieldDefinitionRow>('metafieldDefinitions'),
    locations: tables.table<LocationRow>('locations'),
    staff: tables.table<StaffRow>('staff'),
    /** Of Shopify Flow, by number. */
    triggers: tables.table<TriggerRow>('triggers'),
    counters: tables.table<number>('counters'),
  };
}
