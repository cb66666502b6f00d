import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type AskingWorld, askLoyalty } from './ask-loyalty.ts';
import { readBalance } from './read-balance.ts';
import type { TimedCache } from './timed-cache.ts';

type Tier = components['schemas']['Tier'];

interface TierView {
  readonly name: string;
  readonly color: string | null;
  readonly next: { readonly name: string; readonly goals: readonly GoalView[] } | null;
}

interface GoalView {
  readonly name: string;
  readonly value: number;
  readonly goal: number;
  readonly percent: number;
}

export interface Standing {
  readonly points: number | null;
  readonly cashback: number | null;
  readonly asOf: string | null;
  readonly tier: TierView | null;
}

export interface StandingWorld extends AskingWorld {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly loyalty: Pick<LoyaltyClient, 'listTiers'>;
  readonly tiers: TimedCache<KnownTier>;
}

/** Null: the customer has none. `untold`: the service does not say, as of a customer it does not know. */
export type KnownTier = TierView | null | 'untold';

/** The balance is the ledger's. The tier is the service's; while it is away, the name last heard. */
export async function readStanding(
  shop: string,
  customerId: string,
  world: StandingWorld,
): Promise<Standing> {
  const [balance, tier] = await Promise.all([
    readBalance(shop, customerId, world.ledger),
    readTierView(customerId, world),
  ]);
  const { points, cashback, asOf } = balance;
  // Whoever has points is known to the service by now: the next page asks it again.
  if (tier === 'untold' && asOf !== null) world.tiers.forget(customerId);
  const remembered = balance.tier === null ? null : { name: balance.tier, color: null, next: null };
  return { points, cashback, asOf, tier: tier === 'untold' ? remembered : tier };
}

async function readTierView(customerId: string, world: StandingWorld): Promise<KnownTier> {
  const known = world.tiers.recall(customerId);
  if (known !== undefined) return known;
  const asked = await askLoyalty(
    'listTiers',
    (options) => world.loyalty.listTiers({ CustomerId: customerId }, options),
    world,
  );
  if (asked.kind === 'unavailable') return 'untold';
  const tier = asked.kind === 'answered' ? tierIn(asked.value) : 'untold';
  world.tiers.keep(customerId, tier);
  return tier;
}

function tierIn(tiers: components['schemas']['TierAvailability']): TierView | null {
  const { CurrentTier: current, NextTiers: following } = tiers;
  return current?.Name ? viewOf(current, current.Name, following) : null;
}

function viewOf(current: Tier, name: string, following: readonly Tier[]): TierView {
  const [next] = following
    .filter((tier) => (tier.Order ?? 0) > (current.Order ?? Number.NEGATIVE_INFINITY))
    .toSorted((one, other) => (one.Order ?? 0) - (other.Order ?? 0));
  return {
    name,
    color: current.Color ?? null,
    next: next?.Name ? { name: next.Name, goals: (next.Goals ?? []).map(goalOf) } : null,
  };
}

function goalOf(goal: components['schemas']['TierGoal']): GoalView {
  return {
    name: goal.Name ?? '',
    value: goal.CurrentValue ?? 0,
    goal: goal.GoalValue ?? 0,
    percent: goal.PercentToGoal ?? 0,
  };
}
