import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8 from widening the space for new objects. It would do so for a stream that waits for its queue,
 * since what waits survives: a hundred megabytes for a little speed, which the pace does not need. Without
 * it, the memory of a backfill is flat only after a while.
 */
export function keepMemorySteady(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
