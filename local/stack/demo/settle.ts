import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningStack } from '../running-stack.ts';

/** Between two looks at the queues. */
const PAUSE_MS = 300;

/**
 * Waits until the store has delivered everything and no message is on its way any more. Gives what is
 * still waiting when the patience is over: 0 when all is done.
 */
export async function settle(
  { store, waiting }: Pick<RunningStack, 'store' | 'waiting'>,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const end = Date.now() + patienceMs;
  const undelivered = () =>
    store.deliveries.all().filter(({ state }) => state === 'waiting').length;
  for (;;) {
    // Deliveries first: what is delivered meanwhile is on a queue by then.
    const left = undelivered() + (await waiting());
    if (left === 0 || Date.now() > end || signal?.aborted) return left;
    await sleep(PAUSE_MS);
  }
}
