import type { PlatformName } from '../../shared/config/connector-settings.ts';
import { serverCheck } from './ground/checks/check.ts';
import { loyaltyCheck } from './ground/checks/loyalty.ts';
import { webhookAddressCheck } from './ground/checks/read-secret.ts';
import type { StoreRoom, StoreRooms } from './ground/checks/step.ts';
import { commandsOf } from './ground/session/services.ts';
import { describeDashboard, shopifyChecks, shopifySteps } from './set-up/shopify/shop-room.ts';
import { subscriptionsCheck } from './set-up/shopify/webhooks.ts';

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

const roomOf: StoreRooms['roomOf'] = ({ platform }) => ROOMS[platform];

export const storeRooms: StoreRooms = {
  roomOf,
  storeChecks: (deps) =>
    [...Map.groupBy(deps.shops, roomOf)].flatMap(([room, shops]) =>
      room.checks({ ...deps, shops }),
    ),
  eventsCheck: (deps) => subscriptionsCheck(deps),
};
