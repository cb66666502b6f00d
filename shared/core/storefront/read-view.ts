import type { LoyaltyClient } from '../../loyalty/client.ts';
import { balanceIn } from '../balances/read-customer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  type AvailableRewards,
  type AvailableWorld,
  readAvailable,
} from '../redeem/available-rewards.ts';
import { listRedemptions } from '../redeem/list-redemptions.ts';
import { openBook } from '../redeem/open-book.ts';
import { type RedemptionView, viewOf } from '../redeem/redemption-view.ts';
import type { RewardStore } from '../redeem/reward-store.ts';
import type { RewardTypes } from '../redeem/reward-terms.ts';
import { askLoyalty, type Unavailable } from './ask-loyalty.ts';
import type { CartLine } from './cart.ts';
import {
  type KnownBalance,
  type KnownCustomer,
  NOTHING_KNOWN,
  readKnown,
  viewOfBalance,
} from './known-customer.ts';
import {
  type ActiveRewards,
  type ProgramWorld,
  readActive,
  readTiersOf,
} from './program-rewards.ts';
import { isStale, type ReadingWorld, requestReading } from './request-reading.ts';
import {
  type RewardView,
  unexplained,
  viewOffered,
  viewUnoffered,
  withOtherTiers,
} from './reward-view.ts';
import { type KnownTier, namedTier, readTier, type TierView } from './tier-view.ts';
import type { TimedCache } from './timed-cache.ts';

/** All that a page shows of one customer, of one moment. */
export interface View {
  readonly loggedIn: boolean;
  /** ISO 8601: the moment of points, cashback, tier and rewards. Null: no balance is known. */
  readonly asOf: string | null;
  readonly points: number | null;
  readonly cashback: number | null;
  readonly expiring: KnownBalance['expiring'];
  readonly tier: TierView | null;
  /** Null: the service cannot be reached. The balance is then the last that is known, and older. */
  readonly rewards: readonly RewardView[] | null;
  /** With `rewards: null`: when to ask again. */
  readonly retryAfterSeconds: number | null;
  /** A till can redeem only with the customer's answer to a challenge. */
  readonly needsChallenge: boolean;
  /** The newest first. */
  readonly redemptions: readonly RedemptionView[];
}

export interface ViewWorld extends AvailableWorld, ProgramWorld, ReadingWorld {
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
  readonly rewardTypes: RewardTypes;
  /** By customer. */
  readonly moments: TimedCache<Moment>;
}

/**
 * What is kept of a customer between two pages. It holds only while the ledger has the same revisions and the
 * service, which is asked for the rewards of every page, counts the same points.
 * See docs/decisions/0064-one-moment-one-truth.md.
 */
export interface Moment {
  readonly revisions: string;
  readonly counted: string;
  readonly balance: KnownBalance;
  readonly tier: KnownTier;
}

/** The only reader of what pages show: every other answer about a customer is a part of this one. */
export async function readView(
  customerId: string | undefined,
  cart: readonly CartLine[],
  world: ViewWorld,
): Promise<View> {
  if (customerId === undefined) return viewOfVisitor(world);
  const known = await readKnown({ shop: world.shop, customerId }, world.ledger, world.now());
  const [asked, redemptions] = await Promise.all([
    readService(known, cart, world),
    viewRedemptions(customerId, known, world),
  ]);
  const { balance } = asked;
  if (
    known.balance.asOf === null ? balance.asOf !== null : isStale(known.balance.readAt, world.now())
  )
    await requestReading(world.shop, known.id, world);
  const { points, cashback, asOf, expiring } = balance;
  const isOver = expiring !== null && Date.parse(expiring.at) <= world.now().getTime();
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
  world: ViewWorld,
): Promise<readonly RedemptionView[]> {
  const known = await readKnown({ shop: world.shop, customerId }, world.ledger, world.now());
  return viewRedemptions(customerId, known, world);
}

async function viewRedemptions(
  customerId: string,
  { redemptions }: KnownCustomer,
  world: ViewWorld,
): Promise<readonly RedemptionView[]> {
  const book = openBook({ shop: world.shop, customerId }, world);
  return listRedemptions(redemptions, book, { ...world, store: world.store() });
}

async function viewOfVisitor(world: ViewWorld): Promise<View> {
  const active = await readActive(world);
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
  return { loggedIn: false, ...none, ...viewForAll(active, 'not-logged-in', world) };
}

type Rewards = Pick<View, 'rewards' | 'retryAfterSeconds'>;

