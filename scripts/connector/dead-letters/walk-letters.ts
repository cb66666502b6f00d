import type { DeadLetter, LetterQueue } from '../../../shared/core/events/dead-letter.ts';

export interface WalkSettings {
  readonly queue: LetterQueue;
  /** Ends the walk after the letters in hand. */
  readonly signal: AbortSignal;
}

/**
 * Long enough for tens of thousands of letters. Letters in the hands of a killed run are seen again within
 * the five minutes in which SQS recognises a message that is sent twice.
 */
const HIDDEN_SECONDS = 240;

/**
 * In a long replay, letters that are only held come up again when their time is over. So often may
 * nothing else come; more means that there are more of them than can be held.
 */
const FRUITLESS_RECEIVES = 2_000;

/**
 * Takes every letter of a queue in hand once. `visit` removes what it will and returns the others, which
 * stay hidden so that the rest of the queue shows itself, and are put back, unchanged, at the end: when
 * all were seen, when the walk is interrupted, and when it fails. A killed process puts nothing back;
 * SQS does that for it.
 *
 * SQS gives the letters of one group one after the other, so what waits behind a letter that is only
 * looked at is not seen. Letters that a worker parked have a group each; those that SQS moved by itself
 * keep the group of their entity.
 */
export async function walkLetters(
  { queue, signal }: WalkSettings,
  visit: (letters: readonly DeadLetter[]) => Promise<readonly DeadLetter[]>,
): Promise<void> {
  const seen = new Set<string>();
  const held = new Map<string, string>();
  let fruitless = 0;
  try {
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
  } finally {
    // Their time ends by itself: a failure to shorten it must not hide what led here.
    await queue.giveBack([...held.values()]).catch(() => {});
  }
}
