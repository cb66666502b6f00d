import { idempotencyKey } from '../../../shared/core/ledger/idempotency-key.ts';
import { faultText, hasOtherRules } from '../../../shared/core/mapping/wanted-state.ts';
import { quietUntil } from '../../../shared/core/reconcile/walk-position.ts';
import { versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import { pauseText, resumeText } from '../pause/read-pauses.ts';
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
  const { key, entry, letters, store, mapped, pause, waiting } = trace;
  const [letter] = letters;
  const show = letter && { next: `dead-letters show ${letter.messageId}` };
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
  if (entry?.uncertain) {
    return {
      kind: 'differs',
      what: 'The outcome of a call to the loyalty service is uncertain; the next event or reconcile sends it again.',
      ...show,
    };
  }
  if (entry?.appliedKey === idempotencyKey(mapped.wanted)) {
    const old = letter ? ' The dead letters about it are older or the same.' : '';
    return { kind: 'agrees', what: `The current state of the store was applied.${old}` };
  }
  const isSameVersion = store.kind === 'found' && versionOf(store.value) === entry?.version;
  if (isSameVersion && entry.appliedKey !== undefined && hasOtherRules(mapped, entry)) {
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
  if (waiting > 0) {
    return { kind: 'differs', what: `${what} Its event is still on the queue.`, next: 'status' };
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

export interface TimelineLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly who: 'store' | 'ledger' | 'dead letter';
  readonly what: string;
}

/** What happened, the oldest first. */
export function timelineOf({ entry, letters, store }: Trace): readonly TimelineLine[] {
  const lines: TimelineLine[] = [];
  const add = (at: number, who: TimelineLine['who'], what: string) => lines.push({ at, who, what });
  for (const { at, outcome, version, topic, why, origin } of entry?.outcomes ?? []) {
    const of = version > 0 ? `, the state of ${momentText(version)}` : '';
    const by = origin && ', found by reconciliation';
    add(
      Date.parse(at),
      'ledger',
      [outcome, topic, why].filter(Boolean).join(', ') + of + (by ?? ''),
    );
  }
  for (const { at, reason, code, attempts, event, messageId } of letters) {
    if (event) add(Date.parse(event.receivedAt), 'dead letter', `received, ${event.topic}`);
    for (const replay of event?.replays ?? []) {
      add(Date.parse(replay.at), 'dead letter', `replayed by ${replay.by}`);
    }
    const tries = attempts ? `, attempt ${attempts}` : '';
    const reasons = [reason, code].filter(Boolean).join(' ');
    add(at, 'dead letter', `given up: ${reasons}${tries} (${messageId})`);
  }
  if (store.kind === 'found') add(versionOf(store.value), 'store', 'changed last');
  return lines.toSorted((one, other) => one.at - other.at);
}

/** In seconds and UTC, as in the store. */
export function momentText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')}`;
}
