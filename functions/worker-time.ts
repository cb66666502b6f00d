/** What is left of the function's time when work stops: enough to delay what is unfinished. */
export const RESERVE_MS = 12_000;
/**
 * The part of the working time after which the store is asked nothing more. However many questions an
 * entity takes and however long each waits, what is known by then can still be sent and written down.
 */
const STORE_SHARE = 2 / 3;

export interface WorkerTime {
  /** Until no work is begun or waited for. */
  readonly workMs: number;
  /** Until no answer of the store is waited for. */
  readonly storeMs: number;
}

export function shareOutTime(remainingMs: number): WorkerTime {
  const workMs = Math.max(Math.floor(remainingMs) - RESERVE_MS, 1);
  return { workMs, storeMs: Math.max(Math.floor(workMs * STORE_SHARE), 1) };
}
