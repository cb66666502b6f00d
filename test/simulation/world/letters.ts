import type { MemoryQueue } from '../../../local/harness/memory-queue.ts';
import type { DeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { LETTER_REASONS } from '../../../shared/core/events/outcome.ts';

/** A message of a dead-letter queue as a person's commands read it. */
export function deadLetterIn(
  family: QueueFamily,
  letter: ReturnType<MemoryQueue['receive']>[number],
): DeadLetter {
  const { reason, why = '', code, attempts, at = '' } = letter.attributes;
  const known = LETTER_REASONS.find((one) => one === reason) ?? 'crashed';
  return {
    ...{ family, ...letter, letterId: reason === undefined ? letter.messageId : letter.groupId },
    ...{ reason: known, why, code, attempts: Number(attempts), at: Date.parse(at) },
  };
}
