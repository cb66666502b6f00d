import { setTimeout as sleep } from 'node:timers/promises';
import type { Happened } from './store-life.ts';

export interface RateOptions {
  /** Webhooks per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Things that happen at once at most: a store that does not answer gets no endless line of them. */
const AT_ONCE = 8;
const PAUSE_MS = 10;

/**
 * Lets things happen at a rate, whether or not those before are done. What could not happen in time,
 * because there was no store, is not made up for.
 */
export async function keepRate(
  next: () => Happened,
  { rate, seconds, signal }: RateOptions,
): Promise<void> {
  const underway = new Set<Promise<unknown>>();
  const end = Date.now() + seconds * 1000;
  let allowed = 0;
  let last = Date.now();
  while (Date.now() < end && !signal.aborted) {
    const now = Date.now();
    allowed = Math.min(allowed + ((now - last) / 1000) * rate, rate);
    last = now;
    while (allowed > 0 && underway.size < AT_ONCE) {
      const { webhooks, done } = next();
      allowed -= webhooks;
      const work: Promise<unknown> = done.finally(() => underway.delete(work));
      underway.add(work);
    }
    await sleep(PAUSE_MS);
  }
  await Promise.all(underway);
}