const listed = (rewards: readonly RewardView[]): Rewards => ({ rewards, retryAfterSeconds: null });
const notListed = ({ afterSeconds }: Unavailable): Rewards => ({
  rewards: null,
  retryAfterSeconds: afterSeconds,
});

function viewForAll(
  active: ActiveRewards,
  why: Parameters<typeof viewUnoffered>[1],
  { rewardTypes }: ViewWorld,
): Rewards {
  return active.kind === 'answered'
    ? listed(viewUnoffered(active.value, why, rewardTypes))
    : notListed(active);
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
  world: ViewWorld,
): Promise<Asked> {
  const kept = world.moments.recall(known.id);
  const same = kept?.revisions === known.revisions ? kept : undefined;
  const began = world.now();
  const [offered, listedNow, readNow] = await Promise.all([
    readAvailable(known.id, cart, world),
    readActive(world),
    same ? undefined : readTier(known.id, world),
  ]);
  if (offered.kind === 'unavailable') return { ...lastKnown(known, kept), ...notListed(offered) };
  const value = offered.kind === 'answered' ? offered.value : undefined;
  const counted = JSON.stringify([value?.AvailablePoints, value?.AvailableCashback]);
  const unchanged = same?.counted === counted ? same : undefined;
  // After an outage the circuit breaker lets only the first of calls made together through.
  const [balance, tier, active] = await Promise.all([
    unchanged && isConfirmed(unchanged, value)
      ? confirmed(unchanged.balance, value, began)
      : findBalance(known, value, began, world),
    // Null is an answer, too.
    unchanged ? unchanged.tier : readNow === undefined ? readTier(known.id, world) : readNow,
    listedNow.kind === 'unavailable' ? readActive(world) : listedNow,
  ]);
  if ('kind' in balance) return { ...lastKnown(known, kept), ...notListed(balance) };
  if (tier !== undefined) {
    world.moments.keep(known.id, { revisions: known.revisions, counted, balance, tier });
  }
  const { CurrentTier: named } = value?.Customer ?? {};
  const shownTier =
    tier === undefined || tier === 'unknown'
      ? namedTier(named?.Name ?? known.balance.tier, named?.Color)
      : tier;
  const rewards = value
    ? listed(await viewRewards(value, active, shownTier?.name, known, world))
    : viewForAll(active, 'not-a-member', world);
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

/** Without counted points only that nothing is known needs no second question. */
function isConfirmed({ balance }: Moment, offered: AvailableRewards | undefined): boolean {
  return offered?.AvailablePoints !== undefined || balance.asOf === null;
}

/** The service has just counted the same points. */
function confirmed(
  balance: KnownBalance,
  offered: AvailableRewards | undefined,
  began: Date,
): KnownBalance {
  return offered && balance.asOf !== null ? { ...balance, asOf: began.toISOString() } : balance;
}

/**
 * The ledger's balance where the service counts the same points. Else an event is still on its way, or was
 * lost, and the service is asked for the balance.
 */
async function findBalance(
  { id, balance }: KnownCustomer,
  offered: AvailableRewards | undefined,
  began: Date,
  world: ViewWorld,
): Promise<KnownBalance | Unavailable> {
  const isCurrent = !offered || balance.points === offered.AvailablePoints;
  if (balance.asOf !== null && isCurrent) return confirmed(balance, offered, began);
  const asked = await askLoyalty(
    'getCustomerPoints',
    (options) => world.loyalty.getCustomerPoints(id, options),
    world,
  );
  if (asked.kind === 'unavailable') return asked;
  const read = asked.kind === 'answered' ? balanceIn(asked.value, began.getTime()) : undefined;
  return read ? { ...balance, ...viewOfBalance(read), asOf: began.toISOString() } : balance;
}

async function viewRewards(
  offered: AvailableRewards,
  listed: ActiveRewards,
  ownTier: string | undefined,
  { redemptions }: KnownCustomer,
  world: ViewWorld,
): Promise<readonly RewardView[]> {
  const active = listed.kind === 'answered' ? listed.value : [];
  const open = new Set(
    redemptions
      .flatMap((one) => viewOf(one) ?? [])
      .filter(({ state }) => state === 'pending' || state === 'making')
      .map(({ rewardId }) => rewardId),
  );
  const circumstances = { active, open, rewardTypes: world.rewardTypes };
  const views = viewOffered(offered, circumstances);
  const tiersOf = await readTiersOf(unexplained(views, active), world);
  return withOtherTiers(views, tiersOf, ownTier, circumstances);
}
