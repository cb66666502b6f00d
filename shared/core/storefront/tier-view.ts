import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { type AskingWorld, askLoyalty } from './ask-loyalty.ts';

type Tier = components['schemas']['Tier'];

export interface TierView {
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

export interface TierWorld extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'listTiers'>;
}

/**
 * Null: the customer has none. `unknown`: the service does not say, for example for a customer it does not
 * know. Undefined: it did not answer.
 */
export type KnownTier = TierView | null | 'unknown';

export async function readTier(
  customerId: string,
  world: TierWorld,
): Promise<KnownTier | undefined> {
  const asked = await askLoyalty(
    'listTiers',
    (options) => world.loyalty.listTiers({ CustomerId: customerId }, options),
    world,
  );
  if (asked.kind === 'unavailable') return undefined;
  return asked.kind === 'answered' ? tierIn(asked.value) : 'unknown';
}

/** Where only the name is known. */
export function namedTier(
  name: string | null | undefined,
  color: string | null = null,
): TierView | null {
  return name ? { name, color, next: null } : null;
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
