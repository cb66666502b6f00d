import { readAmount, ZERO } from '../../../store/money.ts';
import { type AdminFailure, failure } from '../client/admin-answer.ts';
import type { Ask, DataOf } from '../client/admin-client.ts';
import { orderTipsDocument } from '../documents.gen.ts';
import type { OrderNode } from './order-node.ts';

type TipLines = { readonly kind: 'tips'; readonly ids: ReadonlySet<string> } | AdminFailure;

type Agreements = NonNullable<DataOf<typeof orderTipsDocument>['order']>['agreements'];

/** Where reading stands: within one agreement, at one of its sales. */
interface Place {
  readonly afterAgreement: string | null;
  readonly afterSale: string | null;
}

/**
 * Which lines are tips. Webhooks mark them, the Admin API's lines do not; its sales agreements do, and
 * they are read only for orders that had a tip.
 */
export async function readTipLines(ask: Ask, node: OrderNode): Promise<TipLines> {
  const ids = new Set<string>();
  const tipped = readAmount(node.totalTipReceivedSet.shopMoney.amount) !== ZERO;
  let place: Place | undefined = tipped ? { afterAgreement: null, afterSale: null } : undefined;
  while (place) {
    const answer = await ask(orderTipsDocument, { id: node.id, ...place });
    if (answer.kind === 'failure') return answer;
    const agreements = agreementsAt(answer.kind === 'data' ? answer.data : undefined, node);
    if (!agreements) return failure('changed-while-reading');
    for (const sale of agreements.nodes[0]?.sales.nodes ?? []) {
      if (sale.lineItem) ids.add(sale.lineItem.id);
    }
    const next = placeAfter(agreements, place);
    if (next && isSame(next, place)) return failure('unreadable-answer');
    place = next;
  }
  return { kind: 'tips', ids };
}

function agreementsAt(
  data: DataOf<typeof orderTipsDocument> | undefined,
  { updatedAt }: OrderNode,
): Agreements | undefined {
  return data?.order?.updatedAt === updatedAt ? data.order.agreements : undefined;
}

function placeAfter({ nodes, pageInfo }: Agreements, { afterAgreement }: Place): Place | undefined {
  const sales = nodes[0]?.sales.pageInfo;
  if (sales?.hasNextPage) return { afterAgreement, afterSale: sales.endCursor };
  return pageInfo.hasNextPage ? { afterAgreement: pageInfo.endCursor, afterSale: null } : undefined;
}

function isSame(one: Place, other: Place): boolean {
  return one.afterAgreement === other.afterAgreement && one.afterSale === other.afterSale;
}
