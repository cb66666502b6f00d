import type { MappingRules } from '../../config/mapping-settings.ts';

/** What each mapping needs of the merchant's rules. */
export type OrderRules = Pick<
  MappingRules,
  | 'goLive'
  | 'currency'
  | 'completeWhen'
  | 'pendingOrders'
  | 'orderTotal'
  | 'taxes'
  | 'giftCards'
  | 'lostDisputes'
  | 'customersWithoutEmail'
  | 'customers'
  | 'testOrders'
  | 'document'
  | 'birthday'
  | 'enrich'
  | 'enrolment'
  | 'metadata'
>;

export type ProductRules = Pick<MappingRules, 'productUrl'>;

export type CouponRules = Pick<
  MappingRules,
  | 'sharedAccount'
  | 'couponKinds'
  | 'couponForEveryone'
  | 'customersWithoutEmail'
  | 'couponForSeveralCustomers'
>;

export type MemberRules = Pick<
  MappingRules,
  | 'customersWithoutEmail'
  | 'customers'
  | 'document'
  | 'birthday'
  | 'enrolment'
  | 'redactedCustomers'
>;
