import type { PlatformName } from '../../shared/config/connector-settings.ts';
import { serverCheck } from './ground/checks/check.ts';
import { loyaltyCheck } from './ground/checks/loyalty.ts';
import { webhookAddressCheck } from './ground/checks/read-secret.ts';
import type { ChecksByPlatform, PlatformChecks } from './ground/checks/step.ts';
import { commandsOf } from './ground/session/services.ts';
import { describeDashboard, shopifyChecks, shopifySteps } from './set-up/shopify/shop-checks.ts';
import { subscriptionsCheck } from './set-up/shopify/webhooks.ts';

const CHECKS: Readonly<Record<PlatformName, PlatformChecks>> = {
  shopify: { checks: shopifyChecks, steps: shopifySteps, guide: describeDashboard },
  vendure: {
    checks: (deps) => [serverCheck(deps)],
    *steps({ shop }, deps) {
      yield { ...serverCheck(deps), title: `${commandsOf(shop).name} server` };
      yield { ...loyaltyCheck(deps), title: 'Loyalty service' };
      yield { ...webhookAddressCheck(deps), title: 'Address for events' };
    },
  },
};

const checksOf: ChecksByPlatform['checksOf'] = ({ platform }) => CHECKS[platform];

export const checksByPlatform: ChecksByPlatform = {
  checksOf,
  storeChecks: (deps) =>
    [...Map.groupBy(deps.shops, checksOf)].flatMap(([platform, shops]) =>
      platform.checks({ ...deps, shops }),
    ),
  eventsCheck: (deps) => subscriptionsCheck(deps),
};
