import {
  type AskingDeps,
  askLoyalty,
  type TimedCache,
  type Unavailable,
} from '../../core/calls/call-loyalty.ts';
import type { BalanceEvent } from '../../core/events/event.ts';
import { errorFields } from '../../core/events/telemetry.ts';
import { followMerges, mergedInto } from '../../core/ledger/entry.ts';
import { type Ledger, ledgerKeyText, readEntry } from '../../core/ledger/ledger.ts';
import type { ShownBalance } from '../../core/platform/platform.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { components } from '../../loyalty/contract.gen.ts';
import type {
  GoalView,
  RedemptionView,
  Referral,
  Rewards,
  TierView,
  View,
} from '../../store/storefront-answers.gen.ts';
import { type Balance, balanceIn, recallBalance } from '../balances/point-balance.ts';
import {
  type AvailableDeps,
  type AvailableRewards,
  type CartLine,
  readAvailable,
} from '../redeem/available-rewards.ts';
import { type Redemption, viewOf } from '../redeem/redemption.ts';
import { recallRedemptions, redemptionsKey } from '../redeem/redemption-record.ts';
import { type TakeBackRule, type TakenBackBy, takeBackUntil } from '../redeem/take-back.ts';
import { notListed, type RewardsDeps, readActive, viewForAll, viewRewards } from './reward-view.ts';

export interface ViewDeps extends AvailableDeps, RewardsDeps {
  readonly shop: string;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: Pick<LoyaltyClient, 'listTiers' | 'getCustomerPoints' | 'getCustomer'> &
    AvailableDeps['loyalty'] &
    RewardsDeps['loyalty'];
  readonly queue: { send(event: BalanceEvent): Promise<void> };
  readonly retentionDays: number;
  readonly takeBack: TakeBackRule;
  /** By customer. */
  readonly moments: TimedCache<Moment>;
  /** Customers whose balance was asked for a short time ago. */
  readonly requested: TimedCache<true>;
}

/**
 * What is kept of a customer between two pages. It holds only while the ledger has the same revisions and the
 * service, which is asked for the rewards of every page, counts the same points.
 * See docs/decisions/0024-the-service-decides-and-one-read-shows-it.md.
 */
export interface Moment {
  /** The revisions and the counted points. */
  readonly of: string;
  readonly balance: KnownBalance;
  readonly tier: KnownTier;
  readonly referral: Referral | null;
}

/** The only reader of what pages show: every other answer about a customer is a part of this one. */
export async function readView(
  customerId: string | undefined,
  cart: readonly CartLine[],
  by: TakenBackBy,
  deps: ViewDeps,
): Promise<View> {
  if (customerId === undefined) return viewOfVisitor(deps);
  const known = await readKnown({ shop: deps.shop, customerId }, deps.ledger, deps.now());
  const { balance, ...asked } = await readService(known, cart, deps);
  const redemptions = listRedemptions(known.redemptions, by, deps.takeBack, deps.now());
  const isOutdated =
    known.balance.asOf === null ? balance.asOf !== null : isOld(known.balance, balance, deps.now());
  if (isOutdated) await requestReading(known.id, deps);
  const { points, cashback, asOf, expiring } = balance;
  const isOver = expiring !== null && Date.parse(expiring.at) <= deps.now().getTime();
  const shown = { asOf, points, cashback, expiring: isOver ? null : expiring };
  return { loggedIn: true, ...shown, ...asked, redemptions };
}

async function viewOfVisitor(deps: ViewDeps): Promise<View> {
  const { points, cashback, asOf, expiring } = NOTHING_KNOWN;
  const nothing = { points, cashback, asOf, expiring, tier: null, redemptions: [], referral: null };
  const rewards = viewForAll(await readActive(deps), 'not-logged-in', deps);
  return { loggedIn: false, ...nothing, needsChallenge: false, ...rewards };
}

/** The customer's codes, without a question to the loyalty service. */
export async function readRedemptions(
  customerId: string,
  by: TakenBackBy,
  deps: ViewDeps,
): Promise<readonly RedemptionView[]> {
  const now = deps.now();
  const { redemptions } = await readKnown({ shop: deps.shop, customerId }, deps.ledger, now);
  return listRedemptions(redemptions, by, deps.takeBack, now);
}

const MOST_LISTED = 20;

