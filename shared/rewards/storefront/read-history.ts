import { type AskingDeps, askLoyalty, type Unavailable } from '../../core/calls/call-loyalty.ts';
import { followMerges } from '../../core/ledger/entry.ts';
import {
  type Ledger,
  OUTCOMES_KEPT,
  type PastOutcome,
  readEntry,
} from '../../core/ledger/ledger.ts';
import { fromThousandths } from '../../core/ledger/service-order.ts';
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
/** The service's limit. */
const LARGEST_PAGE = 50;

export const MOST_PAGES = 100;

/** Of a customer whom the service does not know. */
export const noHistory = (page: number) =>
  ({ kind: 'answered', value: { page, hasMore: false, entries: [] } }) as const;

export async function readHistory(
  customerId: string,
  page: number,
  deps: HistoryDeps,
  size = PAGE_SIZE,
): Promise<{ readonly kind: 'answered'; readonly value: HistoryPage } | Unavailable> {
  const asked = await askLoyalty(
    'listPointsHistory',
    [customerId, { PageNumber: page, PageSize: size }],
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

interface OrderEarningDeps extends HistoryDeps {
  readonly shop: string;
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly loyalty: Pick<LoyaltyClient, 'getOrder' | 'listPointsHistory'>;
}

const nothing = (state: 'waiting' | 'none', why: OrderEarning['why'] = null): OrderEarning => ({
  state,
  points: null,
  cashback: null,
  why,
  usableFrom: null,
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
  // The order names them, so their history is under that id, too.
  const isTheirs = asked.kind === 'answered' && asked.value.Customer?.OriginalId === ownerId;
  if (!isTheirs) return NOT_EARNED;
  return answered(await earningOf(currentId, asked.value, deps), {
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

/** What the order that the service holds earns its customer, and when the points were given. */
export async function earningOf(
  customerId: string,
  order: Value<'getOrder'>,
  deps: HistoryDeps,
): Promise<OrderEarning> {
  const { IsCancelledOrReturned, State, EstimatedBonus: bonus } = order;
  if (IsCancelledOrReturned || State === CANCELLED_STATE) {
    return nothing('none', 'cancelled');
  }
  // A program may give cashback alone.
  const isEmpty = bonus?.EstimatedPoints === 0 && !bonus.EstimatedCashback;
  if (State === IGNORED_STATE || bonus?.GenerateBonus === false || isEmpty) {
    return nothing('none', 'no-points');
  }
  const given = await findGiven(customerId, order, deps);
  return {
    state: given ? 'earned' : 'expected',
    points: bonus?.EstimatedPoints ?? null,
    cashback: bonus?.EstimatedCashback ?? null,
    why: null,
    usableFrom: given?.at ?? null,
  };
}

/** The service's number for an order that its program does not count. */
const IGNORED_STATE = 4;

const answered = (
  earning: OrderEarning,
  how: Pick<ExplainedEarning, 'steps' | 'counted'> = { steps: [], counted: [] },
) => ({ kind: 'answered', value: { ...earning, ...how } }) as const;

const NOT_EARNED = answered(nothing('waiting'));

/** A page waits for no more calls: enough for 150 entries since the order. */
const MOST_SEARCHED = 3;

/** The completion is dated by the store's clock, the points by the service's. */
const SKEW_MS = 5 * 60_000;

/**
 * The history names no order. An entry of just the points that the service expects of this one, and not from
 * before it was complete, counts as this order's. Where none is found, the points still count as expected.
 */
async function findGiven(
  customerId: string,
  { IsCompleted, OrderCompletedDate, EstimatedBonus }: Value<'getOrder'>,
  deps: HistoryDeps,
): Promise<{ readonly at: string | null } | undefined> {
  const { EstimatedPoints: points, EstimatedCashback: cashback } = EstimatedBonus ?? {};
  const completedAt = Date.parse(OrderCompletedDate ?? '');
  if (!IsCompleted || points === undefined || Number.isNaN(completedAt)) return undefined;
  for (let page = 1; page <= MOST_SEARCHED; page += 1) {
    const history = await readHistory(customerId, page, deps, LARGEST_PAGE);
    if (history.kind === 'unavailable') return undefined;
    const { entries, hasMore } = history.value;
    const since = entries.filter(({ at }) => Date.parse(at ?? '') >= completedAt - SKEW_MS);
    const given = since.find(
      (entry) =>
        entry.kind === 'points' &&
        !entry.cancelled &&
        entry.points === points &&
        (points !== 0 || entry.cashback === cashback),
    );
    if (given) return given;
    if (!hasMore || since.length === 0) return undefined;
  }
  return undefined;
}
