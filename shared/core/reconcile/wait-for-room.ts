import { queueFamilyOf } from '../events/event.ts';
import type { WalkedKind } from '../sync/store-walk.ts';
import type { ReconcileWorld } from './reconcile-world.ts';

/** Live events must not queue up behind what is healed: a few seconds of the workers' time. */
const MOST_READY = 200;
/** So much in retries means that the service or the store is away: more of it would help nobody. */
const MOST_IN_ALL = 1_000;
const PAUSE_MS = 5_000;
const MOST_PAUSES = 24;

/** False: the queue stays full, and the walk goes on in the next run. */
export async function waitForRoom(
  kind: WalkedKind,
  { depth, pause, deadline }: Pick<ReconcileWorld, 'depth' | 'pause' | 'deadline'>,
): Promise<boolean> {
  for (let pauses = 0; ; pauses += 1) {
    const { ready, hidden } = await depth.of(queueFamilyOf(kind));
    if (ready <= MOST_READY && ready + hidden <= MOST_IN_ALL) return true;
    if (pauses >= MOST_PAUSES || deadline.aborted) return false;
    await pause(PAUSE_MS);
  }
}
