import type { MappingSkip } from '../../../shared/core/events/outcome.ts';
import {
  differsByRulesAlone,
  faultText,
  idempotencyKey,
} from '../../../shared/core/mapping/wanted-state.ts';
import { quietUntil } from '../../../shared/core/reconcile/dependencies.ts';
import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import { isTakenUnknown, TAKEN_UNKNOWN } from '../compare/compare-sides.ts';
import { pauseText, resumeText } from '../pause/read-pauses.ts';
import { FOR_WHAT } from '../pause/waiting-messages.ts';
import type { Trace } from './collect-trace.ts';

export interface TraceVerdict {
  /** `agrees`: nothing to do; `differs`: a change is still to be applied or was lost; `unknown`: cannot be decided. */
  readonly kind: 'agrees' | 'differs' | 'unknown';
  readonly what: string;
  /** A command to run, without `npx loyalty-connector`. */
  readonly next?: string;
}

/** Decides whether the loyalty service has the current state of the store. */
export function judgeTrace(trace: Trace, now = new Date()): TraceVerdict {
  const { key, entry, letters, store, mapped, pause, waiting, waits, doubt } = trace;
  const [letter] = letters;
  const show = letter && { next: `dead-letters show ${letter.letterId}` };
  if (store.kind === 'gone' && !entry) {
    return { kind: 'unknown', what: 'Neither the store nor the ledger knows it.', ...show };
  }
  if (store.kind === 'unavailable' || !mapped) {
    const why = store.kind === 'unavailable' ? ` (${store.why})` : '';
    return { kind: 'unknown', what: `The store could not be read${why}.`, next: 'doctor' };
  }
  if (mapped.kind === 'fault') {
    const what = `The rules cannot map it: ${faultText(mapped)}.`;
    return { kind: 'differs', what, ...show };
  }
  if (mapped.kind === 'skip') {
    return { kind: 'agrees', what: `It is not sent, by rule: ${mapped.why}.` };
  }
  const [wait] = waits;
  const retry = wait && { next: `retry-now --shop ${key.shop} --queue ${wait.queue}` };
  if (entry?.uncertain) {
    const uncertain = 'The outcome of a call to the loyalty service is uncertain';
    if (retry) return { kind: 'differs', what: `${uncertain}; ${waitText(wait)}.`, ...retry };
    return {
      kind: 'differs',
      what: `${uncertain}; the next event or reconcile sends it again.`,
      ...show,
    };
  }
  if (entry?.appliedKey === idempotencyKey(mapped.wanted)) {
    if (trace.serviceOrder?.kind === 'absent' && mapped.wanted.kind === 'order') {
      const what =
        'The current state of the store was applied, but the loyalty service does not have it.';
      return { kind: 'differs', what, next: `resend order ${key.id} --shop ${key.shop} --force` };
    }
    if (isTakenUnknown(mapped.wanted, entry, doubt)) {
      return {
        kind: 'unknown',
        what: TAKEN_UNKNOWN,
        next: `compare order ${key.id} --shop ${key.shop}`,
      };
    }
    const old = letter ? ' The dead letters about it are older or the same.' : '';
    return { kind: 'agrees', what: `The current state of the store was applied.${old}` };
  }
  if (keepsItsRules(trace)) {
    const what = 'It was applied by earlier rules, and an order keeps its rules.';
    return { kind: 'agrees', what, ...show };
  }
  if (letter) {
    const what = `The current state of the store was not applied, and ${letters.length === 1 ? 'a dead letter' : `${letters.length} dead letters`} about it wait${letters.length === 1 ? 's' : ''}: ${letter.why}`;
    return { kind: 'differs', what, ...show };
  }
  if (store.kind === 'gone') {
    return {
      kind: 'differs',
      what: 'The store no longer has it, and the loyalty service still does. The deletion is still in the queue, or the next deep reconcile finds it.',
      next: 'status',
    };
  }
  const known =
    entry?.appliedKey === undefined ? 'nothing was applied yet' : 'an earlier state was';
  const what = `The current state of the store was not applied; ${known}.`;
  if (pause) {
    const next = pause.by === 'operator' ? resumeText(pause) : 'status';
    return { kind: 'differs', what: `${what} ${pauseText(pause)}.`, next };
  }
  if (retry) {
    return {
      kind: 'differs',
      what: `The current state of the store was not applied: ${waitText(wait)}.`,
      ...retry,
    };
  }
  if (waiting > 0) {
    return {
      kind: 'differs',
      what: `${what} Messages are on the queue, its own perhaps among them.`,
      next: 'status',
    };
  }
  const isQuiet = store.kind === 'found' && versionOf(store.value) < quietUntil(now);
  return isQuiet
    ? {
        kind: 'differs',
        what: `${what} Nothing is on the queue: reconcile sends it.`,
        next: `reconcile --wait --shop ${key.shop}`,
      }
    : {
        kind: 'differs',
        what: `${what} Nothing is on the queue: its webhook may still come, and if not, a reconcile in a quarter of an hour sends it.`,
        next: 'webhooks check',
      };
}

