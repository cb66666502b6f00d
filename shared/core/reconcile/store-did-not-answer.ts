import type { Telemetry } from '../batch/telemetry.ts';
import type { StoreUnavailable } from '../sync/store-reader.ts';
import type { ReconcileWorld, Stopped } from './reconcile-world.ts';

/** Longer is left to the next run. */
const LONGEST_WAIT_SECONDS = 60;

/** The walk goes on when the store answers again; credentials and scopes need a person. */
export function storeDidNotAnswer(
  { why, misconfigured, afterSeconds, queryRefused }: StoreUnavailable,
  telemetry: Telemetry,
): Stopped {
  if (misconfigured) telemetry.count('misconfigured', { why: `store-${why}` });
  return {
    kind: 'stopped',
    why: `store-${why}`,
    ...(afterSeconds !== undefined && { afterSeconds }),
    ...(queryRefused && { placeRefused: true }),
  };
}

/** True: the store named a time, mostly because its points were used up, and it has passed. */
export async function waitedForStore(
  { afterSeconds }: Stopped,
  { pause, deadline }: Pick<ReconcileWorld, 'pause' | 'deadline'>,
): Promise<boolean> {
  if (afterSeconds === undefined || afterSeconds > LONGEST_WAIT_SECONDS) return false;
  // At least a second, so that the run's time ends the waiting.
  await pause(Math.max(afterSeconds, 1) * 1000);
  return !deadline.aborted;
}
