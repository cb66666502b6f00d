import type { EntityKey, EventKind, QueueFamily } from '../../../../shared/core/events/event.ts';
import type { Obstacle } from './prepare-replay.ts';

/** What became of the letters so far. */
export interface ReplayTally {
  seen: number;
  replayed: number;
  /** Chosen, but more than --limit; reading stops soon after it is reached. */
  beyondLimit: number;
  /** Chosen, but interrupted before their turn. */
  notReached: number;
  readonly obstacles: Map<Obstacle, number>;
  notMatching: number;
  /** Replayed since this run began, by it or by another run, and dead letters again. */
  backAgain: number;
}

/** A letter that was sent again, as `followReplayed` needs it. */
export interface ReplayedLetter {
  readonly family: QueueFamily;
  /** Undefined for what the ledger has no entry for: a discount, a person, the shop. */
  readonly key: EntityKey | undefined;
  readonly kind: EventKind;
  readonly id: string;
  /** ISO 8601, as it stands in the message's own list of replays. */
  readonly at: string;
}

export function newTally(): ReplayTally {
  return {
    seen: 0,
    replayed: 0,
    beyondLimit: 0,
    notReached: 0,
    obstacles: new Map(),
    notMatching: 0,
    backAgain: 0,
  };
}

export function countObstacles({ obstacles }: ReplayTally): number {
  return [...obstacles.values()].reduce((sum, count) => sum + count, 0);
}
