import type {
  CompleteAssumptions,
  LoyaltyAssumptions,
} from '../../../shared/config/loyalty-assumptions.ts';
import { type Finding, info } from './finding.ts';

/** What each means, in a line; the whole of it stands in shared/config/loyalty-assumptions.ts. */
const MEANINGS: Record<keyof LoyaltyAssumptions, string> = {
  ordersAreReplaced: 'an order sent again replaces the earlier one',
  couponsAreReplaced: 'a coupon sent again replaces the earlier one',
  completedOrdersTakeTheCancelledMark: 'a completed order can be sent again marked as cancelled',
  refusedCancelledMark: 'what it means when that mark is refused (error 13)',
  cancellingTwice: 'what it means when a cancelled order is cancelled again (error 33)',
  cashbackAddIs: 'which operation type adds cashback; unset, no cashback is changed',
};

/** What the contract leaves open and the settings take as given: for a person to confirm. */
export function listAssumptions(assumptions: CompleteAssumptions): readonly Finding[] {
  return (Object.keys(MEANINGS) as (keyof LoyaltyAssumptions)[]).map((name) =>
    info(`${name}: ${assumptions[name] ?? 'unset'} (${MEANINGS[name]})`),
  );
}
