import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningStack } from '../running-stack.ts';

/** Between two checks of the queues. */
const PAUSE_MS = 100;

/**
 * Waits until the stores have delivered every webhook and the queues are empty. Returns how many webhooks
 * and messages are left after the timeout: 0 when all is done.
 */
export async function settle(
  { shops, waiting }: Pick<RunningStack, 'shops' | 'waiting'>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const end = Date.now() + timeoutMs;
  const undelivered = () =>
    shops.flatMap(({ store }) => store.deliveries.all()).filter(({ state }) => state === 'waiting')
      .length;
  for (;;) {
    // Deliveries first: a webhook that is delivered between the two counts is then on a queue.
    const left = undelivered() + (await waiting());
    if (left === 0 || Date.now() > end || signal?.aborted) return left;
    await sleep(PAUSE_MS);
  }
}
