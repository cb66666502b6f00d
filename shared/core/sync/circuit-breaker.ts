import type { RetryReason } from '../batch/outcome.ts';

/**
 * Keeps a worker from waiting behind time-outs while the loyalty service is down.
 *
 *            failures in a row                  time is over: one probe
 *   closed ─────────────────────▶ open ────────────────────────────────▶ probing
 *     ▲                             ▲                                       │
 *     │                             └───────────── probe failed ────────────┤
 *     └──────── gently: one call at a time more per success ◀── succeeded ──┘
 *
 * State of one process and one shop; nothing is shared, because each worker finds out soon enough.
 */
export interface LocalBreaker {
  enter(now: Date): Permit<void> | StayAway;
  /** From now on one call at a time, and one more for each that succeeds. */
  returnGently(): void;
}

/** The circuit breaker as callers see it: the one of the process, behind the shop's pause. */
export interface CircuitBreaker {
  /** A permit to call, or how long to stay away. Every permit must be settled once. */
  enter(now: Date): Entered | Promise<Entered>;
}

type Entered = Permit<void | Promise<void>> | StayAway;

export interface StayAway {
  readonly kind: 'stay-away';
  readonly retry: RetryReason & { readonly afterSeconds: number };
}

export interface Permit<Settled> {
  readonly kind: 'permit';
  settle(how: CallEnd, now: Date): Settled;
}

/** `answered` is any answer of the service, even a refusal: it is alive. `unused`: no call was made. */
export type CallEnd = 'answered' | 'failed' | 'unused' | PauseRequest;

/** An answer about the whole account: it pauses the shop, in all functions. */
export interface PauseRequest {
  readonly why: 'throttled' | 'misconfigured';
  /** As the service asked. */
  readonly seconds?: number | undefined;
}

export interface BreakerSettings {
  readonly failuresToOpen: number;
  readonly openSeconds: number;
  readonly longestOpenSeconds: number;
}

const defaults: BreakerSettings = {
  failuresToOpen: 3,
  openSeconds: 10,
  longestOpenSeconds: 120,
};

export function createCircuitBreaker(settings: BreakerSettings = defaults): LocalBreaker {
  let failuresInARow = 0;
  let openUntil = 0;
  let openSeconds = settings.openSeconds;
  let inFlight = 0;
  /** Infinity while all is well; after an outage it grows from one by each success. */
  let allowed = Number.POSITIVE_INFINITY;

  function open(seconds: number, now: Date): void {
    openUntil = now.getTime() + seconds * 1000;
    allowed = 1;
  }

  function settle(how: CallEnd, now: Date): void {
    inFlight -= 1;
    if (how === 'unused') return;
    if (how !== 'failed') {
      failuresInARow = 0;
      openSeconds = settings.openSeconds;
      // The slow return is over once it allows more than any worker runs side by side.
      allowed = allowed > 64 ? Number.POSITIVE_INFINITY : allowed + 1;
    } else {
      // Calls that were under way when it opened fail with it: one outage must not count as many.
      if (openUntil > now.getTime()) return;
      failuresInARow += 1;
      if (failuresInARow < settings.failuresToOpen && allowed > 1) return;
      open(openSeconds, now);
      openSeconds = Math.min(openSeconds * 2, settings.longestOpenSeconds);
    }
  }

  return {
    enter(now) {
      const waitMs = openUntil - now.getTime();
      if (waitMs > 0) return stayAway(Math.ceil(waitMs / 1000));
      if (inFlight >= allowed) return stayAway(1, { inLine: true });
      inFlight += 1;
      return { kind: 'permit', settle };
    },
    returnGently() {
      allowed = 1;
    },
  };
}

function stayAway(afterSeconds: number, more?: { readonly inLine: true }): StayAway {
  return { kind: 'stay-away', retry: { why: 'loyalty-unavailable', afterSeconds, ...more } };
}
