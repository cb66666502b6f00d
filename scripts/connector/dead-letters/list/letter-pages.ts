import type { ListedLetter } from '../../../../shared/core/batch/dead-letter.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { relativeTime } from '../../terminal/text.ts';
import { newestFirst } from '../read-summaries.ts';

export interface PageOptions {
  readonly limit?: number;
  /** Where the page before ended. */
  readonly after?: string;
}

export interface LetterPage {
  readonly letters: readonly ListedLetter[];
  /** For `--after`; undefined: these are the last. */
  readonly next: string | undefined;
}

/** One page of letters, the newest first. A letter that arrives or leaves meanwhile moves no other page. */
export function pageOf(
  letters: readonly ListedLetter[],
  { limit = 0, after }: PageOptions,
): LetterPage {
  const rest = after === undefined ? letters : letters.filter((one) => placeOf(one) < after);
  const page = rest.toSorted(newestFirst).slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return { letters: page, next: last && placeOf(last) };
}

function placeOf({ at, letterId }: ListedLetter): string {
  return `${new Date(at).toISOString()}|${letterId}`;
}

export function pageAsJson({ letters, next }: LetterPage) {
  return {
    letters: letters.map(({ letterId, family, reason, code, why, attempts, at, event }) => ({
      ...{ letterId, family, reason, code, why, attempts, at: new Date(at).toISOString() },
      ...(event && { event }),
    })),
    ...(next !== undefined && { next }),
  };
}

export function showPage({ letters }: LetterPage, { table }: Terminal, now: Date): void {
  table({
    columns: [
      { title: 'GIVEN UP' },
      { title: 'ABOUT', shrinks: true },
      { title: 'REASON' },
      { title: 'CODE', shrinks: true },
      { title: 'LETTER' },
    ],
    rows: letters.map(({ at, event, reason, code, letterId }) => [
      relativeTime(at, now),
      event ? `${event.kind} ${event.id}` : '-',
      reason,
      code ?? '-',
      letterId,
    ]),
    details: letters.map(({ why }) => why),
  });
}
