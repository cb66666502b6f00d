import { runBatch } from '../../../shared/core/batch/run-batch.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { settleEntities } from '../../../shared/core/sync/settle-entities.ts';
import { workerRewards } from '../../../shared/services/rewards.ts';
import { readShopifyEvent } from '../../../shared/shopify/webhooks/read-event.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { connector, type Rules, SHOP } from './connector.ts';
import type { LivingStore } from './living-store.ts';
import type { LoyaltyService } from './loyalty-service.ts';
import { storeOf } from './process-world.ts';
import type { StartFunction } from './workers.ts';

const read = readShopifyEvent;

interface EntityWorld {
  readonly kernel: Kernel;
  readonly loyalty: LoyaltyService;
  readonly store: LivingStore;
  readonly rules: Rules;
}

/** The function that sends orders, products or coupons. */
export function startEntityWorker({ kernel, loyalty, store, rules }: EntityWorld): StartFunction {
  return (process, failed, pauses) => {
    const shop = {
      loyalty: loyalty.clientOf(process, failed),
      breaker: pauses.guard(SHOP, createCircuitBreaker()),
      assumptions: connector.loyalty.assumptions,
    };
    return (batch, { asking, ...invocation }) => {
      const current = { ...shop, rules: rules.current, observes: rules.isObserved };
      const world = {
        ...invocation,
        pauses,
        store: storeOf(process, store, kernel, asking),
        orderRetentionDays: connector.orderRetentionDays,
        rewards: workerRewards(connector),
        read,
        shop: () => current,
      };
      return runBatch(batch, world, settleEntities);
    };
  };
}
