import { type AskingDeps, askLoyalty, type Unavailable } from '../../core/calls/call-loyalty.ts';
import { followMerges } from '../../core/ledger/entry.ts';
import {
  fromThousandths,
  type Ledger,
  OUTCOMES_KEPT,
  type PastOutcome,
  readEntry,
} from '../../core/ledger/ledger.ts';
import { orderMemory } from '../../core/mapping/wanted-state.ts';
import { CANCELLED_STATE } from '../../core/sync/held-order.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type { Value } from '../../loyalty/operations.ts';
import type {
  ExplainedEarning,
  HistoryEntry,
  HistoryPage,
  OrderEarning,
} from '../../store/storefront-answers.gen.ts';

interface HistoryDeps extends AskingDeps {
  readonly loyalty: Pick<LoyaltyClient, 'listPointsHistory'>;
}

const PAGE_SIZE = 20;
export const MOST_PAGES = 100;

/** Of a customer whom the service does not know. */
export const noHistory = (page: number) =>
  ({ kind: 'answered', value: { page, hasMore: false, entries: [] } }) as const;

export async function readHistory(
  customerId: string,
  page: number,
  deps: HistoryDeps,
): Promise<{ readonly kind: 'answered'; readonly value: HistoryPage } | Unavailable> {
  const asked = await askLoyalty(
    'listPointsHistory',
    [customerId, { PageNumber: page, PageSize: PAGE_SIZE }],
    deps,
  );
  if (asked.kind === 'unavailable') return asked;
  if (asked.kind === 'refused') return noHistory(page);
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

interface OrderEarningDeps extends AskingDeps {
  readonly shop: string;
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly loyalty: Pick<LoyaltyClient, 'getOrder'>;
}

const nothing = (state: 'waiting' | 'none', why: OrderEarning['why'] = null): OrderEarning => ({
  state,
  points: null,
  cashback: null,
  why,
});

/**
 * The ledger proves whose order it is. For one that it does not know, and for one of another customer, the
 * same is read and the same answered; only for the customer's own is the service asked.
 */
export async function readOrderEarning(
  customerId: string,
  orderId: string,
  deps: OrderEarningDeps,
): Promise<{ readonly kind: 'answered'; readonly value: ExplainedEarning } | Unavailable> {
  const { shop, ledger } = deps;
  const [entry, currentId] = await Promise.all([
    readEntry(ledger, { shop, kind: 'order', id: orderId }),
    followMerges({ shop, id: customerId }, ledger),
  ]);
  const { customer, steps = [] } = orderMemory.read(entry?.remembered) ?? {};
  const ownerId = customer?.OriginalId;
  const isOwn =
    ownerId !== undefined &&
    ([customerId, currentId].includes(ownerId) ||
      // Placed before the two were merged.
      (await followMerges({ shop, id: ownerId }, ledger)) === currentId);
  if (!isOwn || entry?.appliedKey === undefined) return NOT_EARNED;
  // Another integration may have sent it under another id.
  const asked = await askLoyalty('getOrder', [entry.service?.id ?? orderId], deps);
  if (asked.kind === 'unavailable') return asked;
  const isTheirs = asked.kind === 'answered' && asked.value.Customer?.OriginalId === ownerId;
  if (!isTheirs) return NOT_EARNED;
  return answered(earningOf(asked.value), {
    steps: steps.map(([kind, amount]) => ({ kind, amount: Number(amount) })),
    counted: countedOf(entry.outcomes),
  });
}

function countedOf(outcomes: readonly PastOutcome[]): ExplainedEarning['counted'] {
  // The first one left may not be the first that was.
  if (outcomes.length >= OUTCOMES_KEPT) return [];
  return outcomes.flatMap(({ at, counts }) =>
    counts === undefined ? [] : [{ at, amount: fromThousandths(counts) }],
  );
}

/**
 * What the order that the service holds earns its customer. When points are given the service says of no order: its
 * history names none, and an entry of the same number may be another order's.
 */
export function earningOf(order: Value<'getOrder'>): OrderEarning {
  const { IsCancelledOrReturned, State, EstimatedBonus: bonus } = order;
  if (IsCancelledOrReturned || State === CANCELLED_STATE) {
    return nothing('none', 'cancelled');
  }
  // A program may give cashback alone.
  const isEmpty = bonus?.EstimatedPoints === 0 && !bonus.EstimatedCashback;
  if (State === IGNORED_STATE || bonus?.GenerateBonus === false || isEmpty) {
    return nothing('none', 'no-points');
  }
  return {
    state: 'earns',
    points: bonus?.EstimatedPoints ?? null,
    cashback: bonus?.EstimatedCashback ?? null,
    why: null,
  };
}

/** The service's number for an order that its program does not count. */
const IGNORED_STATE = 4;

const answered = (
  earning: OrderEarning,
  how: Pick<ExplainedEarning, 'steps' | 'counted'> = { steps: [], counted: [] },
) => ({ kind: 'answered', value: { ...earning, ...how } }) as const;

const NOT_EARNED = answered(nothing('waiting'));
