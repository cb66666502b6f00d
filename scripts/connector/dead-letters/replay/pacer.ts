/** Lets so many pass in a second at most. */
export interface Pacer {
  /**
   * How many of those that wait may pass now, at least one; waits until one may. 0 when the signal fired
   * first.
   */
  pass(waiting: number, signal: AbortSignal): Promise<number>;
}

export interface Clock {
  /** Milliseconds, never going back. */
  readonly monotonicMs: () => number;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** What passes together when there is much time: a batch of a tenth of a second. */
const BURSTS_PER_SECOND = 10;

/** `perSecond` undefined: as fast as it goes. */
export function createPacer(perSecond: number | undefined, clock: Clock): Pacer {
  let freeAtMs = Number.NEGATIVE_INFINITY;
  return {
    async pass(waiting, signal) {
      if (perSecond === undefined) return signal.aborted ? 0 : waiting;
      const now = clock.monotonicMs();
      const turnMs = Math.max(freeAtMs, now);
      const burst = Math.max(Math.floor(perSecond / BURSTS_PER_SECOND), 1);
      const some = Math.min(waiting, burst);
      freeAtMs = turnMs + (some * 1000) / perSecond;
      if (turnMs > now) await clock.pause(turnMs - now, signal);
      return signal.aborted ? 0 : some;
    },
  };
}
