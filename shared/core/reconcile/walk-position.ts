/** How far the comparison of one kind of one shop has come. Moments are epoch milliseconds. */
export interface WalkPosition {
  /** Where comparing first began; it never changes. */
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
  /** The store's cursor of the next page. */
  readonly after?: string;
  /** The part of that page that is done already: a single discount can take longer than a run. */
  readonly partly?: PartOfPage;
}

export interface PartOfPage {
  /** Discounts of the page that are done. */
  readonly done: readonly string[];
  /** The discount that is begun, and where its codes continue. */
  readonly begun?: { readonly id: string; readonly from: string };
}

/**
 * Webhooks of the last minutes may still arrive: their changes would count as healed. Longer than the
 * store's search index lags.
 */
const QUIET_MS = 15 * 60_000;

/** Compared twice, so that nothing between two walks is missed. */
const OVERLAP_MS = 15 * 60_000;

/** Of a new deployment: one interval back. */
export function firstPosition(now: Date, everyMinutes: number): WalkPosition {
  const doneUntil = quietUntil(now) - everyMinutes * 60_000;
  return { since: doneUntil - OVERLAP_MS, doneUntil };
}

/**
 * Never past the quiet time. Where `doneUntil` is later than that, a clock was wrong once: starting
 * from it, every run until then would find nothing.
 */
export function nextWalk({ doneUntil }: WalkPosition, now: Date): Walk {
  const until = quietUntil(now);
  return { from: Math.min(doneUntil, until) - OVERLAP_MS, until };
}

export function quietUntil(now: Date): number {
  return now.getTime() - QUIET_MS;
}
