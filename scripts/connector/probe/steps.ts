import {
  cancelCompleted,
  concludeBothFlags,
  concludeCancel,
  sendBothFlags,
} from './cancel-steps.ts';
import {
  askWrongly,
  concludeCoupon,
  concludeCredentials,
  concludeEnrolment,
  concludeHistory,
  enrol,
  FIRST_TOTAL,
  readHistory,
  sendCoupon,
} from './customer-steps.ts';
import { cancelParts, concludeParts, concludeResend, LOWER, resend } from './order-steps.ts';
import { TOTAL } from './probe-world.ts';
import { compareIds, concludeIds, concludeRedeem, redeemTwice } from './redeem-steps.ts';
import { type Step, step } from './step.ts';

/** All steps, in the order in which they run: the first makes the customer of all others. */
export const STEPS: readonly Step[] = [
  step(
    'enrolment',
    `a completed order of ${FIRST_TOTAL} whose new customer has no IsEnrolled`,
    enrol,
    concludeEnrolment,
  ),
  step(
    'resend',
    `a completed order of ${TOTAL}, sent again with a total of ${LOWER}`,
    resend,
    concludeResend,
  ),
  step(
    'partial-cancel',
    `two partial cancels of a completed order of ${TOTAL}, the first one twice with its key; then a higher total`,
    cancelParts,
    concludeParts,
  ),
  step('cancel', 'the cancel of a completed order, twice', cancelCompleted, concludeCancel),
  step(
    'both-flags',
    'an order that is completed and cancelled in one body',
    sendBothFlags,
    concludeBothFlags,
  ),
  step(
    'customer-id',
    'available rewards, by the id of the store and by e-mail',
    compareIds,
    concludeIds,
  ),
  step(
    'redeem',
    'the cheapest usable reward, redeemed twice with one key, then cancelled',
    redeemTwice,
    concludeRedeem,
  ),
  step('point-types', "the history of the customer's points", readHistory, concludeHistory),
  step(
    'coupon',
    'a coupon without a customer, sent twice with different values',
    sendCoupon,
    concludeCoupon,
  ),
  step('credentials', 'one harmless call with wrong credentials', askWrongly, concludeCredentials),
  step(
    'events',
    'nothing more: only the receiver of point events sees it',
    async ({ customer }) => customer.OriginalId,
    (customer) => ({
      answered: [],
      means: `Look at the point events of customer ${customer} where they arrive: Topic and PointAction of the redemption (points below zero) and of its cancellation.`,
    }),
  ),
  step(
    'limits',
    'nothing: it would use up the limit of the account',
    async () => undefined,
    () => ({
      answered: [],
      means: 'Not tried. The connector slows down on HTTP 429 and on error 103.',
    }),
  ),
];
