import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { type RememberedBalance, recallBalance } from '../balances/remembered-balance.ts';
import { type Ledger, readEntry } from '../ledger/ledger.ts';
import { askLoyalty } from './ask-loyalty.ts';
import { isStale, type MeetingWorld, meetCustomer, requestReading } from './meet-customer.ts';
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
  /** The points that expire next, and when; null: none are about to. */
  readonly expiring: ExpiringView | null;
  readonly tier: TierView | null;
}

interface ExpiringView {
  readonly points: number;
  readonly at: string;
}

export interface StandingWorld extends MeetingWorld {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly loyalty: Pick<LoyaltyClient, 'listTiers' | 'getCustomerPoints'>;
  readonly tiers: TimedCache<KnownTier>;
}

/**
 * Null: the customer has none. `unknown`: the service does not say, for example for a customer it does
 * not know.
 */
export type KnownTier = TierView | null | 'unknown';

/**
 * The balance comes from the ledger, or from the service for a customer whom the ledger does not know. The
 * tier comes from the service; while that is down, the last known name.
 */
export async function readStanding(
  shop: string,
  customerId: string,
  world: StandingWorld,
): Promise<Standing> {
  const [balance, tier] = await Promise.all([
    findBalance(shop, customerId, world),
    readTierView(customerId, world),
  ]);
  const { points, cashback, asOf } = balance;
  const { expiring } = balance;
  const isOver = expiring !== null && Date.parse(expiring.at) <= world.now().getTime();
  // A customer with points is known to the service by now: the next page asks again.
  if (tier === 'unknown' && asOf !== null) world.tiers.forget(customerId);
  const remembered = balance.tier === null ? null : { name: balance.tier, color: null, next: null };
  return {
    points,
    cashback,
    asOf,
    expiring: isOver ? null : expiring,
    tier: tier === 'unknown' ? remembered : tier,
  };
}

async function findBalance(
  shop: string,
  customerId: string,
  world: StandingWorld,
): Promise<KnownBalance> {
  const known = await readBalance(shop, customerId, world.ledger);
  if (known.asOf !== null) {
    if (isStale(known.readAt, world.now())) await requestReading(shop, customerId, world);
    return known;
  }
  const met = await meetCustomer(shop, customerId, world);
  return met ? { ...known, ...viewOfBalance(met), asOf: met.asOf } : known;
}

async function readTierView(customerId: string, world: StandingWorld): Promise<KnownTier> {
  const known = world.tiers.recall(customerId);
  if (known !== undefined) return known;
  const asked = await askLoyalty(
    'listTiers',
    (options) => world.loyalty.listTiers({ CustomerId: customerId }, options),
    world,
  );
  if (asked.kind === 'unavailable') return 'unknown';
  const tier = asked.kind === 'answered' ? tierIn(asked.value) : 'unknown';
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

/** Null: neither an event nor a reading has reported it yet. */
export interface KnownBalance {
  readonly points: number | null;
  readonly cashback: number | null;
  readonly asOf: string | null;
  readonly expiring: ExpiringView | null;
  /** The tier's name when the balance was last written. */
  readonly tier: string | null;
  /** Epoch milliseconds: when the service was last asked for it; undefined: never. */
  readonly readAt: number | undefined;
}

const NOTHING_KNOWN: KnownBalance = {
  points: null,
  cashback: null,
  asOf: null,
  expiring: null,
  tier: null,
  readAt: undefined,
};

/** What the ledger knows, from point events and readings. */
export async function readBalance(
  shop: string,
  customerId: string,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<KnownBalance> {
  const entry = await readEntry(ledger, { shop, kind: 'customer', id: customerId });
  const balance = recallBalance(entry?.remembered);
  if (!entry || !balance) return NOTHING_KNOWN;
  return {
    ...viewOfBalance(balance),
    asOf: new Date(entry.version).toISOString(),
    tier: balance.tier ?? null,
    readAt: balance.readAt,
  };
}

function viewOfBalance({
  points,
  cashback,
  expiring,
}: Pick<RememberedBalance, 'points' | 'cashback' | 'expiring'>) {
  return {
    points: Number(points),
    cashback: Number(cashback),
    expiring: expiring ? { points: Number(expiring.points), at: expiring.at } : null,
  };
}
