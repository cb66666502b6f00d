import type { PointTopic, Schemas } from '../../../shared/loyalty/operations.ts';
import type { Tables } from '../../sandbox-kit/tables.ts';
import type { PointType } from './assigned-numbers.ts';

/* What the sandbox remembers. Null stands for what was never sent. */

export interface ProductRow {
  readonly OriginalId: string;
  readonly Title: string | null;
  readonly Url: string | null;
  readonly ImageUrl: string | null;
  readonly IsActive: boolean | null;
  readonly ProductPrice: number | null;
  readonly brand: ReferenceRow | null;
  /** From the root of the tree down to the product's own category. */
  readonly categories: readonly string[];
}

export interface CustomerRow {
  /** Given by the sandbox. */
  readonly Id: number;
  readonly OriginalId: string;
  readonly PublicId: string;
  readonly Name: string | null;
  readonly Email: string | null;
  readonly Phone: string | null;
  readonly BirthdayDate: string | null;
  readonly SignupDate: string | null;
  readonly Document: string | null;
  readonly IsEnrolled: boolean;
  /** An inactive customer earns and redeems nothing. */
  readonly isActive: boolean;
  readonly origin: number;
  readonly createdAt: string;
  readonly enrolledAt: string | null;
  readonly birthdayChangedAt: string | null;
}

interface OrderProductRow
  extends Omit<ProductRow, 'OriginalId' | 'brand' | 'categories'>,
    Pick<ReferenceRow, 'OriginalId'> {}

export interface ReferenceRow {
  readonly OriginalId: string | null;
  readonly Name: string | null;
}

export interface OrderRow {
  readonly Id: number;
  readonly OriginalId: string;
  /** OriginalId of the customer. */
  readonly customerId: string;
  readonly OrderPlacementDate: string;
  readonly OrderCompletedDate: string | null;
  readonly OrderCancelledDate: string | null;
  readonly OrderStatus: string | null;
  readonly IsCancelledOrReturned: boolean;
  readonly IsCompleted: boolean;
  readonly OrderTotal: number;
  readonly Products: readonly OrderProductRow[] | null;
  readonly UpdatedDate: string;
  readonly Coupon: string | null;
  readonly ExternalCoupon: string | null;
  readonly Metadatas: readonly {
    readonly Id: number;
    readonly Name: string | null;
    readonly Value: string | null;
  }[];
  readonly PaymentMethod: ReferenceRow | null;
  readonly Branch: ReferenceRow | null;
  readonly SalesPerson: ReferenceRow | null;
  /** First sent by an integration that is built into the service. */
  readonly isBuiltIn?: true;
  /** The points it earned, as long as it does. */
  readonly pointId: number | null;
  /** When its points are due, while they are still to come. */
  readonly pointsDueAt: string | null;
  /** A cancellation that is accepted and shows later. */
  readonly cancelDue: {
    readonly at: string;
    readonly date: string;
    readonly status: string | null;
  } | null;
  readonly partialCancels: readonly PartialCancelRow[];
}

interface PartialCancelRow {
  readonly CancelKey: string;
  readonly valueHundredths: number;
  readonly at: string;
}

export interface PointOriginRow {
  readonly PointId: number;
  readonly usedPointsHundredths: number;
  readonly usedCashbackHundredths: number;
}

export interface PointRow {
  readonly PointId: number;
  /** OriginalId of the customer. */
  readonly customerId: string;
  readonly pointsHundredths: number;
  readonly cashbackHundredths: number;
  readonly type: PointType;
  readonly source: PointSource;
  readonly received: string;
  /** Null for points taken away. */
  readonly validUntil: string | null;
  /** Where points taken away came from, oldest first. */
  readonly origins: readonly PointOriginRow[];
  /** Counts no more: the redemption was cancelled. */
  readonly isCanceled: boolean;
  readonly metadatas: readonly { readonly Name: string; readonly Value: string }[];
}

