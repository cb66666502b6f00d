import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { type AskingWorld, askLoyalty, type Unavailable } from './ask-loyalty.ts';
import type { TimedCache } from './timed-cache.ts';

export type RewardItem = components['schemas']['RewardConfigurationItem'];

export interface ProgramWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'listRewardConfigurations' | 'getRewardConfiguration'>;
  /** The same for every customer. */
  readonly active: TimedCache<readonly RewardItem[]>;
  /** By reward: the names of the tiers that it is for; none: it is for every tier. */
  readonly tiersOfRewards: TimedCache<readonly string[]>;
}

const PAGE_SIZE = 50;
/** A page of the store shows at most a hundred, and more calls would take too long. */
const MOST_PAGES = 2;

export type ActiveRewards =
  | { readonly kind: 'answered'; readonly value: readonly RewardItem[] }
  | Unavailable;

export async function readActive(world: ProgramWorld): Promise<ActiveRewards> {
  const known = world.active.recall('');
  if (known) return { kind: 'answered', value: known };
  const items: RewardItem[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const asked = await askLoyalty(
      'listRewardConfigurations',
      (options) =>
        world.loyalty.listRewardConfigurations(
          { IsActive: true, PageNumber: page, PageSize: PAGE_SIZE },
          options,
        ),
      world,
    );
    if (asked.kind === 'unavailable') return asked;
    // The service has an error for a program without rewards.
    if (asked.kind === 'refused') {
      world.telemetry.log('warn', 'the loyalty service listed no rewards', {
        why: asked.name ?? 'unnamed-error',
      });
      break;
    }
    items.push(...asked.value.Items.filter(({ IsActive }) => IsActive !== false));
    if (!asked.value.HasNextPage) break;
  }
  world.active.keep('', items);
  return { kind: 'answered', value: items };
}

/** A page waits for no more; the next one asks for the rest. */
const MOST_ASKED = 5;
const FAILED_SECONDS = 60;

/**
 * The tiers of rewards that the service does not offer. It gives no reason for those of another tier, and
 * only the whole configuration of a reward names its tiers. Asked for only with ids that the service listed.
 */
export async function readTiersOf(
  rewardIds: readonly number[],
  world: ProgramWorld,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const unknown = rewardIds.filter((id) => !world.tiersOfRewards.recall(String(id)));
  await Promise.all(unknown.slice(0, MOST_ASKED).map((id) => readTiers(id, world)));
  return new Map(rewardIds.map((id) => [id, world.tiersOfRewards.recall(String(id)) ?? []]));
}

async function readTiers(id: number, world: ProgramWorld): Promise<void> {
  const asked = await askLoyalty(
    'getRewardConfiguration',
    (options) => world.loyalty.getRewardConfiguration(id, options),
    world,
  );
  if (asked.kind === 'unavailable') {
    // A reward that the service cannot read must not open the circuit breaker with every page.
    return world.tiersOfRewards.keep(String(id), [], FAILED_SECONDS);
  }
  const tiers = asked.kind === 'answered' ? (asked.value.Tiers ?? []) : [];
  const names = tiers.flatMap(({ Name, IsActive }) => (Name && IsActive !== false ? [Name] : []));
  world.tiersOfRewards.keep(String(id), names);
}
