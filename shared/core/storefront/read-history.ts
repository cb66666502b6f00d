import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import { type AskingWorld, askLoyalty, type Unavailable } from './ask-loyalty.ts';

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

export interface HistoryWorld extends AskingWorld {
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
  world: HistoryWorld,
  size = PAGE_SIZE,
): Promise<{ readonly kind: 'answered'; readonly value: HistoryPage } | Unavailable> {
  const asked = await askLoyalty(
    'listPointsHistory',
    (options) =>
      world.loyalty.listPointsHistory(customerId, { PageNumber: page, PageSize: size }, options),
    world,
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
