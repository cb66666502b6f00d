import type { ListedLetter } from '../../../shared/core/batch/dead-letter.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { LetterReason } from '../../../shared/core/events/outcome.ts';

/** Letters that were given up for one and the same reason. */
export interface LetterGroup {
  readonly reason: LetterReason;
  readonly code: string | undefined;
  readonly why: string;
  count: number;
  /** Epoch milliseconds. */
  oldest: number;
  newest: number;
  /** The newest of them. */
  example: {
    readonly letterId: string;
    readonly family: QueueFamily;
    readonly kind?: string;
    readonly id?: string;
  };
}

/** Reasons can quote a size or a field, so their number has a limit. */
const MOST_GROUPS = 200;
const REST = 'further reasons, too many to list: narrow them down with a filter';

/** Counts letters one by one: the memory it needs does not grow with their number. */
export function createLetterGroups() {
  const groups = new Map<string, LetterGroup>();
  return {
    add(letter: ListedLetter): void {
      const { reason, code, at } = letter;
      const known = groups.get(keyOf(reason, code, letter.why));
      const why = known || groups.size < MOST_GROUPS ? letter.why : REST;
      const key = keyOf(reason, code, why);
      const group = groups.get(key);
      if (!group) {
        const example = exampleOf(letter);
        groups.set(key, { reason, code, why, count: 1, oldest: at, newest: at, example });
        return;
      }
      group.count += 1;
      group.oldest = Math.min(group.oldest, at);
      if (at < group.newest) return;
      group.newest = at;
      group.example = exampleOf(letter);
    },

    /** The largest first. */
    all(): readonly LetterGroup[] {
      return [...groups.values()].toSorted((a, b) => b.count - a.count || a.oldest - b.oldest);
    },
  };
}

function keyOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts);
}

function exampleOf({ letterId, family, event }: ListedLetter): LetterGroup['example'] {
  return { letterId, family, ...(event && { kind: event.kind, id: event.id }) };
}
