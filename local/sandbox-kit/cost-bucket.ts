export type ThrottleStatus = ReturnType<CostBucket['status']>;

/** A bucket that fills again as time passes. A clock that was set back fills nothing, and takes nothing away either. */
export class CostBucket {
  readonly #size: number;
  readonly #restorePerSecond: number;
  #available: number;
  #at: number | undefined;

  constructor(size: number, restorePerSecond: number) {
    this.#size = size;
    this.#restorePerSecond = restorePerSecond;
    this.#available = size;
  }

  available(nowMs: number): number {
    this.#refill(nowMs);
    return this.#available;
  }

  take(cost: number): void {
    this.#available = Math.max(0, this.#available - cost);
  }

  /** For tests and for the page. */
  empty(nowMs: number): void {
    this.#refill(nowMs);
    this.#available = 0;
  }

  status(nowMs: number) {
    this.#refill(nowMs);
    return {
      maximumAvailable: this.#size,
      currentlyAvailable: Math.floor(this.#available),
      restoreRate: this.#restorePerSecond,
    };
  }

  #refill(nowMs: number): void {
    const seconds = Math.max(0, nowMs - (this.#at ?? nowMs)) / 1000;
    this.#at = nowMs;
    this.#available = Math.min(this.#size, this.#available + seconds * this.#restorePerSecond);
  }
}
