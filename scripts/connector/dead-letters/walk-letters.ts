import type { DeadLetter, LetterQueue } from '../../../shared/core/batch/dead-letter.ts';

export interface WalkSettings {
  readonly queue: LetterQueue;
  /** Ends the walk after the letters that were received last. */
  readonly signal: AbortSignal;
}

/**
 * Long enough for tens of thousands of letters. Letters that a killed run received are visible again within
 * the five minutes in which SQS recognises a message that is sent twice.
 */
const HIDDEN_SECONDS = 240;

/**
 * In a long replay, letters that stay in the queue are received again when their hiding time is over. After
 * this many receives without a new letter there are more of them than can be hidden, and the walk ends.
 */
const FRUITLESS_RECEIVES = 2_000;

/**
 * Receives every letter of a queue once. `visit` removes some and returns the others. Those stay hidden, so
 * that SQS gives the rest of the queue, and are put back unchanged at the end: when all were seen, when the
 * walk is interrupted, and when it fails. A killed process puts nothing back; SQS then does it later.
 *
 * SQS gives the letters of one group in order, so a letter that stays hides those behind it. Letters that a
 * worker parked have a group each; those that SQS moved itself keep the group of their entity.
 */
export async function walkLetters(
  { queue, signal }: WalkSettings,
  visit: (letters: readonly DeadLetter[]) => Promise<readonly DeadLetter[]>,
): Promise<void> {
  const held = new Map<string, string>();
  const walked = await visitAll({ queue, signal }, held, visit).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const givenBack = await queue.giveBack([...held.values()]).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  // Letters that could not be given back are visible again by themselves: the first error matters more.
  const failed = walked ?? givenBack;
  if (failed) throw failed.error;
}

async function visitAll(
  { queue, signal }: WalkSettings,
  held: Map<string, string>,
  visit: (letters: readonly DeadLetter[]) => Promise<readonly DeadLetter[]>,
): Promise<void> {
  const seen = new Set<string>();
  let fruitless = 0;
  while (!signal.aborted && fruitless < FRUITLESS_RECEIVES) {
    const letters = await queue.receive(HIDDEN_SECONDS);
    if (letters.length === 0) return;
    for (const { messageId, receiptHandle } of letters) held.set(messageId, receiptHandle);
    const fresh = letters.filter(({ messageId }) => !seen.has(messageId));
    for (const { messageId } of letters) seen.add(messageId);
    fruitless = fresh.length === 0 ? fruitless + 1 : 0;
    const kept = new Set((await visit(fresh)).map(({ messageId }) => messageId));
    for (const { messageId } of fresh) if (!kept.has(messageId)) held.delete(messageId);
  }
}
