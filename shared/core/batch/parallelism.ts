/** How many groups of a batch are worked on side by side, by how fast the loyalty service answers. */
export interface Parallelism {
  /** For the next batch: from 1 to the most. */
  allowed(): number;
  /** After every call that was sent, with or without an answer. */
  learn(tookMs: number): void;
}

/** Beyond this the storefront no longer waits for an answer: the service is busy. */
const SLOW_MS = 3_000;

/**
 * Halved by a slow call, and one more after as many quick calls as run side by side: it falls at once and
 * returns gradually (additive increase, multiplicative decrease).
 */
export function createParallelism(most: number, now: () => number = Date.now): Parallelism {
  let allowed = most;
  let loweredAt = Number.NEGATIVE_INFINITY;
  return {
    allowed: () => Math.floor(allowed),
    learn(tookMs) {
      if (tookMs < SLOW_MS) {
        allowed = Math.min(allowed + 1 / allowed, most);
        return;
      }
      // Calls that were under way together are slow together: they count once.
      if (now() - tookMs < loweredAt) return;
      allowed = Math.max(allowed / 2, 1);
      loweredAt = now();
    },
  };
}
