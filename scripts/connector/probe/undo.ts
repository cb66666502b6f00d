import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { LoyaltyResult } from '../../../shared/loyalty/result.ts';
import { answerText, hasCode, type Result, verdictOf } from './answer.ts';

/** How to undo one thing that the probe is about to make. Registered before the call that makes it. */
export interface Undo {
  readonly what: string;
  /** What a person does when it fails. */
  readonly byHand: string;
  /** These errors mean that it was never made. */
  readonly absentCodes: readonly number[];
  /** These errors mean that it is undone already. */
  readonly undoneCodes: readonly number[];
  run(loyalty: LoyaltyClient): Promise<LoyaltyResult<unknown>>;
}

export interface Undone {
  readonly what: string;
  readonly kind: 'undone' | 'never-made' | 'shows-later' | 'failed';
  readonly answered: string;
  readonly byHand?: string;
}

const ATTEMPTS = 3;
const PAUSE_MS = 1_000;

/** The newest first: points go back to a customer who is still active. */
export async function undoAll(
  undos: readonly Undo[],
  loyalty: LoyaltyClient,
  pause: (ms: number) => Promise<void>,
): Promise<readonly Undone[]> {
  const results: Undone[] = [];
  for (const undo of undos.toReversed()) {
    let result = await undo.run(loyalty);
    for (let attempt = 1; attempt < ATTEMPTS && verdictOf(result) === 'unclear'; attempt += 1) {
      await pause(PAUSE_MS);
      result = await undo.run(loyalty);
    }
    results.push(judgeUndo(undo, result));
  }
  return results;
}

function judgeUndo(
  { what, byHand, absentCodes, undoneCodes }: Omit<Undo, 'run'>,
  result: Result,
): Undone {
  const answered = answerText(result);
  const verdict = verdictOf(result);
  const has = (codes: readonly number[]) => codes.some((code) => hasCode(result, code));
  if (verdict === 'accepted' || has(undoneCodes)) return { what, kind: 'undone', answered };
  if (has(absentCodes)) return { what, kind: 'never-made', answered };
  return { what, kind: verdict === 'not-yet' ? 'shows-later' : 'failed', answered, byHand };
}
