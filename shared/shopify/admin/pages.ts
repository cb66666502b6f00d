import type { Changed, Span, WalkAnswer, WalkPage } from '../../core/store/store.ts';
import {
  type AdminAnswer,
  type AdminFailure,
  failure,
  unavailable,
} from './client/admin-answer.ts';

/** A page of any connection of the Admin API. */
export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export type WholeList<Node> =
  | { readonly kind: 'nodes'; readonly nodes: readonly Node[] }
  | AdminFailure;

/**
 * Reads a list to its end, from its first page on. `state` is the owner's `updatedAt`: pages of two
 * states must not be mixed into one list.
 */
export async function readRest<Node>(
  first: Page<Node>,
  state: string,
  next: (
    after: string,
  ) => Promise<AdminAnswer<{ readonly state: string; readonly page: Page<Node> } | undefined>>,
): Promise<WholeList<Node>> {
  const nodes = [...first.nodes];
  let { hasNextPage, endCursor } = first.pageInfo;
  while (hasNextPage) {
    // Without a cursor, or with the same one again, the loop would never end.
    const after: string | null = endCursor;
    if (after === null) return failure('unreadable-answer');
    const answer = await next(after);
    if (answer.kind === 'failure') return answer;
    if (answer.kind !== 'data' || answer.data?.state !== state) {
      return failure('changed-while-reading');
    }
    nodes.push(...answer.data.page.nodes);
    ({ hasNextPage, endCursor } = answer.data.page.pageInfo);
    if (hasNextPage && endCursor === after) return failure('unreadable-answer');
  }
  return { kind: 'nodes', nodes };
}

export function pick<Data, Part>(
  answer: AdminAnswer<Data>,
  part: (data: Data) => Part,
): AdminAnswer<Part> {
  return answer.kind === 'data' ? { kind: 'data', data: part(answer.data) } : answer;
}

/**
 * Both ends are included and written in whole seconds, as the store's own times; it is not documented how
 * the search treats fractions.
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
