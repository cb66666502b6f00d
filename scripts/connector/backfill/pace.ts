/** Keeps an average: so many a second, never more than one window ahead. */
export interface Pace {
  /** Messages that are sent in one go. */
  readonly window: number;
  /** How long to wait before `count` more, in milliseconds. */
  before(count: number, nowMs: number): number;
}

/** A second's worth at a time, at most so many: what is sent in one go may be sent again after a crash. */
const LARGEST_WINDOW = 100;

export function createPace(perSecond: number): Pace {
  let freeAt = Number.NEGATIVE_INFINITY;
  return {
    window: Math.min(Math.max(Math.floor(perSecond), 1), LARGEST_WINDOW),
    before(count, nowMs) {
      const startAt = Math.max(freeAt, nowMs);
      freeAt = startAt + (count / perSecond) * 1000;
      return startAt - nowMs;
    },
  };
}
