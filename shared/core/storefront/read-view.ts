import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { TimedCache } from '../calls/ask-loyalty.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type AvailableWorld, type CartLine, readAvailable } from '../redeem/available-rewards.ts';
import { listRedemptions } from '../redeem/list-redemptions.ts';
import type { RewardStore } from '../redeem/reward-store.ts';
import type { RedemptionView } from '../redemptions/redemption.ts';
import { openBook } from '../redemptions/redemption-record.ts';
import {
  type BalanceDeps,
  currentBalance,
  isStale,
  type KnownBalance,
  type KnownCustomer,
  type Moment,
  NOTHING_KNOWN,
  type ReadingDeps,
  readKnown,
  requestReading,
} from './known-customer.ts';
import { namedTier, readTier, type TierView } from './read-history.ts';
import {
  notListed,
  type Rewards,
  type RewardsDeps,
  readActive,
  viewForAll,
  viewRewards,
} from './reward-view.ts';

/** All that a page shows of one customer, of one moment. */
export interface View extends Rewards {
  readonly loggedIn: boolean;
  /** ISO 8601: the moment of points, cashback, tier and rewards. Null: no balance is known. */
  readonly asOf: string | null;
  readonly points: number | null;
  readonly cashback: number | null;
  readonly expiring: KnownBalance['expiring'];
  readonly tier: TierView | null;
  /** A till can redeem only with the customer's answer to a challenge. */
  readonly needsChallenge: boolean;
  /** The newest first. */
  readonly redemptions: readonly RedemptionView[];
}

export interface ViewDeps extends AvailableWorld, RewardsDeps, BalanceDeps, ReadingDeps {
  readonly shop: string;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: Pick<
    LoyaltyClient,
    | 'listTiers'
    | 'getCustomerPoints'
    | 'listAvailableRewards'
    | 'listRewardConfigurations'
    | 'getRewardConfiguration'
  >;
  /** Gives up in time for the answer. */
  readonly store: () => Pick<RewardStore, 'readUses'>;
  readonly retentionDays: number;
  /** By customer. */
  readonly moments: TimedCache<Moment>;
}

/** The only reader of what pages show: every other answer about a customer is a part of this one. */
export async function readView(
  customerId: string | undefined,
  cart: readonly CartLine[],
  deps: ViewDeps,
): Promise<View> {
  if (customerId === undefined) return viewOfVisitor(deps);
  const known = await readKnown({ shop: deps.shop, customerId }, deps.ledger, deps.now());
  const [asked, redemptions] = await Promise.all([
    readService(known, cart, deps),
    viewRedemptions(customerId, known, deps),
  ]);
  const { balance } = asked;
  if (
    known.balance.asOf === null ? balance.asOf !== null : isStale(known.balance.readAt, deps.now())
  )
    await requestReading(deps.shop, known.id, deps);
  const { points, cashback, asOf, expiring } = balance;
  const isOver = expiring !== null && Date.parse(expiring.at) <= deps.now().getTime();
  return {
    loggedIn: true,
    asOf,
    points,
    cashback,
    expiring: isOver ? null : expiring,
    tier: asked.tier,
    rewards: asked.rewards,
    retryAfterSeconds: asked.retryAfterSeconds,
    needsChallenge: asked.needsChallenge,
    redemptions,
  };
}

/** The customer's codes, without a question to the loyalty service. */
export async function readRedemptions(
  customerId: string,
  deps: ViewDeps,
): Promise<readonly RedemptionView[]> {
  const known = await readKnown({ shop: deps.shop, customerId }, deps.ledger, deps.now());
  return viewRedemptions(customerId, known, deps);
}

async function viewRedemptions(
  customerId: string,
  { redemptions }: KnownCustomer,
  deps: ViewDeps,
): Promise<readonly RedemptionView[]> {
  const book = openBook({ shop: deps.shop, customerId }, deps);
  return listRedemptions(redemptions, book, { ...deps, store: deps.store() });
}

async function viewOfVisitor(deps: ViewDeps): Promise<View> {
  const active = await readActive(deps);
  const { points, cashback, asOf, expiring } = NOTHING_KNOWN;
  const none = {
    points,
    cashback,
    asOf,
    expiring,
    tier: null,
    needsChallenge: false,
    redemptions: [],
  };
  return { loggedIn: false, ...none, ...viewForAll(active, 'not-logged-in', deps) };
}

interface Asked extends Rewards {
  readonly balance: KnownBalance;
  readonly tier: TierView | null;
  readonly needsChallenge: boolean;
}

/** Of one moment: what the service says now, or all of it from before. */
async function readService(
  known: KnownCustomer,
  cart: readonly CartLine[],
  deps: ViewDeps,
): Promise<Asked> {
  const kept = deps.moments.recall(known.id);
  const same = kept?.revisions === known.revisions ? kept : undefined;
  const began = deps.now();
  const [offered, listedNow, readNow] = await Promise.all([
    readAvailable(known.id, cart, deps),
    readActive(deps),
    same ? undefined : readTier(known.id, deps),
  ]);
  if (offered.kind === 'unavailable') return { ...lastKnown(known, kept), ...notListed(offered) };
  const value = offered.kind === 'answered' ? offered.value : undefined;
  const counted = JSON.stringify([value?.AvailablePoints, value?.AvailableCashback]);
  const unchanged = same?.counted === counted ? same : undefined;
  // After an outage the circuit breaker lets only the first of calls made together through.
  const [balance, tier, active] = await Promise.all([
    currentBalance(known, unchanged, value, began, deps),
    // Null is an answer, too.
    unchanged ? unchanged.tier : readNow === undefined ? readTier(known.id, deps) : readNow,
    listedNow.kind === 'unavailable' ? readActive(deps) : listedNow,
  ]);
  if ('kind' in balance) return { ...lastKnown(known, kept), ...notListed(balance) };
  if (tier !== undefined) {
    deps.moments.keep(known.id, { revisions: known.revisions, counted, balance, tier });
  }
  const { CurrentTier: named } = value?.Customer ?? {};
  const shownTier =
    tier === undefined || tier === 'unknown'
      ? namedTier(named?.Name ?? known.balance.tier, named?.Color)
      : tier;
  const rewards = value
    ? await viewRewards(value, active, shownTier?.name, known, deps)
    : viewForAll(active, 'not-a-member', deps);
  const needsChallenge = value?.ShouldValidateCustomer === true;
  return { balance, tier: shownTier, needsChallenge, ...rewards };
}

/** This process may have seen a newer balance than the ledger. Nothing of the two is mixed. */
function lastKnown(
  { balance }: KnownCustomer,
  kept: Moment | undefined,
): Omit<Asked, keyof Rewards> {
  const isNewer = kept && (kept.balance.asOf ?? '') > (balance.asOf ?? '');
  const shown = isNewer ? kept.balance : balance;
  const tier = isNewer && kept.tier !== 'unknown' ? kept.tier : namedTier(balance.tier);
  return { balance: shown, tier, needsChallenge: false };
}
