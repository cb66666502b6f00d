import type {
  Changed,
  Span,
  StoreAnswer,
  WalkAnswer,
  WalkPage,
} from '../../../core/store/store.ts';
import type { StoreOrder } from '../../../store/order.ts';
import { idFromGid } from '../../entity-id.ts';
import { judgeAbsence, type OrderEvidence } from '../absence.ts';
import {
  type AdminAnswer,
  type AdminFailure,
  failure,
  ifLikeSchema,
  unavailable,
} from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import {
  changedOrdersDocument,
  changedOrdersWithExtrasDocument,
  orderDocument,
} from '../documents.gen.ts';
import { type Page, pick, searchFor, walkPage } from '../pages.ts';
import { type Enrichment, extrasVariables } from './enrichment.ts';
import type { OrderNode } from './order-as-payload.ts';
import { orderFromNode } from './order-from-node.ts';

/** Equal to what a webhook would say now, plus the enrichment. */
export async function readOrder(
  ask: Ask,
  id: string,
  enrichment: Enrichment,
  evidence: OrderEvidence,
): Promise<StoreAnswer<StoreOrder>> {
  const variables = { id: `gid://shopify/Order/${id}`, ...extrasVariables(enrichment) };
  const answer = await ask(orderDocument, variables);
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.order;
  if (!node) return judgeAbsence(ask, evidence);
  const read = await orderFromNode(ask, node, variables.withStaff);
  return read.kind === 'read' ? { kind: 'found', value: read.order } : unavailable(read);
}

/** The same orders as from `readOrder`, with a seventh of the queries. */
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
    const read = await ifLikeSchema(
      () => orderFromNode(ask, node, enrichment.staffNames ?? false),
      failure('unreadable-answer'),
    );
    // A change moves the order out of the span: the next walk reads it.
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
