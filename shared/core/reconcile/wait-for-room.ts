import type { Telemetry } from '../batch/telemetry.ts';
import { queueFamilyOf } from '../events/event.ts';
import type { StoreUnavailable } from '../sync/store-reader.ts';
import type { WalkedKind } from '../sync/store-walk.ts';
import type { ReconcileWorld, Stopped } from './reconcile-world.ts';

/** Live events must not wait behind healed ones: this is a few seconds of the workers' time. */
const MOST_READY = 200;
/** So many retries mean that the service or the store is down: more messages would not help. */
const MOST_IN_ALL = 1_000;
const PAUSE_MS = 5_000;
const MOST_PAUSES = 24;

/**
 * Before each page. Where a shop is paused, its messages may fill the queue for days, and would keep the walks of
 * all others from ever going on: then each page waits once.
 * False: the queue stays full, and the walk continues in the next run.
 */
export async function waitForRoom(
  kind: WalkedKind | 'balance',
  {
    depth,
    pause,
    deadline,
    othersWait,
  }: Pick<ReconcileWorld, 'depth' | 'pause' | 'deadline' | 'othersWait'>,
): Promise<boolean> {
  const mostPauses = othersWait ? 1 : MOST_PAUSES;
  for (let pauses = 0; ; pauses += 1) {
    const { ready, hidden } = await depth.of(queueFamilyOf(kind));
    if (ready <= MOST_READY && ready + hidden <= MOST_IN_ALL) return true;
    if (deadline.aborted) return false;
    if (pauses >= mostPauses) return othersWait;
    await pause(PAUSE_MS);
  }
}

/** Longer is left to the next run. */
const LONGEST_WAIT_SECONDS = 60;

/** The walk continues when the store answers again; credentials and scopes need a person. */
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

/** True: the store asked to wait, usually because its rate limit was reached, and the time has passed. */
export async function waitedForStore(
  { afterSeconds }: Stopped,
  { pause, deadline }: Pick<ReconcileWorld, 'pause' | 'deadline'>,
): Promise<boolean> {
  if (afterSeconds === undefined || afterSeconds > LONGEST_WAIT_SECONDS) return false;
  // At least a second, so that the run's time ends the waiting.
  await pause(Math.max(afterSeconds, 1) * 1000);
  return !deadline.aborted;
}
