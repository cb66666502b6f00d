/**
 * What the connector assumes where the loyalty service's documentation is silent. Each assumption is a
 * setting, so that a wrong one is corrected in one place.
 * See docs/decisions/0005-unknowns-are-settings.md.
 */
export interface LoyaltyAssumptions {
  /**
   * An order sent again under the same id replaces the earlier one. If `false`, a change of an order
   * that was sent already is parked for a person. Default: `true`.
   */
  readonly ordersAreReplaced?: boolean;

  /**
   * A coupon sent again under the same id replaces the earlier one. If `false`, a change of a coupon
   * that was sent already is parked for a person. Default: `true`.
   */
  readonly couponsAreReplaced?: boolean;

  /**
   * A completed order, which the service refuses to cancel (error 13), can be sent again marked as
   * cancelled or returned. If `false`, that second attempt is not made and the order is parked.
   * Default: `true`.
   */
  readonly completedOrdersTakeTheCancelledMark?: boolean;

  /**
   * What it means when that second attempt is refused with error 13 as well: `rejected` parks the
   * order for a person, `done` lets it be. Default: `rejected`.
   */
  readonly refusedCancelledMark?: 'rejected' | 'done';

  /**
   * What error 33 (the order is cancelled) means for a cancellation. For an order it always means that
   * a person must look. Default: `done`.
   */
  readonly cancellingTwice?: 'done' | 'rejected';
}

export const defaultAssumptions = {
  ordersAreReplaced: true,
  couponsAreReplaced: true,
  completedOrdersTakeTheCancelledMark: true,
  refusedCancelledMark: 'rejected',
  cancellingTwice: 'done',
} as const satisfies LoyaltyAssumptions;

/** The assumptions with every default filled in. */
export type CompleteAssumptions = Required<LoyaltyAssumptions>;