/** As the customer sees them, the newest first. An order marks the codes that it names as used. */
export function listRedemptions(
  redemptions: readonly Redemption[],
  by: TakenBackBy,
  rule: TakeBackRule,
  now: Date,
): readonly RedemptionView[] {
  return redemptions
    .toReversed()
    .flatMap((one) => viewOf(one, takeBackUntil(one, by, rule, now)) ?? [])
    .slice(0, MOST_LISTED)
    .map((view) => {
      const { state, validUntil } = view;
      // The store takes a code until its end.
      const isOver = validUntil !== null && Date.parse(validUntil) <= now.getTime();
      return state === 'ready' && isOver ? { ...view, state: 'expired' } : view;
    });
}

interface KnownBalance extends ShownBalance {
  /** ISO 8601: when the service was asked for it. */
  readonly asOf: string | null;
}

/** All that the ledger knows of a customer, of one moment. */
export interface KnownCustomer {
  /** Whom the store has now: another one after a merge. */
  readonly id: string;
  readonly balance: KnownBalance;
  /** The oldest first. */
  readonly redemptions: readonly Redemption[];
  /** Changes with every event and with every step of a redemption. */
  readonly revisions: string;
}

const NOTHING_KNOWN: KnownBalance = {
  points: null,
  cashback: null,
  asOf: null,
  expiring: null,
  tier: null,
};

/** One request, and one more for each merge. */
export async function readKnown(
  { shop, customerId }: { readonly shop: string; readonly customerId: string },
  ledger: Pick<Ledger, 'readMany'>,
  now: Date,
): Promise<KnownCustomer> {
  const customer = { shop, kind: 'customer', id: customerId } as const;
  const redemptions = redemptionsKey({ shop, customerId });
  const read = await ledger.readMany([customer, redemptions]);
  const own = read.get(ledgerKeyText(customer));
  const kept = read.get(ledgerKeyText(redemptions));
  const into = mergedInto(own);
  const id = into === undefined ? customerId : await followMerges({ shop, id: into }, ledger);
  const entry = into === undefined ? own : await readEntry(ledger, { ...customer, id });
  const balance = recallBalance(entry?.remembered);
  return {
    id,
    balance:
      entry && balance
        ? {
            ...viewOfBalance(balance),
            asOf: new Date(entry.version).toISOString(),
            tier: balance.tier ?? null,
          }
        : NOTHING_KNOWN,
    redemptions: recallRedemptions(kept?.remembered, now).redemptions,
    revisions: [id, entry?.revision, kept?.revision].join('/'),
  };
}

export function viewOfBalance({ points, cashback, expiring }: Balance) {
  return {
    points: Number(points),
    cashback: Number(cashback),
    expiring: expiring ? { points: Number(expiring.points), at: expiring.at } : null,
  };
}

interface Asked extends Rewards {
  readonly balance: KnownBalance;
  readonly tier: TierView | null;
  readonly referral: Referral | null;
  readonly needsChallenge: boolean;
}

/** Of one moment: what the service says now, or all of it from before. */
async function readService(
  known: KnownCustomer,
  cart: readonly CartLine[],
  deps: ViewDeps,
): Promise<Asked> {
  const kept = deps.moments.recall(known.id);
  const began = deps.now();
  const [offered, active] = await Promise.all([
    readAvailable(known.id, cart, deps),
    readActive(deps),
  ]);
  if (offered.kind === 'unavailable') return { ...lastKnown(known, kept), ...notListed(offered) };
  if (offered.kind === 'another-member' && !offered.isRead) {
    // What the service says under this id is another's: only what was written before is shown.
    return { ...lastKnown(known, undefined), ...viewForAll(active, offered.kind, deps) };
  }
  const value = offered.kind === 'answered' ? offered.value : undefined;
  const of = JSON.stringify([known.revisions, value?.AvailablePoints, value?.AvailableCashback]);
  const same = kept?.of === of ? kept : undefined;
  const [balance, tier] = await Promise.all([
    currentBalance(known, same, value, began, deps),
    same ? same.tier : readTier(known.id, deps),
  ]);
  const referral = offered.kind === 'answered' ? offered.referral : null;
  if ('kind' in balance) return { ...lastKnown(known, kept), ...notListed(balance) };
  if (tier !== undefined) deps.moments.keep(known.id, { of, balance, tier, referral });
  const { CurrentTier: named } = value?.Customer ?? {};
  const shownTier =
    tier === undefined || tier === 'unknown'
      ? namedTier(named?.Name ?? known.balance.tier, named?.Color)
      : tier;
  const rewards =
    offered.kind === 'answered'
      ? await viewRewards(offered.value, active, shownTier?.name, known.redemptions, deps)
      : viewForAll(active, offered.kind, deps);
  const needsChallenge = value?.ShouldValidateCustomer === true;
  return { balance, tier: shownTier, referral, needsChallenge, ...rewards };
}

