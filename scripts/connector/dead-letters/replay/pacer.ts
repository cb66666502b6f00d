/** Lets its callers pass one by one, so many a second at most. */
export interface Pacer {
  /** False when the signal fired first. */
  pass(signal: AbortSignal): Promise<boolean>;
}

export interface Clock {
  /** Milliseconds, never going back. */
  readonly monotonicMs: () => number;
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** `perSecond` undefined: as fast as it goes. */
export function createPacer(perSecond: number | undefined, clock: Clock): Pacer {
  let nextMs = Number.NEGATIVE_INFINITY;
  return {
    async pass(signal) {
      if (perSecond === undefined) return !signal.aborted;
      const now = clock.monotonicMs();
      const mineMs = Math.max(nextMs, now);
      nextMs = mineMs + 1000 / perSecond;
      if (mineMs > now) await clock.pause(mineMs - now, signal);
      return !signal.aborted;
    },
  };
}
