import { createCircuitBreaker, createTimedCache } from '../../shared/core/calls/call-loyalty.ts';
import type { RewardDetails, RewardItem } from '../../shared/rewards/storefront/reward-view.ts';
import type { Earning } from '../../shared/rewards/storefront/storefront.ts';
import { createMemoryLedger } from './memory-ledger.ts';
import { recordTelemetry } from './recorded-telemetry.ts';

const NOON = Date.parse('2026-10-09T12:00:00Z');

export const success = (value: unknown) => ({ kind: 'success', value });
export const refusal = (name?: string) => ({
  ...{ kind: 'business-error', class: 'rejected', code: 1, name, message: 'no', fields: [] },
});

/** What the storefront needs, with a loyalty service that gives these answers, the last of them for ever. */
export function openAnswering(...answers: readonly unknown[]) {
  const clock = { ms: NOON };
  const now = () => new Date(clock.ms);
  const asked: unknown[][] = [];
  const answer = async (...given: unknown[]) => {
    asked.push(given.slice(0, -1));
    return (answers[asked.length - 1] ?? answers.at(-1)) as never;
  };
  const cache = <Value>() => createTimedCache<Value>({ seconds: 60, most: 10, now });
  const deps = {
    ...{ breaker: createCircuitBreaker(), telemetry: recordTelemetry(), now },
    ...{ taxInPrices: 0, earned: cache<Earning>() },
    ...{ rewardTypes: {}, askLimit: () => undefined },
    ...{ active: cache<readonly RewardItem[]>(), detailsOfRewards: cache<RewardDetails>() },
    ledger: createMemoryLedger(),
    loyalty: {
      ...{ calculateProductPoints: answer, listTiers: answer },
      ...{ listRewardConfigurations: answer, getRewardConfiguration: answer },
    },
  };
  return { clock, asked, deps };
}
