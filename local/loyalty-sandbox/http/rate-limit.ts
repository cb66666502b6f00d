/** A bucket that holds what one second allows, and fills again as time passes. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #capacity: number;
  #left: number;
  #filledAtMs: number | undefined;

  /** 0 per second: no limit. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#capacity = Math.max(1, perSecond);
    this.#left = this.#capacity;
  }

  /** Undefined when the call may pass; else the seconds after which the next one may. */
  take(nowMs: number): number | undefined {
    if (this.#perSecond === 0) return undefined;
    // A clock that was set back fills nothing, and takes nothing away either.
    const passedMs = Math.max(0, nowMs - (this.#filledAtMs ?? nowMs));
    this.#left = Math.min(this.#capacity, this.#left + (passedMs / 1000) * this.#perSecond);
    this.#filledAtMs = nowMs;
    if (this.#left < 1) return Math.ceil((1 - this.#left) / this.#perSecond);
    this.#left -= 1;
    return undefined;
  }
}
