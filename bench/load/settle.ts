import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedStack } from './loaded-stack.ts';
import type { Progress } from './stack-process.ts';

/** Longer than the last retry of anything that failed during a run. */
const PATIENCE_MS = 30 * 60_000;
const PAUSE_MS = 500;

/** Until nothing is on its way any more; gives what is left when the patience is over. */
export async function settle(stack: LoadedStack, signal: AbortSignal): Promise<number> {
  const end = Date.now() + PATIENCE_MS;
  // Twice: between one queue and the next there is a moment when neither has it.
  let quiet = 0;
  for (;;) {
    const left = onTheWay(await stack.progress());
    quiet = left === 0 ? quiet + 1 : 0;
    if (quiet === 2 || signal.aborted || Date.now() > end) return left;
    await sleep(PAUSE_MS);
  }
}

function onTheWay({ undelivered, queued, pendingEvents }: Progress): number {
  // Queues that do not answer may hold something.
  return undelivered + (queued ?? 1) + pendingEvents;
}
