import type { MappingSkip } from '../../../shared/core/events/outcome.ts';
import type { Suggestion, Verdict, VerdictKind } from '../document/document.ts';
import { line, type Options } from '../document/line.ts';
import { pauseText } from '../pause/read-pauses.ts';
import { FOR_WHAT } from '../pause/waiting-messages.ts';
import { utcText } from '../terminal/text.ts';
import type { Trace } from './collect-trace.ts';
import { compareSides, isApplied } from './sides.ts';

export interface Judged extends Verdict {
  /** Why an order has points or not; undefined where that is not known. */
  readonly why?: PointsWhy | undefined;
  readonly next: readonly Suggestion[];
}

/** Decides whether the loyalty service has the current state of the store, and what to do if not. */
export function judgeTrace(trace: Trace): Judged {
  const { key, entry, letters, store, mapped, pause, ready, waits } = trace;
  const [letter] = letters;
  const [wait] = waits;
  const say = (
    why: PointsWhy | undefined,
    kind: VerdictKind,
    what: string,
    ...next: (Suggestion | undefined)[]
  ): Judged => ({ why, kind, what, next: next.filter((one) => one !== undefined) });
  const show = letter && {
    label: 'See the dead letter',
    line: line('dead-letters show', [letter.letterId]),
  };
  const retry = wait && {
    label: 'Try again now',
    line: line('retry-now', [], { shop: key.shop, queue: wait.queue }),
  };
  const status = { label: 'See what happens now', line: line('status') };
  if (store.kind === 'gone' && !entry) {
    return say(undefined, 'not known', 'Neither the store nor the ledger knows it.', show);
  }
  if (store.kind === 'unavailable' || !mapped) {
    const why = store.kind === 'unavailable' ? ` (${store.why})` : '';
    const doctor = { label: 'Find out why', line: line('doctor') };
    return say(undefined, 'not known', `The store could not be read${why}.`, doctor);
  }
  const { kind, what } = compareSides(trace);
  if (mapped.kind === 'fault') return say('rule-fails', kind, what, show);
  if (mapped.kind === 'skip') {
    return mapped.why === 'exchange'
      ? say(mapped.why, 'waits', 'An exchange is under way: its next change decides what is sent.')
      : say(mapped.why, kind, what);
  }
  const many = letters.length === 1 ? 'A dead letter' : `${letters.length} dead letters`;
  const rejected = letter && `${many} about it: ${letter.why}`;
  // Reconcile compares no customers.
  const isFound = key.kind !== 'member';
  if (entry?.uncertain) {
    const unknown = 'What became of a call to the loyalty service is not known';
    if (rejected && !wait) {
      return say('uncertain', 'action required', `${unknown}. ${rejected}`, show);
    }
    const later = isFound ? 'the next event or reconcile' : 'its next change or order';
    const then = wait ? waitText(wait) : `${later} sends it again`;
    return say('uncertain', 'waits', `${unknown}: ${then}.`, retry, show);
  }
  if (isApplied(trace)) {
    const old = letter ? ' The dead letters about it are older or the same.' : '';
    // The ledger would not send it again by itself. Nor may anybody, before a person has seen what that does to points.
    const again = resend(trace, { force: true }, 'If the store is right, to send it once more:');
    const isDeleted = mapped.wanted.kind === 'deleted-member';
    const send = kind === 'well' || isDeleted ? undefined : again;
    const next = trace.held.kind === 'unknown' ? status : send;
    return say(whyApplied(trace), kind, `${what}${old}`, next);
  }
  const before =
    entry?.appliedKey === undefined ? 'nothing was applied yet' : 'an earlier state was';
  const missing = `The current state of the store was not applied; ${before}.`;
  if (rejected) return say('rejected', 'action required', `${missing} ${rejected}`, show);
  if (wait) {
    const why = pause ? 'paused' : 'waiting';
    return say(why, 'waits', `${missing} This goes on by itself: ${waitText(wait)}.`, retry);
  }
  // An order brings its customer, who then has no entry of their own.
  if (!isFound && !entry && kind === 'well') return say(undefined, kind, what);
  if (store.kind === 'gone') {
    const found = isFound ? ', or a deep reconcile finds it' : '';
    const gone = `The store no longer has it: its deletion is on its way${found}.`;
    return say('queued', 'waits', `${missing} ${gone}${pauseHolds(pause)}`, status);
  }
  if (ready > 0) {
    const queued = 'Messages are on the queue, perhaps its own; if none is, "resend" sends it.';
    const said = `${missing} ${queued}${pauseHolds(pause)}`;
    return say('queued', 'waits', said, status, resend(trace));
  }
  const later = isFound ? 'the next reconcile finds it' : 'its next change or order does';
  const lost = 'No webhook of it came, and nothing of it is on the queue.';
  return say(
    'no-webhook',
    isFound ? 'waits' : 'action required',
    `${missing} ${lost} "resend" sends it now; otherwise ${later}.${pauseHolds(pause)}`,
    resend(trace),
    { label: 'Check the webhooks', line: line('webhooks check') },
  );
}

function pauseHolds(pause: Trace['pause']): string {
  return pause ? ` What is sent now waits for the end of a pause: ${pauseText(pause)}.` : '';
}