/** The state of the store was applied, by rules that were changed since. */
function keepsItsRules({ store, entry, mapped }: Trace): boolean {
  if (store.kind !== 'found' || mapped?.kind !== 'wanted' || entry?.appliedKey === undefined) {
    return false;
  }
  return versionOf(store.value) === entry.version && differsByRulesAlone(mapped, entry);
}

/**
 * The last state that reconciliation found and no webhook had reported. What it sends again for another reason,
 * such as a changed rule, has a line of the same state before it.
 */
export function lostWebhookOf({ key, entry }: Trace): string | undefined {
  if (key.kind !== 'order' || !entry) return undefined;
  const { outcomes } = entry;
  const found = outcomes.findLast(
    ({ origin, version }, index) =>
      origin === 'reconcile' && outcomes.slice(0, index).every((one) => one.version < version),
  );
  if (!found) return undefined;
  const at = momentText(Date.parse(found.at));
  return `A webhook was lost: that of the change of ${momentText(found.version)} did not come, and reconciliation found the order (${at}).`;
}

/** Whether an order earns points, and if not, why. */
interface PointsReason {
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

/** Undefined when it is not an order, or the store does not say what it is now. */
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

/** Undefined when the service did not say. */
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

interface TimelineLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly who: 'store' | 'queue' | 'ledger' | 'dead letter' | 'loyalty service';
  readonly event: TimelineEvent;
  /** The event with its details, in words. */
  readonly what: string;
  /** What the name of the event does not say. */
  readonly detail?: string;
  /** Of `outcome`: as the ledger names it. */
  readonly outcome?: string;
  /** Of `given-up`, `outcome` and `next-try`: the name of the reason. */
  readonly reason?: string;
}

type TimelineEvent =
  | 'created'
  | 'changed'
  | 'fulfilled'
  | 'refunded'
  | 'cancelled'
  | 'webhook-sent'
  | 'received'
  | 'outcome'
  | 'waits'
  | 'next-try'
  | 'given-up'
  | 'replayed'
  | 'points-given';

/** Every known moment, the oldest first. The next attempt is in the future. */
export function timelineOf(trace: Trace): readonly TimelineLine[] {
  return [
    ...inStore(trace.store),
    ...onQueue(trace.waits),
    ...inLedger(trace.entry),
    ...amongLetters(trace.letters),
    ...inService(trace.serviceOrder),
  ]
    .filter(({ at }) => Number.isFinite(at))
    .toSorted((one, other) => one.at - other.at);
}

function inStore(store: Trace['store']): readonly TimelineLine[] {
  if (store.kind !== 'found') return [];
  const line = (event: TimelineEvent, what: string, at: string | undefined) =>
    at === undefined ? [] : [{ at: Date.parse(at), who: 'store', event, what } as const];
  const known = [
    ...line('created', store.value.kind === 'order' ? 'placed' : 'created', createdAt(store.value)),
    ...(store.value.kind === 'order'
      ? [
          ...line('fulfilled', 'fulfilled', store.value.order.fulfilledAt),
          ...line('refunded', 'refunded', store.value.order.refundedAt),
          ...line('cancelled', 'cancelled', store.value.order.cancelledAt),
        ]
      : []),
  ];
  const changed = { at: versionOf(store.value), who: 'store', event: 'changed' } as const;
  // The last change is most often one that has a line of its own.
  const isKnown = known.some(({ at }) => Math.abs(at - changed.at) < 1_000);
  return isKnown ? known : [...known, { ...changed, what: 'changed last' }];
}

