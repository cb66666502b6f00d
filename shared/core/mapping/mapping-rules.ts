import type { CouponKind } from '../../store/coupon.ts';
import type { StoreOrder } from '../../store/order.ts';

/** The settings that mapping needs. shared/config describes each. */
export interface OrderRules {
  /** ISO 8601. Undefined: no order is history. */
  readonly goLive: string | undefined;
  readonly completeWhen: 'fulfilled' | 'paid';
  readonly pendingOrders: 'skip' | 'send';
  readonly orderTotal: 'subtotal' | 'total-less-shipping';
  readonly taxes: 'exclude' | 'include';
  readonly giftCards: 'earn-when-bought' | 'earn-when-used' | 'never';
  readonly customersWithoutEmail: 'skip' | 'send';
  readonly customers: 'from-sign-up' | 'with-orders';
  readonly testOrders: 'skip' | 'send';
  readonly document: DetailSource | undefined;
  readonly birthday: DetailSource | undefined;
  readonly enrich: {
    readonly cardDetails?: boolean;
    readonly locationNames?: boolean;
    readonly staffNames?: boolean;
  };
  readonly enrolment: 'unstated' | 'everyone' | ((order: StoreOrder) => boolean | undefined);
  readonly metadata: ((order: StoreOrder) => Readonly<Record<string, string>>) | undefined;
}

/** Where a detail of the customer is found. */
export type DetailSource =
  | { readonly from: 'note-attribute'; readonly name: string }
  | {
      readonly from: 'metafield';
      readonly owner: 'order' | 'customer';
      readonly namespace: string;
      readonly key: string;
    }
  | { readonly from: 'localized-field'; readonly key: string }
  | ((order: StoreOrder) => string | undefined);

export interface ProductRules {
  /** With `{domain}` and `{handle}` in it. */
  readonly productUrl: string;
}

export interface CouponRules {
  readonly sharedAccount: boolean;
  readonly couponKinds: readonly CouponKind[];
  readonly couponForEveryone: 'send' | 'skip';
  readonly customersWithoutEmail: 'skip' | 'send';
  readonly couponForSeveralCustomers: 'without-customer' | 'first' | 'skip';
}

export interface MemberRules
  extends Pick<
    OrderRules,
    'customersWithoutEmail' | 'customers' | 'document' | 'birthday' | 'enrolment'
  > {
  readonly redactedCustomers: 'keep' | 'deactivate';
}
