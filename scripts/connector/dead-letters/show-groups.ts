import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { relativeTime } from '../terminal/text.ts';
import type { LetterGroup } from './letter-groups.ts';

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