function createdAt(entity: StoreEntity): string | undefined {
  switch (entity.kind) {
    case 'order':
      return entity.order.placedAt;
    case 'coupon':
      return entity.coupon.createdAt;
    case 'member':
      return entity.member.createdAt;
    case 'product':
      return undefined;
  }
}

function onQueue(waits: Trace['waits']): readonly TimelineLine[] {
  return waits.flatMap(({ since, until, waitsFor, why }) => {
    const detail = `${FOR_WHAT[waitsFor]} (${why})`;
    return [
      { at: since, who: 'queue', event: 'waits', what: `waits ${detail}`, detail },
      { at: until, who: 'queue', event: 'next-try', what: 'the next attempt', reason: why },
    ];
  });
}

function inLedger(entry: Trace['entry']): readonly TimelineLine[] {
  return (entry?.outcomes ?? []).map(({ at, outcome, version, topic, why, origin }) => {
    const state = version > 0 && `the state of ${momentText(version)}`;
    const parts = [topic, why, state, origin && 'found by reconciliation'];
    const detail = parts.filter(Boolean).join(', ');
    const what = [outcome, detail].filter(Boolean).join(', ');
    return {
      ...{ at: Date.parse(at), who: 'ledger', event: 'outcome', what, detail, outcome },
      ...(why && { reason: why }),
    };
  });
}

function amongLetters(letters: Trace['letters']): readonly TimelineLine[] {
  const who = 'dead letter';
  return letters.flatMap(({ at, reason, code, attempts, event, letterId }) => {
    const sentAt = event?.triggeredAt;
    const tries = attempts ? `, attempt ${attempts}` : '';
    const reasons = [reason, code].filter(Boolean).join(' ');
    const detail = `${reasons}${tries} (${letterId})`;
    const what = `given up: ${detail}`;
    const lines: TimelineLine[] = [{ at, who, event: 'given-up', what, detail, reason }];
    if (!event) return lines;
    const { topic } = event;
    if (sentAt !== undefined) {
      const sent = { at: Date.parse(sentAt), who: 'store', event: 'webhook-sent' } as const;
      lines.push({ ...sent, what: `sent the webhook, ${topic}`, detail: topic });
    }
    const receivedAt = Date.parse(event.receivedAt);
    const received = { at: receivedAt, who: 'queue', event: 'received' } as const;
    lines.push({ ...received, what: `received, ${topic}`, detail: topic });
    for (const replay of event.replays ?? []) {
      const again = { at: Date.parse(replay.at), who, event: 'replayed' } as const;
      lines.push({ ...again, what: `sent again by ${replay.by}`, detail: replay.by });
    }
    return lines;
  });
}

function inService(order: Trace['serviceOrder']): readonly TimelineLine[] {
  if (order?.kind !== 'held') return [];
  const { changedAt, givenAt, earning } = order;
  const who = 'loyalty service';
  const lines: TimelineLine[] = [];
  if (changedAt !== undefined) {
    lines.push({ at: Date.parse(changedAt), who, event: 'changed', what: 'changed last' });
  }
  if (givenAt !== undefined) {
    const detail = `${earning.points}`;
    const what = `gave ${detail} points: as many as it expects of this order`;
    lines.push({ at: Date.parse(givenAt), who, event: 'points-given', what, detail });
  }
  return lines;
}

/** Completes "No points yet: …". */
export function waitText({ waitsFor, why, until }: Trace['waits'][number]): string {
  return `its message waits ${FOR_WHAT[waitsFor]} (${why}), and the next attempt is at ${momentText(until)} UTC`;
}

/** In seconds and UTC, as in the store. */
export function momentText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}`;
}
