import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { type AskingWorld, askLoyalty, type Unavailable } from '../calls/ask-loyalty.ts';

/** One line of what a customer earned, spent and lost. */
interface HistoryEntry {
  /** `tier`: the customer came into another tier; no points moved. */
  readonly kind: 'points' | 'tier';
  /** ISO 8601. */
  readonly at: string | null;
  /** As the service writes it, in the program's language. */
  readonly title: string;
  /** Below 0 for what was spent. */
  readonly points: number;
  readonly cashback: number;
  /** It no longer counts. */
  readonly cancelled: boolean;
  /** The code that the points were spent for. */
  readonly code: string | null;
  /** With `tier`: the name of the tier. */
  readonly tier: string | null;
}

export interface HistoryPage {
  /** From 1. */
  readonly page: number;
  readonly hasMore: boolean;
  /** In the service's order. */
  readonly entries: readonly HistoryEntry[];
}

export interface HistoryDeps extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'listPointsHistory'>;
}

const PAGE_SIZE = 20;
/** The service's limit. */
export const LARGEST_PAGE = 50;

export const MOST_PAGES = 100;

/** A customer whom the service does not know has no history. */
export async function readHistory(
  customerId: string,
  page: number,
  deps: HistoryDeps,
  size = PAGE_SIZE,
): Promise<{ readonly kind: 'answered'; readonly value: HistoryPage } | Unavailable> {
  const asked = await askLoyalty(
    'listPointsHistory',
    (options) =>
      deps.loyalty.listPointsHistory(customerId, { PageNumber: page, PageSize: size }, options),
    deps,
  );
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused') {
    return { kind: 'answered', value: { page, hasMore: false, entries: [] } };
  }
  const { Items, HasNextPage } = asked.value;
  const hasMore = HasNextPage === true && page < MOST_PAGES;
  return { kind: 'answered', value: { page, hasMore, entries: Items.map(entryOf) } };
}

function entryOf(item: components['schemas']['PointsHistoryItem']): HistoryEntry {
  // Documented: where it is true, the point type means nothing.
  const isTier = item.IsTierHistory === true;
  return {
    kind: isTier ? 'tier' : 'points',
    at: item.Date ?? null,
    title: item.Title ?? '',
    points: isTier ? 0 : (item.Points ?? 0),
    cashback: isTier ? 0 : (item.CashbackValue ?? 0),
    cancelled: item.IsCanceled === true,
    code: item.CouponCode || null,
    tier: isTier ? (item.TierName ?? null) : null,
  };
}

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

interface TierDeps extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'listTiers'>;
}

/**
 * Null: the customer has none. `unknown`: the service does not say, for example for a customer it does not
 * know. Undefined: it did not answer.
 */
export type KnownTier = TierView | null | 'unknown';

export async function readTier(customerId: string, deps: TierDeps): Promise<KnownTier | undefined> {
  const asked = await askLoyalty(
    'listTiers',
    (options) => deps.loyalty.listTiers({ CustomerId: customerId }, options),
    deps,
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
