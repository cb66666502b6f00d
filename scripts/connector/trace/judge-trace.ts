import { differsByRulesAlone } from '../../../shared/core/mapping/map-order.ts';
import { faultText, idempotencyKey } from '../../../shared/core/mapping/wanted-state.ts';
import { quietUntil } from '../../../shared/core/reconcile/dependencies.ts';
import { versionOf } from '../../../shared/core/sync/read-snapshot.ts';
import { isTakenUnknown, TAKEN_UNKNOWN } from '../compare/compare-sides.ts';
import { pauseText, resumeText } from '../pause/read-pauses.ts';
import type { Trace } from './collect-trace.ts';
import { momentText, waitText } from './timeline.ts';

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
export function keepsItsRules({ store, entry, mapped }: Trace): boolean {
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
