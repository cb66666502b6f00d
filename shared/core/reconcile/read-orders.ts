import { throughBreaker } from '../calls/call-loyalty.ts';
import { type EntityEntry, readEntry } from '../ledger/ledger.ts';
import type { Mapped } from '../mapping/wanted-state.ts';
import type { HeldOrder } from '../sync/dependencies.ts';
import { readHeld } from '../sync/held-order.ts';
import { type Compared, compareSides, isOtherAmount } from './compare-sides.ts';
import {
  type OrdersRead,
  OUT_OF_TIME,
  type ReadingAssumptions,
  type ReconcileDeps,
  type ReconciledShop,
  type Sent,
  type Stopped,
  sendOnce,
} from './dependencies.ts';

/** An order that was sent, and of which no call is open. */
export interface SentOrder {
  readonly id: string;
  readonly entry: EntityEntry;
  /** The store's state; undefined where another one was applied, for example by earlier rules. */
  readonly applied: Mapped | undefined;
}

/** At most five a second: the service's limit is not documented, and the workers come first. */
const PAUSE_MS = 200;
/** Late calls are rare. Where more totals of a page differ they have another cause, and a person looks. */
const MOST_AMOUNTS_HEALED = 3;

/**
 * Reads orders from the loyalty service and compares them with the store. What a person must decide is
 * reported; a lost state is sent again. An order that cannot be read is counted, and the scan goes on.
 */
export async function readOrders(
  { domain: shop, forgottenUntil }: Pick<ReconciledShop, 'domain' | 'forgottenUntil'>,
  orders: readonly SentOrder[],
  deps: ReconcileDeps,
): Promise<(OrdersRead & { readonly kind: 'read' }) | Stopped> {
  const { now, deadline, telemetry, pause } = deps;
  const { loyalty, breaker, assumptions } = deps.program(shop);
  const absentByStatus: SentOrder[] = [];
  const sentAgain: Sent[] = [];
  const differing: string[] = [];
  const lately: string[] = [];
  const read: string[] = [];
  let [unread, amountsHealed] = [0, 0];
  for (const order of orders) {
    const answer = await throughBreaker({ breaker, now }, async () => ({
      kind: 'answered' as const,
      ...(await readHeld(serviceIdOf(order), loyalty, { signal: deadline })),
    }));
    if (answer.kind === 'call-refused') {
      const { why, pausedBy, afterSeconds } = answer.retry;
      return stop(why, pausedBy === 'service' ? afterSeconds : undefined);
    }
    const { outcome } = answer;
    if (deadline.aborted) return stop(OUT_OF_TIME.why);
    if (outcome.kind === 'retry' && (outcome.throttled || outcome.misconfigured)) {
      telemetry.count(outcome.throttled ? 'throttled' : 'misconfigured');
      return stop(`loyalty-${outcome.why}`, outcome.throttled ? outcome.afterSeconds : undefined);
    }
    await pause(PAUSE_MS);
    if (outcome.kind !== 'applied') fail(order, outcome.why);
    else if (answer.byStatus) absentByStatus.push(order);
    else await settle(order, answer.held);
  }
  // Where no order is found, the address may be wrong.
  const isAddressRight = read.length > 0;
  for (const order of absentByStatus) {
    if (isAddressRight) await settle(order, undefined);
    else fail(order, 'not-found');
  }
  return { kind: 'read', read, unread, sentAgain, differing, lately };

  function fail({ id }: SentOrder, why: string): void {
    unread += 1;
    telemetry.log('warn', 'an order could not be read', { shop, id, why });
  }

  async function settle(order: SentOrder, held: HeldOrder | undefined): Promise<void> {
    const { id, entry } = order;
    read.push(id);
    const verdict = judgeHeld({ ...order, forgottenUntil }, held, assumptions, now());
    if (verdict.kind === 'waits') lately.push(id);
    if (verdict.kind !== 'report' && verdict.kind !== 'heal') return;
    const isAmount = verdict.kind === 'heal' && verdict.what === 'amount';
    if (isAmount) amountsHealed += 1;
    // A worker marks the entry before it calls: what it changed meanwhile is no difference.
    const entryNow = await readEntry(deps.ledger, { shop, kind: 'order', id });
    if (entryNow?.revision !== entry.revision) return;
    if (verdict.kind === 'report' || (isAmount && amountsHealed > MOST_AMOUNTS_HEALED)) {
      const differs = verdict.differences.join(' ');
      telemetry.log('warn', 'the loyalty service holds another order', { shop, id, differs });
      differing.push(id);
      return;
    }
    const again = { id, version: entry.version, why: 'lost' } as const;
    const message = { shop, kind: 'order', claim: 'changed', state: 'again', force: true } as const;
    if (await sendOnce({ ...message, ...again }, deps)) sentAgain.push(again);
  }
}

