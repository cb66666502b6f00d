import type { StoreAnswer } from '../../../core/sync/store-reader.ts';
import type { StoreOrder } from '../../../store/order.ts';
import { unavailable } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import { orderDocument } from '../documents.gen.ts';
import { judgeAbsence, type OrderEvidence } from '../judge-absence.ts';
import { type Enrichment, extrasVariables } from './enrichment.ts';
import { orderFromNode } from './order-from-node.ts';

/** An order as it stands now, equal to what its webhook would say and more where that is asked for. */
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
