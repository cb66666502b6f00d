import type { ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import type { DeadLetterReason } from '../../../shared/core/events/outcome.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { relativeTime } from '../terminal/text.ts';

/** Dead letters that were given up for one and the same reason. */
export interface LetterGroup {
  readonly reason: DeadLetterReason;
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

/** Counts dead letters one by one: the memory it needs does not grow with their number. */
export function createLetterGroups() {
  const groups = new Map<string, LetterGroup>();
  return {
    add(letter: ListedDeadLetter): void {
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

function exampleOf({ letterId, family, event }: ListedDeadLetter): LetterGroup['example'] {
  return { letterId, family, ...(event && { kind: event.kind, id: event.id }) };
}

/** Groups as a table, with the reason in words under each. */
export function showGroups(
  groups: readonly LetterGroup[],
  { table }: Pick<Terminal, 'table'>,
  now: Date,
): void {
  table({
    columns: [
      { title: 'COUNT', align: 'right' },
      { title: 'REASON' },
      { title: 'CODE', shrinks: true },
      { title: 'OLDEST' },
      { title: 'NEWEST' },
      { title: 'EXAMPLE', shrinks: true },
    ],
    rows: groups.map(({ count, reason, code, oldest, newest, example }) => [
      String(count),
      reason,
      code ?? '-',
      relativeTime(oldest, now),
      relativeTime(newest, now),
      example.id === undefined ? example.letterId : `${example.kind} ${example.id}`,
    ]),
    details: groups.map(({ why }) => why),
  });
}

/** What a person can do about the code, where it is known. */
function adviceFor({ code }: Pick<LetterGroup, 'code'>): { readonly advice?: string } {
  const advice = adviceOn(code);
  return advice === undefined ? {} : { advice };
}

/** Times as ISO 8601, for programs. */
export function groupsAsJson(groups: readonly LetterGroup[]) {
  return groups.map(({ oldest, newest, ...group }) => ({
    ...group,
    ...adviceFor(group),
    oldest: new Date(oldest).toISOString(),
    newest: new Date(newest).toISOString(),
  }));
}

/** Why some dead letters may not have been seen; `family` is undefined for all queues together. */
export function notSeenText(notSeen: number, family?: QueueFamily): string {
  const where = family === undefined ? '' : ` in the ${family} queue`;
  return `About ${notSeen} more${where} cannot be seen now: another person or a killed run has received them, or they wait behind an earlier dead letter of the same entity. Look again in five minutes.`;
}