/** Another integration may have sent it under another id. */
const serviceIdOf = ({ id, entry }: SentOrder): string => entry.service?.id ?? id;

function stop(why: string, afterSeconds?: number): Stopped {
  const after = afterSeconds !== undefined && { afterSeconds };
  return { kind: 'stopped', why, readingStopped: true, ...after };
}

type HeldVerdict =
  | { readonly kind: 'same' }
  /** A call of the last day may not show yet. */
  | { readonly kind: 'waits' }
  /** Sending the applied state again repairs it, and takes nothing that the customer has by the store's word. */
  | (Differs & { readonly kind: 'heal'; readonly what: 'state' | 'amount' })
  | (Differs & { readonly kind: 'report' });

type Differs = Pick<Compared, 'differences'>;

/** The service documents that a cancellation may show a day late. */
const SHOWN_AFTER_MS = 24 * 3_600_000;

/**
 * What to do about what the service holds of an order that was sent. Where the store's state is not the applied one
 * (`applied` undefined), nothing is healed.
 * See docs/decisions/0019-the-deep-scan-reads-the-service-and-takes-no-points.md.
 */
export function judgeHeld(
  { entry, applied, forgottenUntil = 0 }: SentOrder & Pick<ReconciledShop, 'forgottenUntil'>,
  held: HeldOrder | undefined,
  assumptions: ReadingAssumptions,
  now: Date,
): HeldVerdict {
  const { figures, differences } = compareSides({
    ...{ mapped: applied, entry, assumptions },
    held: held ? { kind: 'order', order: held } : { kind: 'absent' },
  });
  if (differences.length === 0) return { kind: 'same' };
  const isAboutState = differences.some((one) => one === 'absent' || one === 'state');
  const calledAt = Math.max(lastCallAt(entry), forgottenUntil);
  if (isAboutState && now.getTime() - calledAt < SHOWN_AFTER_MS) return { kind: 'waits' };
  const isHealed =
    applied !== undefined &&
    (!held || figures.store?.state === 'cancelled' || assumptions.ordersAreReplaced) &&
    (isAboutState
      ? isHarmless(figures, entry.service?.taken ?? 0)
      : differences.includes('amount') && isOverwritten(entry, figures, assumptions));
  const what = isAboutState ? 'state' : 'amount';
  return isHealed ? { kind: 'heal', what, differences } : { kind: 'report', differences };
}

/**
 * True when the total is neither wanted nor explained, as after a call that the service executed when a later one
 * had been sent, and sending the order again takes nothing. Only once: what a person changes back is theirs to decide.
 */
function isOverwritten(
  entry: EntityEntry,
  { store: wanted, service: found }: Compared['figures'],
  { readTotals, refunds }: ReadingAssumptions,
): boolean {
  if (lastCall(entry)?.origin === 'reconcile') return false;
  // The service has given nothing for it yet.
  if (wanted?.state === 'pending') return true;
  const missing = (wanted?.amount ?? 0) - (found?.amount ?? 0);
  const taken = entry.service?.taken ?? 0;
  // Then the setting `readTotals` is wrong: the service shows the total less what was taken.
  if (readTotals === 'as-sent' && taken > 0 && !isOtherAmount(missing, taken)) return false;
  return missing > 0 || (refunds === 'resend' && taken === 0);
}

/** True when sending the order again takes nothing that the customer has by the store's word. */
function isHarmless({ store: wanted, service: found }: Compared['figures'], taken: number) {
  if (wanted?.state === 'cancelled') return true;
  // A cancellation is final. And partial cancels may have been lost together with the order.
  if (wanted?.state === 'completed') return found?.state !== 'cancelled' && taken === 0;
  // The service gave points for what is completed there.
  return wanted?.state === 'pending' && found === undefined;
}

const CALLS: ReadonlySet<string> = new Set(['applied', 'rejected']);

const lastCall = ({ outcomes }: EntityEntry) =>
  outcomes.findLast(({ outcome }) => CALLS.has(outcome));

/** Where the last lines show no call, it is older than all of them. */
function lastCallAt(entry: EntityEntry): number {
  const line = lastCall(entry) ?? entry.outcomes[0];
  return line ? Date.parse(line.at) : entry.version;
}
