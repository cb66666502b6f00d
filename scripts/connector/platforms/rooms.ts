import type { PlatformName } from '../../../shared/config/connector-settings.ts';
import type { Check, ShopDeps } from '../checks/check.ts';
import { loyaltyCheck } from '../checks/loyalty.ts';
import type { ShopSetup, Step } from '../checks/step.ts';
import { serverCheck } from '../checks/store.ts';
import { commandsOf, type PlatformShop } from '../deployment/platform.ts';
import { webhookAddressCheck } from '../secrets/read-secret.ts';
import { describeDashboard, shopifyChecks, shopifySteps } from '../shopify/shop-room.ts';
import { subscriptionsCheck } from '../shopify/webhooks.ts';

/** What `doctor` and `setup` do in the shops of a platform, beside what its record in `shared` says. */
interface StoreRoom {
  /** Whether the store can be read, and what follows from that. */
  readonly checks: (deps: ShopDeps) => readonly Check[];
  /** Once the secrets are stored. */
  readonly steps: (setup: ShopSetup, deps: ShopDeps) => Iterable<Step>;
  /** How a person gets the credentials. */
  readonly guide?: (setup: ShopSetup) => string;
}

const ROOMS: Readonly<Record<PlatformName, StoreRoom>> = {
  shopify: {
    checks: shopifyChecks,
    steps: shopifySteps,
    guide: describeDashboard,
  },
  vendure: {
    checks: (deps) => [serverCheck(deps)],
    *steps({ shop }, deps) {
      yield { ...serverCheck(deps), title: `${commandsOf(shop).name} server` };
      yield { ...loyaltyCheck(deps), title: 'Loyalty service' };
      yield { ...webhookAddressCheck(deps), title: 'Address for events' };
    },
  },
};

export const roomOf = ({ platform }: PlatformShop): StoreRoom => ROOMS[platform];

/** Each shop's in its own room. */
export const storeChecks = (deps: ShopDeps): readonly Check[] =>
  [...Map.groupBy(deps.shops, roomOf)].flatMap(([room, shops]) => room.checks({ ...deps, shops }));

/** Of any shops: those without subscriptions say who sends their events. */
export const eventsCheck = (deps: ShopDeps): Check => subscriptionsCheck(deps);
