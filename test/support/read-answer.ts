import type { OperationId } from '../../shared/loyalty/operations.ts';
import { readAnswer } from '../../shared/loyalty/read-answer.ts';

const now = new Date('2026-10-08T12:00:00Z');
const json = { 'content-type': 'application/json' };

/** What the client makes of an answer of the service. */
export function read(
  operation: OperationId,
  body: unknown,
  { status = 200, headers = json as Record<string, string>, input = {}, hidden = [''] } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { kind: 'answer', status, headers, text } as const;
  return readAnswer(operation, answer, { input, hidden: () => hidden }, now);
}

export const pageOf = (items: unknown) => ({
  ...{ Items: items, TotalItemCount: 1 },
  ...{ PageSize: 10, PageNumber: 1, HasNextPage: false },
});
export const tiers = { CurrentTier: { Id: 1 }, NextTiers: [], AllTiers: [{ Id: 1 }] };