/** This process may have seen a newer balance than the ledger. Nothing of the two is mixed. */
function lastKnown(
  { balance }: KnownCustomer,
  kept: Moment | undefined,
): Omit<Asked, keyof Rewards> {
  const isNewer = kept && (kept.balance.asOf ?? '') > (balance.asOf ?? '');
  const shown = isNewer ? kept.balance : balance;
  const tier = isNewer && kept.tier !== 'unknown' ? kept.tier : namedTier(balance.tier);
  return { balance: shown, tier, referral: kept?.referral ?? null, needsChallenge: false };
}

/**
 * The balance of now. `same`: what was kept, if the ledger and the service's count are still the same;
 * `offered`: what the service said since `began`, undefined for a customer whom it does not know.
 */
async function currentBalance(
  { id, balance }: KnownCustomer,
  same: Moment | undefined,
  offered: AvailableRewards | undefined,
  began: Date,
  deps: ViewDeps,
): Promise<KnownBalance | Unavailable> {
  const asOf = began.toISOString();
  // The service has just counted the same points.
  const confirmed = (one: KnownBalance) => (offered && one.asOf !== null ? { ...one, asOf } : one);
  const isCounted = offered?.AvailablePoints !== undefined;
  // Without counted points only that nothing is known needs no second question.
  if (same && (isCounted || same.balance.asOf === null)) return confirmed(same.balance);
  const isCurrent = !offered || balance.points === offered.AvailablePoints;
  if (balance.asOf !== null && isCurrent) return confirmed(balance);
  // An event is still on its way, or was lost.
  const asked = await askLoyalty('getCustomerPoints', [id], deps);
  if (asked.kind === 'unavailable') return asked;
  const read = asked.kind === 'answered' ? balanceIn(asked.value, began.getTime()) : undefined;
  return read ? { ...balance, ...viewOfBalance(read), asOf } : balance;
}

/** Points come close to their expiry without any event: a visitor's balance is at most this old. */
const STALE_MS = 86_400_000;

/** Also one that the service says otherwise now: its event is on its way, was lost, or was read too early. */
const isOld = (known: KnownBalance, shown: KnownBalance, now: Date): boolean =>
  now.getTime() - Date.parse(known.asOf ?? '') > STALE_MS || known.points !== shown.points;

/**
 * Only the worker writes balances, so that no two writers disagree. A page does not fail because of it: the
 * next visit asks again.
 */
async function requestReading(
  customerId: string,
  { shop, queue, requested, telemetry, now }: ViewDeps,
): Promise<void> {
  if (requested.recall(customerId)) return;
  requested.keep(customerId, true);
  const receivedAt = now().toISOString();
  const deliveryId = `visit/${customerId}/${receivedAt.slice(0, 'yyyy-mm-ddThh'.length)}`;
  const head = { shop, id: customerId, deliveryId, receivedAt } as const;
  try {
    await queue.send({ ...head, kind: 'balance', topic: 'visit' });
  } catch (error) {
    requested.keep(customerId, true, 0);
    telemetry.log('error', 'the queue did not take the request for a balance', errorFields(error));
  }
}

/** Null where the customer has none; `unknown` where the service does not say, as for one it does not know. */
type KnownTier = TierView | null | 'unknown';

/** Undefined when the service did not answer. */
export async function readTier(
  customerId: string,
  deps: AskingDeps & { readonly loyalty: Pick<LoyaltyClient, 'listTiers'> },
): Promise<KnownTier | undefined> {
  const asked = await askLoyalty('listTiers', [{ CustomerId: customerId }], deps);
  if (asked.kind === 'unavailable') return undefined;
  if (asked.kind === 'refused') return 'unknown';
  const { CurrentTier: current, NextTiers: following } = asked.value;
  if (!current?.Name) return null;
  const [next] = following
    .filter((tier) => (tier.Order ?? 0) > (current.Order ?? Number.NEGATIVE_INFINITY))
    .toSorted((one, other) => (one.Order ?? 0) - (other.Order ?? 0));
  return {
    name: current.Name,
    color: current.Color ?? null,
    next: next?.Name ? { name: next.Name, goals: (next.Goals ?? []).map(goalOf) } : null,
  };
}

/** Where only the name is known. */
function namedTier(name: string | null | undefined, color: string | null = null): TierView | null {
  return name ? { name, color, next: null } : null;
}

function goalOf(goal: components['schemas']['TierGoal']): GoalView {
  return {
    name: goal.Name ?? '',
    value: goal.CurrentValue ?? 0,
    goal: goal.GoalValue ?? 0,
    percent: goal.PercentToGoal ?? 0,
  };
}
