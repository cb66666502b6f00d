/** Within a shopper's request: how long a redemption waits for the loyalty service. */
export const REDEEM_MS = 12_000;

/**
 * Within a shopper's request: how long it waits for the store. A worker makes the code if the time was
 * too short.
 */
export const STORE_MS = 18_000;

/** Within a till's request: how long it waits for the store to say that the customer is its own. */
export const LOOK_UP_MS = 4_000;

/** What is left of a worker's time when work stops: enough to delay what is unfinished. */
export const RESERVE_MS = 12_000;
/**
 * The part of the working time after which the store is not asked any more. The rest is enough to send
 * and record what is known by then.
 */
const STORE_SHARE = 2 / 3;

export interface WorkerTime {
  /** Until work is no longer begun or waited for. */
  readonly workMs: number;
  /** Until answers of the store are no longer waited for. */
  readonly storeMs: number;
}

export function shareOutTime(remainingMs: number): WorkerTime {
  const workMs = Math.max(Math.floor(remainingMs) - RESERVE_MS, 1);
  return { workMs, storeMs: Math.max(Math.floor(workMs * STORE_SHARE), 1) };
}

export interface Deadlines {
  readonly work: AbortSignal;
  readonly store: AbortSignal;
}

/**
 * Runs one batch under its deadlines. Their timers end with the batch: `AbortSignal.timeout` would keep
 * each batch in memory until its time was over.
 */
export async function runInTime<Result>(
  remainingMs: number,
  run: (deadlines: Deadlines) => Promise<Result>,
): Promise<Result> {
  const { workMs, storeMs } = shareOutTime(remainingMs);
  const work = new AbortController();
  const store = new AbortController();
  const timers = [setTimeout(() => work.abort(), workMs), setTimeout(() => store.abort(), storeMs)];
  try {
    return await run({ work: work.signal, store: store.signal });
  } finally {
    timers.forEach(clearTimeout);
  }
}
