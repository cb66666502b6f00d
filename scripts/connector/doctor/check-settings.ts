import type { Alarms } from '../../../shared/config/alarm-settings.ts';
import type {
  CompleteAssumptions,
  LoyaltyAssumptions,
} from '../../../shared/config/loyalty-assumptions.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { type Finding, fail, info, pass, warn } from './finding.ts';

/** Reading the settings has checked each one; this finds what no check of a single setting can see. */
export function checkSettings({ where, stage, connector }: Deployment): readonly Finding[] {
  const file = stage === 'prod' ? 'connector.config.ts' : `connector.config.${stage}.ts`;
  const { hostname } = new URL(connector.loyalty.address);
  if (where === 'aws' && /(^|\.)example\.(com|org|net)$/.test(hostname)) {
    const what = `${file}: loyalty.address is still the example's (${hostname})`;
    return [fail(what, "Set the loyalty service's address and deploy.")];
  }
  const shops = connector.shops.map(({ domain }) => domain).join(', ');
  return [pass(`${file} is valid: ${shops}`)];
}

/** Only the SNS console shows whether an address has confirmed its subscription. */
export function checkAlarms({ emails }: Alarms): readonly Finding[] {
  return emails.length > 0
    ? [pass(`go to ${emails.length} addresses, each of which must have confirmed its subscription`)]
    : [warn('alarms.emails is empty: alarms notify no one', 'Add an address and deploy.')];
}

/** The meaning of each in one line; shared/config/loyalty-assumptions.ts has the full text. */
const MEANINGS: Record<keyof LoyaltyAssumptions, string> = {
  ordersAreReplaced: 'an order sent again replaces the earlier one',
  couponsAreReplaced: 'a coupon sent again replaces the earlier one',
  completedOrdersTakeTheCancelledMark: 'a completed order can be sent again marked as cancelled',
  refusedCancelledMark: 'what it means when that mark is refused (error 13)',
  cancellingTwice: 'what it means when a cancelled order is cancelled again (error 33)',
  cashbackAddIs: 'which operation type adds cashback; unset, no cashback is changed',
};

/** The assumptions of the settings, for a person to confirm. */
export function listAssumptions(assumptions: CompleteAssumptions): readonly Finding[] {
  return (Object.keys(MEANINGS) as (keyof LoyaltyAssumptions)[]).map((name) =>
    info(`${name}: ${assumptions[name] ?? 'unset'} (${MEANINGS[name]})`),
  );
}
