import type { QueueFamily } from '../../../shared/core/events/event.ts';

/** Why some letters may not have been seen; `family` undefined: of all queues together. */
export function notSeenText(notSeen: number, family?: QueueFamily): string {
  const where = family === undefined ? '' : ` in the ${family} queue`;
  return `About ${notSeen} more${where} cannot be seen now: another person or a killed run has received them, or they wait behind an earlier letter of the same entity. Look again in five minutes.`;
}
