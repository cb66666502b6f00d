import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { RewardKind, RewardTerms } from '../redeem/redemption.ts';
import { readTerms } from '../redeem/reward-terms.ts';
import { type AskingWorld, askLoyalty } from './ask-loyalty.ts';
import type { TimedCache } from './timed-cache.ts';

type RewardConfiguration = components['schemas']['RewardConfiguration'];

/** Null: the service lists it and gives no details. */
export type KnownReward = RewardConfiguration | null;

export interface DetailsWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'getRewardConfiguration'>;
  /** By the reward's id. */
  readonly details: TimedCache<KnownReward>;
  readonly rewardTypes: Readonly<Record<number, RewardKind>>;
}

/** Null: it cannot be redeemed now. Undefined: not known yet. */
export type Offer = RewardTerms | null | undefined;

const AT_ONCE = 4;
/**
 * A page waits: after this time no further reward is asked about. The next page asks about the others.
 */
const ASKING_MS = 2_000;

/**
 * What each reward gives now. The list of rewards has neither dates nor limits, so each is read
 * separately, and checked as redeeming checks it: a page offers nothing that a click would refuse.
 */
export async function readOffers(
  ids: readonly number[],
  world: DetailsWorld,
): Promise<ReadonlyMap<number, Offer>> {
  const { details, rewardTypes, now } = world;
  const missing = ids.filter((id) => details.recall(String(id)) === undefined);
  const until = now().getTime() + ASKING_MS;
  const askOn = async (): Promise<void> => {
    for (let id = missing.shift(); id !== undefined; id = missing.shift()) {
      if (now().getTime() >= until) return;
      await readDetails(id, world);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askOn));
  return new Map(
    ids.map((id) => {
      const known = details.recall(String(id));
      return [id, known && (readTerms(known, rewardTypes, now()) ?? null)];
    }),
  );
}

async function readDetails(id: number, world: DetailsWorld): Promise<void> {
  const asked = await askLoyalty(
    'getRewardConfiguration',
    (options) => world.loyalty.getRewardConfiguration(id, options),
    world,
  );
  if (asked.kind === 'unavailable') return;
  world.details.keep(String(id), asked.kind === 'answered' ? asked.value : null);
}
