import type { RetryReason } from '../batch/outcome.ts';

/**
 * Keeps a worker from waiting behind time-outs while the loyalty service is down.
 *
 *            failures in a row            time is over, or on request: one probe
 *   closed ─────────────────────▶ open ────────────────────────────────▶ probing
 *     ▲                             ▲                                       │
 *     │                             └───────────── probe failed ────────────┤
 *     └──────── gently: one call at a time more per success ◀── succeeded ──┘
 *
 * State of one process and one shop; nothing is shared, because each worker finds out soon enough.
 */
export interface LocalBreaker {
  /** Waits while as many calls are under way as are allowed, so at most as long as one of them takes. */
  enter(now: Date): Promise<Permit<void> | StayAway>;
  /** From now on one call at a time, and one more for each that succeeds. */
  returnGently(): void;
  /** If it is open, the next call is a probe at once. */
  probeNow(): void;
}

/** The circuit breaker as callers see it: the one of the process, behind the shop's pause. */
export interface CircuitBreaker {
  /** A permit to call, or how long to stay away. Every permit must be settled once. */
  enter(now: Date): Promise<Permit<void | Promise<void>> | StayAway>;
}

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
  /** Of this period. */
  let inFlight = 0;
  /** Infinity while all is well; after an outage it grows from one by each success. */
  let allowed = Number.POSITIVE_INFINITY;
  /** What began in an earlier one fails with it, or keeps no probe waiting: one outage must not count as many. */
  let period = 0;
  let inLine: ((now: Date) => void)[] = [];

  function settle(how: CallEnd, began: number, now: Date): void {
    if (began === period) inFlight -= 1;
    if (how === 'failed') fail(began, now);
    else if (how !== 'unused') succeed();
    const next = inLine;
    inLine = [];
    for (const goOn of next) goOn(now);
  }

  function beginPeriod(): void {
    period += 1;
    inFlight = 0;
  }

  function succeed(): void {
    failuresInARow = 0;
    openSeconds = settings.openSeconds;
    // The slow return is over once it allows more than any worker runs side by side.
    allowed = allowed > 64 ? Number.POSITIVE_INFINITY : allowed + 1;
  }

  function fail(began: number, now: Date): void {
    if (began !== period) return;
    failuresInARow += 1;
    if (failuresInARow < settings.failuresToOpen && allowed > 1) return;
    beginPeriod();
    openUntil = now.getTime() + openSeconds * 1000;
    allowed = 1;
    openSeconds = Math.min(openSeconds * 2, settings.longestOpenSeconds);
  }

  return {
    async enter(now) {
      for (let at = now; ; ) {
        const waitMs = openUntil - at.getTime();
        if (waitMs > 0) return stayAway(Math.ceil(waitMs / 1000));
        if (inFlight < allowed) break;
        at = await new Promise((resolve) => inLine.push(resolve));
      }
      inFlight += 1;
      const began = period;
      return { kind: 'permit', settle: (how, at) => settle(how, began, at) };
    },
    returnGently() {
      allowed = 1;
    },
    probeNow() {
      beginPeriod();
      openUntil = 0;
      openSeconds = settings.openSeconds;
    },
  };
}

function stayAway(afterSeconds: number): StayAway {
  return { kind: 'stay-away', retry: { why: 'loyalty-unavailable', afterSeconds } };
}
