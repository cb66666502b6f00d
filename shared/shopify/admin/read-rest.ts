import { type AdminAnswer, type AdminFailure, failure } from './client/admin-answer.ts';

/** A page of a list, as every connection of the Admin API gives it. */
export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

export type WholeList<Node> =
  | { readonly kind: 'nodes'; readonly nodes: readonly Node[] }
  | AdminFailure;

/**
 * The list whose first page is known, to its end. A page that is not there any more, or that belongs
 * to another state of its owner than `state`, would mix two truths into one.
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
    // Without a cursor, or with the same one again, the list would never end.
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

/** Turns an answer into the part of it that is asked for. */
export function pick<Data, Part>(
  answer: AdminAnswer<Data>,
  part: (data: Data) => Part,
): AdminAnswer<Part> {
  return answer.kind === 'data' ? { kind: 'data', data: part(answer.data) } : answer;
}
