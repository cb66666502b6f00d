import type { Changed, Span, WalkAnswer, WalkPage } from '../../../core/sync/store-walk.ts';
import type { StoreOrder } from '../../../store/order.ts';
import { idFromGid } from '../../entity-id.ts';
import {
  type AdminAnswer,
  type AdminFailure,
  failure,
  unavailable,
  unlessUnlikeSchema,
} from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { changedOrdersDocument, changedOrdersWithExtrasDocument } from '../documents.gen.ts';
import { type Page, pick } from '../read-rest.ts';
import { searchFor, walkPage } from '../walk-page.ts';
import { type Enrichment, extrasVariables } from './enrichment.ts';
import { orderFromNode } from './order-from-node.ts';
import type { OrderNode } from './order-node.ts';

/** Orders as `readOrder` would read them one by one, for a seventh of the questions. */
export async function walkOrders(
  ask: Ask,
  span: Span,
  after: string | undefined,
  enrichment: Enrichment,
): Promise<WalkAnswer<WalkPage<StoreOrder>>> {
  const answer = await askForPage(
    ask,
    { search: searchFor(span), after: after ?? null },
    enrichment,
  );
  if (answer.kind !== 'data') return unavailable(answer);
  const changed: Changed<StoreOrder>[] = [];
  for (const node of answer.data.nodes) {
    const read = await unlessUnlikeSchema(
      () => orderFromNode(ask, node, enrichment.staffNames ?? false),
      failure('unreadable-answer'),
    );
    // It changes just now, and so leaves the span: the next walk sees it.
    if (isChanging(read)) continue;
    if (read.kind === 'failure' && read.reason !== 'unreadable-answer') return unavailable(read);
    const value = read.kind === 'read' ? read.order : undefined;
    changed.push({ id: idFromGid(node.id, 'Order') ?? '', updatedAt: node.updatedAt, value });
  }
  return walkPage(answer.data, changed, after);
}

async function askForPage(
  ask: Ask,
  place: { readonly search: string; readonly after: string | null },
  enrichment: Enrichment,
): Promise<AdminAnswer<Page<OrderNode>>> {
  const { orderMetafields, customerMetafields, ...switches } = extrasVariables(enrichment);
  if (!Object.values(switches).includes(true)) {
    return pick(
      await ask(changedOrdersDocument, { ...place, withStaff: false }),
      ({ orders }) => orders,
    );
  }
  const extras = { ...switches, orderMetafields, customerMetafields };
  return pick(
    await ask(changedOrdersWithExtrasDocument, { ...place, ...extras }),
    ({ orders }) => orders,
  );
}

function isChanging(read: { readonly kind: 'read' } | AdminFailure): boolean {
  return read.kind === 'failure' && read.reason === 'changed-while-reading';
}
