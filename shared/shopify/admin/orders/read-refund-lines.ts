import type { Ask } from '../client/admin-client.ts';
import { refundLinesDocument } from '../documents.gen.ts';
import { pick, readRest, type WholeList } from '../read-rest.ts';
import type { OrderLineNode, OrderNode, RefundLineNode } from './order-node.ts';

/** The worth that the store gave to what was taken back, where a part of a line was and one is left. */
export async function readRefundLines(
  ask: Ask,
  { refunds, updatedAt }: OrderNode,
  lines: readonly OrderLineNode[],
): Promise<WholeList<RefundLineNode>> {
  const partly = lines.some(
    ({ quantity, currentQuantity }) => currentQuantity > 0 && currentQuantity < quantity,
  );
  const nodes: RefundLineNode[] = [];
  for (const { id } of partly ? refunds : []) {
    const list = await readRest<RefundLineNode>(BEFORE_FIRST, updatedAt, async (after) =>
      pick(await ask(refundLinesDocument, { id, after: after || null }), ({ refund }) =>
        refund ? { state: refund.order.updatedAt, page: refund.refundLineItems } : undefined,
      ),
    );
    if (list.kind === 'failure') return list;
    nodes.push(...list.nodes);
  }
  return { kind: 'nodes', nodes };
}

const BEFORE_FIRST = { nodes: [], pageInfo: { hasNextPage: true, endCursor: '' } };
