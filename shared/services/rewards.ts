import type { Connector } from '../config/connector-config.ts';
import type { RewardMoments, WorkerMoments } from '../core/sync/dependencies.ts';
import { scanBalances } from '../rewards/balances/repair-balances.ts';
import {
  awaitRedemptions,
  eraseRedemptions,
  noteUsedCodes,
  withRewardCodeFirst,
} from '../rewards/redeem/worker-moments.ts';

/**
 * What points and rewards do at the moments of the core, where the settings have a storefront. Where they have none,
 * infra/bundle-functions.ts leaves it out.
 */
export const workerRewards = ({ storefront }: Pick<Connector, 'storefront'>) =>
  storefront && WORKER;

const WORKER: WorkerMoments = {
  orderAsSent: withRewardCodeFirst,
  orderSeen: noteUsedCodes,
  personErased: eraseRedemptions,
  customerMerged: awaitRedemptions,
};

type ScanDeps = Parameters<typeof scanBalances>[2];

/** `depsOf`: of a shop, under the deadline of its turn. */
export function scanRewards(
  { storefront }: Connector,
  depsOf: (shop: string) => Omit<ScanDeps, 'othersWait'>,
): Pick<RewardMoments, 'orderAsSent' | 'shopScanned'> | undefined {
  return (
    storefront && {
      orderAsSent: withRewardCodeFirst,
      shopScanned: (shop, othersWait, doubt) =>
        scanBalances(shop, { flow: storefront.flow, doubt }, { ...depsOf(shop), othersWait }),
    }
  );
}
