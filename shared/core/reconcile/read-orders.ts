import { throughBreaker } from '../calls/call-loyalty.ts';
import { readEntry } from '../ledger/ledger.ts';
import type { HeldOrder } from '../sync/change-service.ts';
import { readHeld } from '../sync/held-order.ts';
import { type HeldVerdict, judgeHeld, type SentOrder } from './compare-order.ts';
import {
  healingMessage,
  type OrdersRead,
  OUT_OF_TIME,
  type ReconcileDeps,
  type Sent,
  type Stopped,
  sendOnce,
} from './dependencies.ts';

/** At most five a second: the service's limit is not documented, and the workers come first. */
const PAUSE_MS = 200;
/** Late calls are rare. Where more totals of a page differ they have another cause, and a person looks. */
const MOST_AMOUNTS_HEALED = 3;

/**
 * Reads orders from the loyalty service and compares them with the store. What a person must decide is
 * reported; a lost state is sent again. An order that cannot be read is counted, and the scan goes on.
 */
export async function readOrders(
  shop: string,
  orders: readonly SentOrder[],
  deps: ReconcileDeps,
): Promise<(OrdersRead & { readonly kind: 'read' }) | Stopped> {
  const { now, deadline, telemetry, pause } = deps;
  const { loyalty, breaker } = deps.program(shop);
  const absentByStatus: SentOrder[] = [];
  const verdicts: (Verdict | undefined)[] = [];
  let amountsHealed = 0;
  const unread: string[] = [];
  const fail = (id: string, why: string) => {
    unread.push(id);
    telemetry.log('warn', 'an order could not be read', { shop, id, why });
  };
  for (const order of orders) {
    const answer = await throughBreaker({ breaker, now }, async () => ({
      kind: 'answered' as const,
      ...(await readHeld(order.id, loyalty, { signal: deadline })),
    }));
    if (answer.kind === 'stay-away') {
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
    if (outcome.kind !== 'applied') fail(order.id, outcome.why);
    else if (answer.byStatus) absentByStatus.push(order);
    else verdicts.push(await judge(order, answer.held));
  }
  // Where no order is found, the address may be wrong.
  const isAddressRight = verdicts.length > 0;
  for (const order of absentByStatus) {
    if (isAddressRight) verdicts.push(await judge(order, undefined));
    else fail(order.id, 'not-found');
  }
  return {
    kind: 'read',
    read: verdicts.length,
    unread: unread.length,
    sentAgain: verdicts.flatMap((one) => (one?.kind === 'sent-again' ? [one.sent] : [])),
    differing: verdicts.flatMap((one) => (one?.kind === 'differs' ? [one.id] : [])),
  };

  async function judge(order: SentOrder, held: HeldOrder | undefined) {
    const verdict = judgeHeld(order, held, deps.program(shop).assumptions, now());
    const isAmount = verdict.kind === 'heal' && verdict.what === 'amount';
    if (isAmount) amountsHealed += 1;
    const isReported = isAmount && amountsHealed > MOST_AMOUNTS_HEALED;
    return settle(shop, order, isReported ? { ...verdict, kind: 'report' } : verdict, deps);
  }
}

type Verdict =
  | { readonly kind: 'differs'; readonly id: string }
  | { readonly kind: 'sent-again'; readonly sent: Sent };

/** Undefined: nothing is to be done. */
async function settle(
  shop: string,
  { id, entry }: SentOrder,
  verdict: HeldVerdict,
  deps: ReconcileDeps,
): Promise<Verdict | undefined> {
  const { ledger, now, telemetry } = deps;
  if (verdict.kind !== 'report' && verdict.kind !== 'heal') return undefined;
  // A worker marks the entry before it calls: what it changed meanwhile is no difference.
  const entryNow = await readEntry(ledger, { shop, kind: 'order', id });
  if (entryNow?.revision !== entry.revision) return undefined;
  if (verdict.kind === 'report') {
    const differs = verdict.differences.join(' ');
    telemetry.log('warn', 'the loyalty service holds another order', { shop, id, differs });
    return { kind: 'differs', id };
  }
  const found = { shop, id, version: entry.version, now: now() };
  const message = healingMessage('order', found, 'again');
  if (!(await sendOnce({ ...message, force: true }, deps))) return undefined;
  telemetry.log('info', 'sent by reconciling', { shop, kind: 'order', id, why: 'lost' });
  return { kind: 'sent-again', sent: { id, version: entry.version, why: 'lost' } };
}

function stop(why: string, afterSeconds?: number): Stopped {
  const after = afterSeconds !== undefined && { afterSeconds };
  return { kind: 'stopped', why, readingStopped: true, ...after };
}
