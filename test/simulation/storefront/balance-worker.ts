import { storefrontOf } from '../../../functions/wiring.ts';
import { runBatch } from '../../../shared/core/batch/run-batch.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { settleStorefront } from '../../../shared/core/redeem/resume-redemption.ts';
import { connector, SHOP } from '../world/connector.ts';
import type { LoyaltyService } from '../world/loyalty-service.ts';
import type { StartFunction } from '../world/workers.ts';
import type { RewardShop } from './reward-shop.ts';

const { customerIdIn } = storefrontOf(connector);

/** The function that writes balances and finishes redemptions. */
export function startBalanceWorker(loyalty: LoyaltyService, shop: RewardShop): StartFunction {
  return (process, failed, pauses) => {
    const source = {
      loyalty: loyalty.clientOf(process, failed),
      breaker: pauses.guard(SHOP, createCircuitBreaker()),
    };
    return (batch, { asking, ...invocation }) => {
      const store = shop.askedBy(process, asking);
      const world = {
        ...invocation,
        pauses,
        store,
        customers: store,
        balances: store,
        shops: new Map([[SHOP, source]]),
        retentionDays: connector.orderRetentionDays,
        parallel: Number.POSITIVE_INFINITY,
        customerIdIn,
      };
      return runBatch(batch, world, settleStorefront);
    };
  };
}
