import type { MappingSkip } from '../../../shared/core/events/outcome.ts';
import { idempotencyKey } from '../../../shared/core/mapping/wanted-state.ts';
import { pauseText } from '../pause/read-pauses.ts';
import type { Trace } from './collect-trace.ts';
import { keepsItsRules } from './judge-trace.ts';
import { waitText } from './timeline.ts';

/** Whether an order earns points, and if not, why. */
export interface PointsReason {
  readonly why:
    | MappingSkip
    | 'rule-fails'
    | 'cancelled'
    | 'paused'
    | 'rejected'
    | 'uncertain'
    | 'waiting'
    | 'not-complete'
    | 'total-zero'
    | 'not-in-service'
    | 'cancelled-in-service'
    | 'none-by-service'
    | 'expected'
    | 'earned'
    | 'sent';
  readonly what: string;
  /** The loyalty service has an earlier state of the order, and perhaps gave points for it. */
  readonly hasEarlier?: true;
}

const SKIPS: Readonly<Partial<Record<MappingSkip, string>>> = {
  guest: 'No points: it is a guest order, without a customer who could have them.',
  'customer-without-email':
    'No points: its customer has neither an e-mail address nor a document, so the loyalty service could not tell who it is.',
  'test-order': "No points: it is a test order, and rules.testOrders is 'skip'.",
  pending:
    'No points yet: it is not complete (rules.completeWhen), and is not sent before (rules.pendingOrders).',
  'before-go-live':
    'No points: it was placed before go-live (rules.goLive), and only a backfill sends such an order.',
  exchange: 'No points yet: it is in the middle of an exchange, and its next change decides.',
  redacted: 'No points: its customer was redacted.',
  'never-sent': 'No points: it ended before anything of it was sent.',
};

/** Undefined: not an order, or the store does not say what it is now. */
export function explainPoints(trace: Trace): PointsReason | undefined {
  const { key, mapped, entry, letters } = trace;
  if (key.kind !== 'order' || !mapped) return undefined;
  if (mapped.kind === 'fault') {
    return { why: 'rule-fails', what: 'No points: a rule of connector.config.ts fails for it.' };
  }
  if (mapped.kind === 'skip') {
    return { why: mapped.why, what: SKIPS[mapped.why] ?? `No points: ${mapped.why}.` };
  }
  const { wanted } = mapped;
  if (wanted.kind === 'cancelled-order') {
    return { why: 'cancelled', what: 'No points: it was cancelled or wholly refunded.' };
  }
  if (wanted.kind !== 'order') return undefined;
  const isApplied = entry?.appliedKey === idempotencyKey(wanted) || keepsItsRules(trace);
  if (!isApplied || entry?.uncertain) return explainWaiting(trace, letters[0]);
  const { IsCompleted, OrderTotal } = wanted.order;
  if (!IsCompleted) {
    const what = 'No points yet: it was sent and is not complete (rules.completeWhen).';
    return { why: 'not-complete', what };
  }
  if (OrderTotal === 0) return { why: 'total-zero', what: 'No points: its total is zero.' };
  return explainEarning(trace.serviceOrder) ?? explainSent(OrderTotal, entry);
}

/** Undefined: the service did not say. */
function explainEarning(order: Trace['serviceOrder']): PointsReason | undefined {
  if (order?.kind === 'absent') {
    const what = 'No points: it was sent as complete, and the loyalty service does not have it.';
    return { why: 'not-in-service', what };
  }
  if (order?.kind !== 'held') return undefined;
  const { state, points, why } = order.earning;
  switch (state) {
    case 'earned': {
      const what = `It earned points: the loyalty service gave ${points} since it was complete, as many as it expects of this order.`;
      return { why: 'earned', what };
    }
    case 'expected': {
      const many = points === null ? 'does not say how many' : `expects ${points}`;
      const what = `No points yet: the loyalty service has it as complete and ${many}; the program decides when it gives them.`;
      return { why: 'expected', what };
    }
    case 'none':
      return why === 'cancelled'
        ? {
            why: 'cancelled-in-service',
            what: 'No points: the loyalty service has it as cancelled.',
          }
        : {
            why: 'none-by-service',
            what: 'No points: the loyalty service has it, and gives none for it.',
          };
    case 'waiting':
      return undefined;
  }
}

function explainSent(total: number | undefined, entry: Trace['entry']): PointsReason {
  const mark = entry?.history ? ', marked as history' : '';
  const what = `It was sent as complete with a total of ${total}${mark}: its points are what the program gives for that.`;
  return { why: 'sent', what };
}

function explainWaiting(trace: Trace, letter: Trace['letters'][number] | undefined): PointsReason {
  const hasEarlier = trace.entry?.appliedKey !== undefined;
  const { why, what } = whyNotApplied(trace, letter);
  return hasEarlier
    ? { why, what: `Points of an earlier state: ${what}.`, hasEarlier }
    : { why, what: `No points yet: ${what}.` };
}

function whyNotApplied(
  { entry, pause, waiting, waits }: Trace,
  letter: Trace['letters'][number] | undefined,
): Pick<PointsReason, 'why' | 'what'> {
  if (pause) return { why: 'paused', what: pauseText(pause) };
  const [wait] = waits;
  if (wait) return { why: 'waiting', what: waitText(wait) };
  if (letter) return { why: 'rejected', what: `it was given up (${letter.why})` };
  if (entry?.uncertain) {
    return { why: 'uncertain', what: 'a call has no known outcome, and is made again' };
  }
  const what =
    waiting > 0
      ? `${waiting} messages are on the queue, its own perhaps among them`
      : 'its webhook has not come, and nothing is on the queue; if none comes, reconciliation sends it';
  return { why: 'waiting', what };
}