/** Of what is well: a person may still want it. Undefined where nothing would be sent. */
export function sendAgain(trace: Trace): Suggestion | undefined {
  const { mapped } = trace;
  if (mapped?.kind !== 'wanted' || mapped.wanted.kind === 'deleted-member') return undefined;
  const say = 'To send it once more all the same:';
  return { ...resend(trace, { force: true }, say), label: 'Send again…' };
}

/** Without `--yes`, it shows what would be sent. */
function resend(
  { key: { shop, kind, id } }: Trace,
  options: Options = {},
  say = 'To send it now:',
): Suggestion {
  const named = kind === 'member' ? 'customer' : kind;
  return { label: 'Send again', say, line: line('resend', [named, id], { shop, ...options }) };
}

type PointsWhy =
  | MappingSkip
  | NotApplied
  | 'rule-fails'
  | 'cancelled'
  | 'not-complete'
  | 'total-zero'
  | 'not-in-service'
  | 'cancelled-in-service'
  | 'none-by-service'
  | 'expected'
  | 'earned'
  | 'sent';

type NotApplied = 'paused' | 'rejected' | 'uncertain' | 'waiting' | 'queued' | 'no-webhook';

/** Why an order has points or not, for a person who answers its customer and knows nothing of queues. */
const POINTS: Readonly<Partial<Record<PointsWhy, string>>> = {
  guest: 'No points: it was ordered as a guest, without a customer who could have them.',
  'customer-without-email':
    'No points: the customer has no e-mail address, and the loyalty service cannot tell who it is.',
  'test-order': 'No points: it is a test order.',
  pending: 'No points yet: the order is not complete. It earns them by itself as soon as it is.',
  'not-complete':
    'No points yet: the order is not complete. It earns them by itself as soon as it is.',
  'before-go-live': 'No points: it was placed before the loyalty program began.',
  exchange: 'No points yet: an exchange of the items is under way.',
  redacted: "No points: the customer's data was erased.",
  'never-sent': 'No points: the order ended before anything of it was sent.',
  cancelled: 'No points: the order was cancelled or wholly refunded.',
  'rule-fails':
    'No points: a rule in the settings fails for this order. Its operator must repair it.',
  'total-zero': 'No points: nothing of what was paid counts. The amounts below say why.',
  'not-in-service':
    'No points: the order was sent, but the loyalty service does not have it. An operator must send it again.',
  'cancelled-in-service': 'No points: the order is cancelled in the loyalty service.',
  'none-by-service': 'No points: the loyalty service has the order and gives none for it.',
  sent: 'The order was sent as complete. The loyalty service did not say how many points it gives.',
};

/** After "No points yet:". */
const NOT_APPLIED: Readonly<Record<NotApplied, string>> = {
  paused: 'sending to the loyalty service is paused. It goes on when the pause ends.',
  rejected:
    'the order could not be sent to the loyalty service. An operator must find out why and send it again.',
  uncertain:
    'the loyalty service has not confirmed the order. It is sent again, by itself or by an operator.',
  waiting: 'the order waits to be sent to the loyalty service. It is tried again by itself.',
  queued: 'the order is on its way to the loyalty service, or the store has not reported it.',
  'no-webhook':
    'the store has not reported the order to the connector. An operator can send it now; otherwise it is found and sent by itself.',
};

/** Of a state that was applied. */
function whyApplied({ mapped, held, earned }: Trace): PointsWhy {
  const wanted = mapped?.kind === 'wanted' ? mapped.wanted : undefined;
  if (wanted?.kind === 'cancelled-order') return 'cancelled';
  if (wanted?.kind === 'order' && !wanted.order.IsCompleted) return 'not-complete';
  if (wanted?.kind === 'order' && wanted.order.OrderTotal === 0) return 'total-zero';
  if (held.kind === 'absent') return 'not-in-service';
  const { state, why } = earned?.earning ?? {};
  if (state === 'earned' || state === 'expected') return state;
  if (state !== 'none') return 'sent';
  return why === 'cancelled' ? 'cancelled-in-service' : 'none-by-service';
}

/** Whether the order has points, in words for its customer. Undefined when it is no order, or nothing is known. */
export function pointsText({ key, entry, earned }: Trace, { why }: Judged): string | undefined {
  if (key.kind !== 'order' || why === undefined) return undefined;
  const points = earned?.earning.points ?? 'them';
  if (why === 'earned') return `The order has its points: the loyalty service gave ${points}.`;
  if (why === 'expected') {
    return `No points yet: the loyalty service has the order and will give ${points}. Its program decides when.`;
  }
  if (!(why in NOT_APPLIED)) return POINTS[why] ?? `No points: ${why}.`;
  const lead =
    entry?.appliedKey === undefined
      ? 'No points yet'
      : 'The points are those of before its last change';
  return `${lead}: ${NOT_APPLIED[why as NotApplied]}`;
}

/** Completes a sentence about the order: `its message waits for …`. */
export function waitText({ waitsFor, why, until }: Trace['waits'][number]): string {
  return `its message waits ${FOR_WHAT[waitsFor]} (${why}), and the next attempt is at ${utcText(until)} UTC`;
}
