import type { Amount } from './money.ts';
import type { StoreCustomer } from './order.ts';

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
  /** Undefined: never. */
  readonly endsAt: string | undefined;
  readonly updatedAt: string;
  readonly audience: CouponAudience;
  readonly timesUsed: number;
  /** Undefined: unlimited. */
  readonly useLimit: number | undefined;
  readonly oncePerCustomer: boolean;
  /** The connector created it as a reward code. */
  readonly madeByConnector: boolean;
}

export type CouponKind = 'percentage' | 'fixed-amount' | 'free-shipping' | 'buy-x-get-y' | 'app';

/** Who may use it. A segment is a rule, so its customers are not known here. */
type CouponAudience =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'segment' }
  | { readonly kind: 'customers'; readonly customers: readonly StoreCustomer[] };
