import { errorFields, type Telemetry } from '../../core/events/telemetry.ts';
import type { StoreUnavailable } from '../../core/store/store.ts';
import { readAmount, subtract, ZERO } from '../../store/money.ts';
import type { RememberedBalance, Told } from './point-balance.ts';

/** What the automation of the store is told. Numbers are exact decimals in plain notation. */
export type Announcement = { readonly customerId: string } & (
  | { readonly what: 'points-changed'; readonly points: string; readonly change: string }
  /** Null for none. */
  | { readonly what: 'tier-changed'; readonly tier: string | null; readonly before: string | null }
  /** `at`: ISO 8601. */
  | { readonly what: 'points-expiring'; readonly points: string; readonly at: string }
  /** `points`: what it cost. `code`: null for store credit. */
  | {
      readonly what: 'reward-redeemed';
      readonly reward: string;
      readonly points: string;
      readonly code: string | null;
    }
);

export interface AnnouncingStore {
  announce(shop: string, announcement: Announcement): Promise<{ kind: 'taken' } | StoreUnavailable>;
}

export interface AnnouncingDeps {
  /** Absent where the settings do not ask for it. */
  readonly announcing?: AnnouncingStore & { readonly expiryNoticeDays: number };
  readonly telemetry: Telemetry;
}

const DAY_MS = 86_400_000;

/** `before`: undefined where it is not known what the balance was, so that only the expiry is told. */
export function announcementsOf(
  customerId: string,
  { points, expiring, ...balance }: RememberedBalance,
  before: Told | undefined,
  { expiryNoticeDays }: { readonly expiryNoticeDays: number },
  now: Date,
): { readonly announcements: readonly Announcement[]; readonly told: Told } {
  const expiries = (before?.expiries ?? []).filter((at) => Date.parse(at) > now.getTime());
  const { tier = before?.tier ?? null } = balance;
  const announcements: Announcement[] = [];
  if (before && before.points !== points) {
    const change = differenceOf(points, before.points);
    announcements.push({ what: 'points-changed', customerId, points, change });
  }
  if (before && before.tier !== tier) {
    announcements.push({ what: 'tier-changed', customerId, tier, before: before.tier });
  }
  const left = expiring ? Date.parse(expiring.at) - now.getTime() : 0;
  if (
    expiring &&
    left > 0 &&
    left <= expiryNoticeDays * DAY_MS &&
    !expiries.includes(expiring.at)
  ) {
    announcements.push({ what: 'points-expiring', customerId, ...expiring });
    expiries.push(expiring.at);
  }
  return { announcements, told: { points, tier, expiries } };
}

const differenceOf = (one: string, other: string): string =>
  subtract(readAmount(one) ?? ZERO, readAmount(other) ?? ZERO);

/**
 * Each is sent at most once: the ledger says that it was told before it is sent, because a workflow may write an e-mail
 * or give points. It is lost only where the store fails, or the process dies, between that and the answer. Never
 * throws: the balance is written, whatever becomes of it.
 */
export async function announceAll(
  shop: string,
  announcements: readonly Announcement[],
  { announcing, telemetry }: AnnouncingDeps,
): Promise<void> {
  for (const one of announcements) {
    const lost = (why: object) =>
      telemetry.log('warn', 'an announcement to the store was lost', {
        ...{ shop, customerId: one.customerId, what: one.what },
        ...why,
      });
    try {
      const answer = await announcing?.announce(shop, one);
      if (answer?.kind === 'unavailable') lost({ why: answer.why });
    } catch (error) {
      lost(errorFields(error));
    }
  }
}
