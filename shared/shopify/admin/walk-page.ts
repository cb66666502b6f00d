import type { Changed, Span, WalkAnswer, WalkPage } from '../../core/sync/store-walk.ts';
import { failure, unavailable } from './client/admin-answer.ts';
import type { Page } from './read-rest.ts';

/**
 * Both ends are included and written to the second: the store's own moments have no finer part, and it
 * is not documented what it makes of one.
 */
export function searchFor({ from, until }: Span): string {
  const end = `updated_at:<='${toSecond(Math.floor(until / 1000))}'`;
  if (from === undefined) return end;
  return `updated_at:>='${toSecond(Math.floor(from / 1000))}' AND ${end}`;
}

function toSecond(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export function walkPage<Value>(
  { pageInfo: { hasNextPage, endCursor } }: Page<unknown>,
  changed: readonly Changed<Value>[],
  after: string | undefined,
): WalkAnswer<WalkPage<Value>> {
  if (!hasNextPage) return { kind: 'found', value: { changed } };
  // Without a cursor, or with the same one again, the walk would never end.
  if (endCursor === null || endCursor === after) return unavailable(failure('unreadable-answer'));
  return { kind: 'found', value: { changed, next: endCursor } };
}
