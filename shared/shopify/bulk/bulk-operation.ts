import { type AdminAnswer, failure } from '../admin/client/admin-answer.ts';
import type { Ask } from '../admin/client/admin-client.ts';
import {
  bulkOperationDocument,
  discountsCountDocument,
  ordersCountDocument,
  productsCountDocument,
  runBulkQueryDocument,
} from '../admin/documents.gen.ts';
import type { BulkKind } from './bulk-query.ts';

export type BulkState =
  | { readonly kind: 'running'; readonly objects: number }
  | {
      readonly kind: 'completed';
      /** Undefined when nothing was found: the store then writes no file. */
      readonly url: string | undefined;
      readonly objects: number;
      readonly rootObjects: number;
      readonly bytes: number;
      /** Nothing in the file is older than this. */
      readonly readSince: Date;
    }
  | { readonly kind: 'failed'; readonly errorCode: string }
  | { readonly kind: 'canceled' }
  /** The file is older than seven days, or the store no longer knows the operation. */
  | { readonly kind: 'expired' };

export type BulkStarted =
  | { readonly kind: 'started'; readonly id: string }
  /** The store already runs as many operations as it allows, of this process or another. */
  | { readonly kind: 'busy' };

/** Returns at once; the store writes the file in the background. */
export async function startBulkQuery(ask: Ask, query: string): Promise<AdminAnswer<BulkStarted>> {
  const answer = await ask(runBulkQueryDocument, { query });
  if (answer.kind === 'user-errors') {
    const busy = answer.errors.some(
      ({ code }) => code === 'OPERATION_IN_PROGRESS' || code === 'LIMIT_REACHED',
    );
    return busy ? { kind: 'data', data: { kind: 'busy' } } : answer;
  }
  if (answer.kind !== 'data') return answer;
  const id = answer.data.bulkOperationRunQuery?.bulkOperation?.id;
  if (id === undefined) return failure('unreadable-answer');
  return { kind: 'data', data: { kind: 'started', id } };
}

export async function readBulkState(ask: Ask, id: string): Promise<AdminAnswer<BulkState>> {
  const answer = await ask(bulkOperationDocument, { id });
  if (answer.kind !== 'data') return answer;
  return { kind: 'data', data: stateOf(answer.data.bulkOperation) };
}

type Operation = NonNullable<typeof bulkOperationDocument.types>['data']['bulkOperation'];

function stateOf(operation: Operation): BulkState {
  if (!operation) return { kind: 'expired' };
  const { status, url, errorCode } = operation;
  const objects = Number(operation.objectCount);
  switch (status) {
    case 'CREATED':
    case 'RUNNING':
      return { kind: 'running', objects };
    case 'CANCELING':
    case 'CANCELED':
      return { kind: 'canceled' };
    case 'FAILED':
      return { kind: 'failed', errorCode: errorCode ?? 'unknown' };
    case 'EXPIRED':
      return { kind: 'expired' };
    case 'COMPLETED':
      return {
        kind: 'completed',
        url: url ?? undefined,
        objects,
        rootObjects: Number(operation.rootObjectCount),
        bytes: Number(operation.fileSize ?? 0),
        readSince: new Date(operation.createdAt),
      };
  }
}

/** Counts automatic discounts too, which have no codes. */
export async function countEntities(
  ask: Ask,
  kind: BulkKind,
  search: string,
): Promise<AdminAnswer<number>> {
  switch (kind) {
    case 'orders':
      return counted(await ask(ordersCountDocument, { search }), (data) => data.ordersCount);
    case 'products':
      return counted(await ask(productsCountDocument, { search }), (data) => data.productsCount);
    case 'discounts':
      return counted(
        await ask(discountsCountDocument, { search }),
        (data) => data.discountNodesCount,
      );
  }
}

function counted<Data>(
  answer: AdminAnswer<Data>,
  count: (data: Data) => { readonly count: number } | null,
): AdminAnswer<number> {
  if (answer.kind !== 'data') return answer;
  return { kind: 'data', data: count(answer.data)?.count ?? 0 };
}
