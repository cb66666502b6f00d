import type { Amount } from './money.ts';
import type { StoreCustomer } from './order.ts';

/** One code of a discount. Dates and statements as in `StoreOrder`. */
export interface StoreCoupon {
  readonly code: string;
  /** Of the code itself: a discount has many. */
  readonly codeId: string;
  readonly discountId: string;
  readonly kind: CouponKind;
  /** Ten per cent is 10; a fixed amount is in the shop's currency; undefined where neither fits. */
  readonly value: Amount | undefined;
  /** `active`, `scheduled`, `expired`. */
  readonly status: string;
  readonly createdAt: string;
  readonly startsAt: string;
  /** Undefined: never. */
  readonly endsAt: string | undefined;
  readonly updatedAt: string;
  readonly audience: CouponAudience;
  readonly timesUsed: number;
  /** Undefined: without limit. */
  readonly useLimit: number | undefined;
  readonly oncePerCustomer: boolean;
  /** Made by this connector for a redeemed reward. */
  readonly madeByConnector: boolean;
}

export type CouponKind = 'percentage' | 'fixed-amount' | 'free-shipping' | 'buy-x-get-y' | 'app';

/** Who may use it. A segment is a rule, not a list: its customers are not known here. */
type CouponAudience =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'segment' }
  | { readonly kind: 'customers'; readonly customers: readonly StoreCustomer[] };
