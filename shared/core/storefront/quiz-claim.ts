import { expiresAfter, type Ledger, readEntry } from '../ledger/ledger.ts';
import { ledgerKeyText, type RecordKey } from '../ledger/ledger-key.ts';

/**
 * Who is sending a customer's answers to one quiz. The operation takes no key of ours, and what the
 * service does with a second set of answers is not documented: so at most one is on its way at a time.
 *
 *              claim                     the service answered
 *   (free) ─────────────▶ being sent ─────────────────────────▶ (free)
 *     ▲                        │
 *     └── a minute later ──────┘ no answer, or the process died
 *
 * In the ledger, because two clicks reach two processes. `uncertain` means being sent, the version
 * says since when.
 * See docs/decisions/0028-quiz-answers-are-claimed.md.
 */
export type QuizClaim =
  | { readonly kind: 'claimed'; readonly revision: number }
  | { readonly kind: 'being-sent'; readonly afterSeconds: number };

type Claims = Pick<Ledger, 'readMany' | 'write'>;

/** Longer than an abandoned call may still run at the service. */
export const CLAIM_SECONDS = 60;

/** The service knows what was answered; the entry only guards the sending. */
const KEPT_DAYS = 1;

export async function claimQuiz(
  key: RecordKey<'quiz'>,
  ledger: Claims,
  now: Date,
): Promise<QuizClaim> {
  const entry = await readEntry(ledger, key);
  const heldMs = entry?.uncertain ? entry.version + CLAIM_SECONDS * 1000 - now.getTime() : 0;
  if (heldMs > 0) return { kind: 'being-sent', afterSeconds: Math.ceil(heldMs / 1000) };
  const written = await ledger.write(key, claimEntry(now, true), entry?.revision);
  return written.kind === 'written'
    ? { kind: 'claimed', revision: written.revision }
    : { kind: 'being-sent', afterSeconds: CLAIM_SECONDS };
}

/** A conflict means that the claim had run out and is another's: theirs stays. */
export async function releaseQuiz(
  key: RecordKey<'quiz'>,
  revision: number,
  ledger: Claims,
  now: Date,
): Promise<void> {
  await ledger.write(key, claimEntry(now, false), revision);
}

/** Of several quizzes: `revisions` changes with every claim and release, `newest` is the time of the last one. */
export async function readClaims(
  keys: readonly RecordKey<'quiz'>[],
  ledger: Pick<Ledger, 'readMany'>,
): Promise<{ readonly revisions: string; readonly newest: number }> {
  const read = keys.length === 0 ? new Map() : await ledger.readMany(keys);
  const entries = keys.map((key) => read.get(ledgerKeyText(key)));
  return {
    revisions: entries.map((entry) => entry?.revision ?? 0).join('/'),
    newest: Math.max(0, ...entries.map((entry) => entry?.version ?? 0)),
  };
}

export function quizKey(shop: string, customerId: string, quizId: number): RecordKey<'quiz'> {
  return { shop, kind: 'quiz', id: `${customerId}/${quizId}` };
}

function claimEntry(now: Date, uncertain: boolean) {
  return { version: now.getTime(), uncertain, outcomes: [], ...expiresAfter(KEPT_DAYS, now) };
}
