import { setTimeout as sleep } from 'node:timers/promises';
import { type LocalStack, startLocalStack } from './local-stack.ts';
import { openMovedClock } from './moved-clock.ts';

const SKIPPED_MS = 40_000;
const PAUSE_MS = 25;
/** So often no function was at work: a message on its way from a queue to its function is there by then. */
const IDLE_LOOKS = 4;

/**
 * The local stack on a clock that, after `hurry`, skips what everybody only waits for: while messages wait on the queues
 * and no function does anything, the time of the next message comes soon, for the functions and for both sandboxes.
 */
export async function startHurriedStack(options: Parameters<typeof startLocalStack>[0] = {}) {
  const clock = openMovedClock();
  let isHurried = false;
  let isStopped = false;
  const stack: LocalStack = await startLocalStack({
    ...options,
    environmentOf: (_, own) => ({ ...own, ...clock.environment }),
  });
  const isDelivering = () => stack.store.deliveries.all().some(({ state }) => state === 'waiting');

  async function drive(): Promise<void> {
    for (let idle = 0; !isStopped; ) {
      await sleep(PAUSE_MS);
      const isIdle = () => isHurried && !stack.functions.isRunning && !isDelivering();
      idle = isIdle() && (await stack.waiting()) > 0 && isIdle() ? idle + 1 : 0;
      if (idle < IDLE_LOOKS) continue;
      idle = 0;
      clock.advance(SKIPPED_MS);
    }
  }
  const driven = drive();

  return {
    stack,
    hurry(): void {
      isHurried = true;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await driven;
      await stack.stop();
      clock.close();
    },
  };
}

export type HurriedStack = Awaited<ReturnType<typeof startHurriedStack>>;
