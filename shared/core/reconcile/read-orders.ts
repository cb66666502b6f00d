import { readEntry } from '../ledger/ledger.ts';
import { throughBreaker } from '../sync/call-loyalty.ts';
import { readHeld } from '../sync/order-calls.ts';
import { judgeHeld, type SentOrder } from './compare-order.ts';
import { healingMessage, sendOnce } from './healing-message.ts';
import {
  type OrdersRead,
  OUT_OF_TIME,
  type ReconcileWorld,
  type Stopped,
} from './reconcile-world.ts';

/** At most five a second: the service's limit is not documented, and the workers come first. */
const PAUSE_MS = 200;

/**
 * Reads orders from the loyalty service and compares them with the store. What a person must decide is
 * reported; a lost state is sent again. An order that cannot be read is counted, and the walk goes on.
 */
export async function readOrders(
  shop: string,
  orders: readonly SentOrder[],
  world: ReconcileWorld,
): Promise<(OrdersRead & { readonly kind: 'read' }) | Stopped> {
  const { ledger, now, deadline, telemetry, pause } = world;
  const { loyalty, breaker, assumptions } = world.program(shop);
  const differing: string[] = [];
  let [read, unread, sentAgain] = [0, 0, 0];
  for (const order of orders) {
    const { id, entry } = order;
    const answer = await throughBreaker({ breaker, now }, async () => ({
      kind: 'answered' as const,
      ...(await readHeld(id, loyalty, { signal: deadline })),
    }));
    if (answer.kind === 'stay-away') return stop('loyalty-unavailable');
    const { outcome } = answer;
    if (deadline.aborted) return stop(OUT_OF_TIME.why);
    if (outcome.kind === 'retry' && (outcome.throttled || outcome.misconfigured)) {
      telemetry.count(outcome.throttled ? 'throttled' : 'misconfigured');
      return stop(`loyalty-${outcome.why}`, outcome.throttled ? outcome.afterSeconds : undefined);
    }
    await pause(PAUSE_MS);
    if (outcome.kind !== 'applied') {
      unread += 1;
      telemetry.log('warn', 'an order could not be read', { shop, id, why: outcome.why });
      continue;
    }
    read += 1;
    const verdict = judgeHeld(order, answer.held, assumptions, now());
    if (verdict.kind !== 'report' && verdict.kind !== 'heal') continue;
    // A worker marks the entry before it calls: what it changed meanwhile is no difference.
    const entryNow = await readEntry(ledger, { shop, kind: 'order', id });
    if (entryNow?.revision !== entry.revision) continue;
    if (verdict.kind === 'report') {
      differing.push(id);
      const differs = verdict.differences.join(' ');
      telemetry.log('warn', 'the loyalty service holds another order', { shop, id, differs });
      continue;
    }
    const found = { shop, id, version: entry.version, now: now() };
    const message = healingMessage('order', found, 'again');
    if (!(await sendOnce({ ...message, force: true }, world))) continue;
    sentAgain += 1;
    telemetry.log('info', 'sent by reconciling', { shop, kind: 'order', id, why: 'lost' });
  }
  return { kind: 'read', read, unread, sentAgain, differing };
}

function stop(why: string, afterSeconds?: number): Stopped {
  const after = afterSeconds !== undefined && { afterSeconds };
  return { kind: 'stopped', why, readingStopped: true, ...after };
}
