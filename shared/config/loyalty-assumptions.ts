/**
 * What the connector assumes where the loyalty service's documentation is silent. Each assumption is a
 * setting, so that a wrong one is corrected in one place.
 * See docs/decisions/0003-one-contract-and-a-setting-for-each-gap.md.
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

  /**
   * How a refund, return or edit lowers the amount of a completed order.
   *
   * - `partial-cancel`: the difference is taken by the service's partial cancel, under a key of its own.
   * - `resend`: the order is sent again with the lower total. Only for a program that takes points back
   *   then, which is not documented.
   *
   * Orders from which something was taken stay with partial cancels. Default: `partial-cancel`.
   */
  readonly refunds?: 'partial-cancel' | 'resend';

  /**
   * What to do when the amount of an order rises after a part of it was cancelled. How the service
   * counts then is not documented.
   *
   * - `park`: for a person.
   * - `send-gross`: sent again with the amount before all partial cancels, so that the service's total less
   *   these is the new amount.
   *
   * Default: `park`.
   */
  readonly raiseAfterPartialCancel?: 'park' | 'send-gross';

  /**
   * Whether the total of an order that is read from the service already shows partial cancels. Decides
   * how much of an order counts that the ledger has forgotten. Default: `as-sent`.
   */
  readonly readTotals?: 'as-sent' | 'less-partial-cancels';

  /**
   * The number of the error by which the service refuses a partial cancel whose key was used before.
   * Not documented. Unset: only a refusal that names the field `CancelKey` counts as that, and any other
   * refusal of a repeated partial cancel is parked.
   */
  readonly usedCancelKeyError?: number;

  /**
   * The service keeps the metadata of a redemption and shows them in the customer's history of points. If the ledger
   * is lost, `recover` finds the codes of customers by them. If `false`, none are sent. Default: `true`.
   */
  readonly redemptionsKeepMetadata?: boolean;
}

export const defaultAssumptions = {
  ordersAreReplaced: true,
  couponsAreReplaced: true,
  completedOrdersTakeTheCancelledMark: true,
  refusedCancelledMark: 'rejected',
  cancellingTwice: 'done',
  refunds: 'partial-cancel',
  raiseAfterPartialCancel: 'park',
  readTotals: 'as-sent',
  redemptionsKeepMetadata: true,
} as const satisfies LoyaltyAssumptions;

/** The assumptions with every default filled in. */
export type CompleteAssumptions = Required<Omit<LoyaltyAssumptions, 'usedCancelKeyError'>> &
  Pick<LoyaltyAssumptions, 'usedCancelKeyError'>;
