import type { LoyaltyClient } from '../../loyalty/client.ts';
import { type RememberedBalance, recallBalance } from '../balances/point-balance.ts';
import { balanceIn } from '../balances/read-customer.ts';
import {
  type AskingWorld,
  askLoyalty,
  type TimedCache,
  type Unavailable,
} from '../calls/ask-loyalty.ts';
import type { BalanceRequest } from '../events/event.ts';
import { errorFields, type Telemetry } from '../events/telemetry.ts';
import { type Ledger, type LedgerEntry, ledgerKeyText, readEntry } from '../ledger/ledger.ts';
import { followMerges, mergedInto } from '../ledger/merged-customer.ts';
import type { AvailableRewards } from '../redeem/available-rewards.ts';
import type { Redemption } from '../redemptions/redemption.ts';
import { bookKey, recallBook } from '../redemptions/redemption-record.ts';
import type { KnownTier } from './read-history.ts';

/** Null: neither an event nor a reading has reported it yet. */
export interface KnownBalance {
  readonly points: number | null;
  readonly cashback: number | null;
  readonly asOf: string | null;
  /** The points that expire next; null: none are about to. */
  readonly expiring: { readonly points: number; readonly at: string } | null;
  /** The tier's name when the balance was last written. */
  readonly tier: string | null;
  /** Epoch milliseconds: when the service was last asked for it; undefined: never. */
  readonly readAt: number | undefined;
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

export const NOTHING_KNOWN: KnownBalance = {
  points: null,
  cashback: null,
  asOf: null,
  expiring: null,
  tier: null,
  readAt: undefined,
};

/** One request, and one more for each merge. */
export async function readKnown(
  { shop, customerId }: { readonly shop: string; readonly customerId: string },
  ledger: Pick<Ledger, 'readMany'>,
  now: Date,
): Promise<KnownCustomer> {
  const record = { shop, kind: 'customer', id: customerId } as const;
  const book = bookKey({ shop, customerId });
  const read = await ledger.readMany([record, book]);
  const own = read.get(ledgerKeyText(record));
  const kept = read.get(ledgerKeyText(book));
  const into = mergedInto(own);
  const id = into === undefined ? customerId : await followMerges({ shop, id: into }, ledger);
  const entry = into === undefined ? own : await readEntry(ledger, { ...record, id });
  return {
    id,
    balance: knownBalance(entry),
    redemptions: recallBook(kept?.remembered, now).redemptions,
    revisions: [id, entry?.revision, kept?.revision].join('/'),
  };
}

/** What the ledger knows, from point events and readings. */
function knownBalance(entry: LedgerEntry | undefined): KnownBalance {
  const balance = recallBalance(entry?.remembered);
  if (!entry || !balance) return NOTHING_KNOWN;
  return {
    ...viewOfBalance(balance),
    asOf: new Date(entry.version).toISOString(),
    tier: balance.tier ?? null,
    readAt: balance.readAt,
  };
}

export function viewOfBalance({
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

export interface ReadingDeps {
  readonly queue: { send(event: BalanceRequest): Promise<void> };
  /** Customers whose balance was asked for a short time ago. */
  readonly requested: TimedCache<true>;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

/** Points come close to their expiry without any event: a visitor's balance is at most this old. */
const STALE_MS = 86_400_000;

export const isStale = (readAt: number | undefined, now: Date): boolean =>
  readAt === undefined || now.getTime() - readAt > STALE_MS;

/**
 * Only the worker writes balances, so that no two writers disagree. A page does not fail because of it: the
 * next visit asks again.
 */
export async function requestReading(
  shop: string,
  customerId: string,
  { queue, requested, telemetry, now }: ReadingDeps,
): Promise<void> {
  if (requested.recall(customerId)) return;
  requested.keep(customerId, true);
  const receivedAt = now().toISOString();
  const deliveryId = `visit/${customerId}/${receivedAt.slice(0, 'yyyy-mm-ddThh'.length)}`;
  const head = { shop, id: customerId, deliveryId, receivedAt } as const;
  try {
    await queue.send({ ...head, kind: 'balance', topic: 'visit' });
  } catch (error) {
    telemetry.log('error', 'the queue did not take the request for a balance', errorFields(error));
  }
}

/**
 * What is kept of a customer between two pages. It holds only while the ledger has the same revisions and the
 * service, which is asked for the rewards of every page, counts the same points.
 * See docs/decisions/0024-the-service-decides-and-one-read-shows-it.md.
 */
export interface Moment {
  readonly revisions: string;
  readonly counted: string;
  readonly balance: KnownBalance;
  readonly tier: KnownTier;
}

export interface BalanceDeps extends AskingWorld {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomerPoints'>;
}

/**
 * The balance of now. `unchanged`: what was kept, if the ledger and the service's count are still the same;
 * `offered`: what the service said since `began`, undefined for a customer whom it does not know.
 */
export async function currentBalance(
  known: KnownCustomer,
  unchanged: Moment | undefined,
  offered: AvailableRewards | undefined,
  began: Date,
  deps: BalanceDeps,
): Promise<KnownBalance | Unavailable> {
  return unchanged && isConfirmed(unchanged, offered)
    ? confirmed(unchanged.balance, offered, began)
    : findBalance(known, offered, began, deps);
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
  deps: BalanceDeps,
): Promise<KnownBalance | Unavailable> {
  const isCurrent = !offered || balance.points === offered.AvailablePoints;
  if (balance.asOf !== null && isCurrent) return confirmed(balance, offered, began);
  const asked = await askLoyalty(
    'getCustomerPoints',
    (options) => deps.loyalty.getCustomerPoints(id, options),
    deps,
  );
  if (asked.kind === 'unavailable') return asked;
  const read = asked.kind === 'answered' ? balanceIn(asked.value, began.getTime()) : undefined;
  return read ? { ...balance, ...viewOfBalance(read), asOf: began.toISOString() } : balance;
}
