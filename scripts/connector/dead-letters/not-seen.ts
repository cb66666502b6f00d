import type { AnyQueueFamily } from '../../../shared/core/events/queue-family.ts';

/** Why some letters may not have been seen; `family` undefined: of all queues together. */
export function notSeenText(notSeen: number, family?: AnyQueueFamily): string {
  const where = family === undefined ? '' : ` in the ${family} queue`;
  return `About ${notSeen} more${where} cannot be seen now: somebody else, or a run that was killed, has them in hand, or they wait behind an earlier letter of the same entity. Look again in five minutes.`;
}