export type PointSource =
  | { readonly kind: 'order'; readonly orderId: string }
  | {
      readonly kind: 'points-change' | 'cashback-change';
      readonly changeKey: string;
      readonly reason: string;
      /** For the customer to read. */
      readonly customerReason: string | null;
    }
  | { readonly kind: 'reward'; readonly rewardKey: string }
  | { readonly kind: 'quiz'; readonly quizId: number };

export interface CouponRow {
  readonly Id: number;
  readonly OriginalId: string;
  readonly CouponCode: string;
  readonly CreatedDate: string;
  readonly CouponType: Schemas['CouponType'] | null;
  readonly CouponValue: number | null;
  readonly ValidDateStart: string | null;
  readonly ValidDateEnd: string | null;
  /** OriginalId of the customer, or null for a coupon that is nobody's. */
  readonly customerId: string | null;
  readonly IsUsed: boolean;
  readonly usedByOrderId: string | null;
  readonly isActive: boolean;
}

export interface RedemptionRow {
  /** Of the request, or given by the sandbox where the request has none. */
  readonly OriginalKey: string;
  readonly RewardId: number;
  readonly configurationId: number;
  readonly customerId: string;
  readonly pointId: number;
  /** OriginalId of the coupon that came out of it, if one did. */
  readonly couponId: string | null;
  /** What an order names in `Coupon` when it used the reward. */
  readonly ExternalCode: string;
  /** What the discount is worth; null where it depends on the purchase. */
  readonly cashValue: number | null;
  readonly redeemedAt: string;
  readonly canceledAt: string | null;
  readonly usedByOrderId: string | null;
}

/** The PIN that a customer would get as an SMS or by e-mail. */
export interface ChallengeRow {
  /** OriginalId; of a newcomer the id in the path. */
  readonly customerId: string;
  readonly transactionId: string;
  readonly pin: string;
  /** Who signs up by it; null for a customer whom the program knows. */
  readonly newcomer: Pick<CustomerRow, 'Email' | 'Phone' | 'Document'> | null;
  readonly startedAt: string;
  readonly passed: boolean;
}

/** Written once per change of points; what becomes of it afterwards is up to whoever delivers it. */
export interface EventRow {
  readonly id: string;
  readonly topic: PointTopic;
  readonly payload: Schemas['PointEvent'];
}

export function openTables(tables: Tables) {
  return {
    products: tables.table<ProductRow>('products'),
    customers: tables.table<CustomerRow>('customers'),
    orders: tables.table<OrderRow>('orders'),
    ordersByCustomer: tables.index<OrderRow>('orders', 'customerId'),
    /** By PointId. */
    points: tables.table<PointRow>('points'),
    /** Oldest first, so that a balance does not have to look at everyone's records. */
    pointsByCustomer: tables.index<PointRow>('points', 'customerId'),
    coupons: tables.table<CouponRow>('coupons'),
    /** OriginalId of the coupon, by its code. */
    couponCodes: tables.table<string>('couponCodes'),
    /** By OriginalKey. */
    redemptions: tables.table<RedemptionRow>('redemptions'),
    /** OriginalKey, by RewardId. */
    redemptionKeys: tables.table<string>('redemptionKeys'),
    /** OriginalKey, by ExternalCode. */
    externalCodes: tables.table<string>('externalCodes'),
    /** By `customerId`. */
    challenges: tables.table<ChallengeRow>('challenges'),
    /** OriginalIds of orders for which something is still to come. */
    dueOrders: tables.table<string>('dueOrders'),
    /** PointId, by the ChangeKey that made it. */
    changeKeys: tables.table<number>('changeKeys'),
    /** PointId, by quiz and customer. */
    quizAnswers: tables.table<number>('quizAnswers'),
    events: tables.table<EventRow>('events'),
    /** The last number given out, by what it numbers. */
    sequences: tables.table<number>('sequences'),
  };
}

export type ProgramTables = ReturnType<typeof openTables>;
