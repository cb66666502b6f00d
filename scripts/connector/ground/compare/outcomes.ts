import type { Outcome } from '../../../../shared/core/events/outcome.ts';
import {
  type Document,
  STATUS,
  type Suggestion,
  type VerdictKind,
  worstOf,
} from '../terminal/document.ts';
import { line } from '../terminal/line.ts';

/**
 * The outcome that was written down since; `settled`: it left the queue without a line, because nothing had to change, or
 * it is no entity; `underway`: still on the queue; `failing`: a dead letter now; `gone`: SQS does not say what became of it.
 */
export type Result =
  | Exclude<Outcome['kind'], 'retry' | 'rejected'>
  | 'settled'
  | 'underway'
  | 'failing'
  | 'gone';

export interface Sent {
  readonly sent: number;
  /** What became of how many of them; empty where they were not followed. */
  readonly outcomes: Readonly<Partial<Record<Result, number>>>;
}

export interface Hold {
  /** A sentence without its end. */
  readonly what: string;
  readonly next: readonly Suggestion[];
}

/** As a person reads them: `3 delivered`. */
const RESULTS: Readonly<Record<Result, { readonly text: string; readonly kind: VerdictKind }>> = {
  applied: { text: 'delivered', kind: 'ok' },
  handled: { text: 'done', kind: 'ok' },
  unchanged: { text: 'no change', kind: 'ok' },
  superseded: { text: 'no change', kind: 'ok' },
  settled: { text: 'no change', kind: 'ok' },
  skipped: { text: 'skipped', kind: 'ok' },
  underway: { text: 'not finished', kind: 'pending' },
  failing: { text: 'failed again', kind: 'action required' },
  gone: { text: 'received or finished meanwhile, with an unknown outcome', kind: 'unknown' },
};

export const isResult = (outcome: string): outcome is Result => outcome in RESULTS;

export const outcomesOf = (results: readonly Result[]): Sent['outcomes'] =>
  Object.fromEntries(
    [...Map.groupBy(results, (one) => one)].map(([name, { length }]) => [name, length]),
  );

export function judgeOutcomes(
  outcomes: Sent['outcomes'],
  held?: Hold,
): Required<Pick<Document, 'verdict' | 'next'>> {
  const found = (Object.entries(outcomes) as [Result, number][]).filter(([, many]) => many > 0);
  const texts = Map.groupBy(found, ([result]) => RESULTS[result].text);
  const sum = (some: typeof found) => some.reduce((total, [, many]) => total + many, 0);
  const each = [...texts].map(([words, some]) => `${sum(some)} ${words}`).join(', ');
  const kind = worstOf(found.map(([result]) => RESULTS[result])) ?? 'ok';
  const WORDS: Readonly<Record<VerdictKind, string>> = {
    ok: `Done: ${each}.`,
    // What holds them may have no end, such as a pause.
    pending: held ? `${each}. ${held.what}.` : `Still in progress: ${each}.`,
    unknown: `${each}.`,
    'action required': `${outcomes.failing} of ${sum(found)} failed again: see the dead letters.`,
  };
  const letters = { label: 'See the dead letters', line: line('dead-letters list') };
  return {
    verdict: { kind, what: WORDS[kind] },
    next: [
      ...(held?.next ?? []),
      ...(kind === 'action required' ? [letters] : []),
      ...(kind === 'ok' || held?.next.includes(STATUS) ? [] : [STATUS]),
    ],
  };
}
