/** How far the comparison of one kind of one shop has come. Moments are epoch milliseconds. */
export interface WalkPosition {
  /** Where comparing began, for good. */
  readonly since: number;
  /** Everything that the store changed until here was compared. */
  readonly doneUntil: number;
  /** A walk that was begun and not ended. */
  readonly walk?: Walk;
}

export interface Walk {
  /** Undefined in a deep walk: from the beginning. */
  readonly from: number | undefined;
  readonly until: number;
  /** The store's own word for where the next page begins. */
  readonly after?: string;
  /** The part of that page that is done already: a single discount can take longer than a run. */
  readonly partly?: PartOfPage;
}

export interface PartOfPage {
  /** Discounts of the page that are done. */
  readonly done: readonly string[];
  /** The one that is begun, and where its codes go on. */
  readonly begun?: { readonly id: string; readonly from: string };
}

/**
 * Webhooks of what changed in the last minutes may still be on their way: they would count as healed.
 * Longer than the store's search lags behind the store.
 */
const QUIET_MS = 15 * 60_000;

/** Looked at twice, so that nothing at the edge of two walks is missed. */
const OVERLAP_MS = 15 * 60_000;

/** Of a deployment that has not compared anything yet: one interval back, which it has lived through. */
export function firstPosition(now: Date, everyMinutes: number): WalkPosition {
  const doneUntil = quietUntil(now) - everyMinutes * 60_000;
  return { since: doneUntil - OVERLAP_MS, doneUntil };
}

/**
 * Never further than the quiet time. Where that lies before what is done, a clock was wrong once: going by
 * the later of the two, every run until then would find nothing.
 */
export function nextWalk({ doneUntil }: WalkPosition, now: Date): Walk {
  const until = quietUntil(now);
  return { from: Math.min(doneUntil, until) - OVERLAP_MS, until };
}

export function quietUntil(now: Date): number {
  return now.getTime() - QUIET_MS;
}
