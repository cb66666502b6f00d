import type { StoreOrder } from '../../store/order.ts';
import type { StoreAnswer } from '../../sync/store-reader.ts';
import { readOrderWebhook } from '../read-order-webhook.ts';
import { type AdminFailure, failure, unavailable } from './admin-answer.ts';
import type { Ask } from './admin-client.ts';
import {
  orderDiscountsDocument,
  orderDocument,
  orderLinesDocument,
  orderShippingDocument,
} from './documents.gen.ts';
import { type Enrichment, metafieldKeys } from './enrichment.ts';
import { judgeAbsence, type OrderEvidence } from './judge-absence.ts';
import { orderAsPayload } from './order-as-payload.ts';
import { orderDetails } from './order-details.ts';
import type { OrderNode, WholeOrder } from './order-node.ts';
import { readRefundLines } from './read-refund-lines.ts';
import { pick, readRest } from './read-rest.ts';
import { readTipLines } from './read-tip-lines.ts';

/** An order as it stands now, equal to what its webhook would say and more where that is asked for. */
export async function readOrder(
  ask: Ask,
  id: string,
  enrichment: Enrichment,
  evidence: OrderEvidence,
): Promise<StoreAnswer<StoreOrder>> {
  const variables = orderVariables(id, enrichment);
  const answer = await ask(orderDocument, variables);
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.order;
  if (!node) return judgeAbsence(ask, evidence);
  const whole = await readWhole(ask, node, variables.withStaff);
  if (whole.kind === 'failure') return unavailable(whole);
  const read = readOrderWebhook(orderAsPayload(whole.order));
  if (read.kind !== 'read') return unavailable(failure('unreadable-answer'));
  return { kind: 'found', value: { ...read.order, ...orderDetails(whole.order) } };
}

function orderVariables(id: string, enrichment: Enrichment) {
  const orderMetafields = metafieldKeys(enrichment, 'order');
  const customerMetafields = metafieldKeys(enrichment, 'customer');
  return {
    id: `gid://shopify/Order/${id}`,
    withCard: enrichment.card ?? false,
    withLocation: enrichment.locationNames ?? false,
    withStaff: enrichment.staffNames ?? false,
    withLocalizedFields: enrichment.localizedFields ?? false,
    withOrderMetafields: orderMetafields.length > 0,
    orderMetafields,
    withCustomerMetafields: customerMetafields.length > 0,
    customerMetafields,
  };
}

async function readWhole(
  ask: Ask,
  node: OrderNode,
  withStaff: boolean,
): Promise<{ readonly kind: 'whole'; readonly order: WholeOrder } | AdminFailure> {
  const { id, updatedAt } = node;
  const lines = await readRest(node.lineItems, updatedAt, async (after) =>
    pick(await ask(orderLinesDocument, { id, after, withStaff }), ({ order }) =>
      order ? { state: order.updatedAt, page: order.lineItems } : undefined,
    ),
  );
  if (lines.kind === 'failure') return lines;
  const discounts = await readRest(node.discountApplications, updatedAt, async (after) =>
    pick(await ask(orderDiscountsDocument, { id, after }), ({ order }) =>
      order ? { state: order.updatedAt, page: order.discountApplications } : undefined,
    ),
  );
  if (discounts.kind === 'failure') return discounts;
  const shipping = await readRest(node.shippingLines, updatedAt, async (after) =>
    pick(await ask(orderShippingDocument, { id, after }), ({ order }) =>
      order ? { state: order.updatedAt, page: order.shippingLines } : undefined,
    ),
  );
  if (shipping.kind === 'failure') return shipping;
  const refundLines = await readRefundLines(ask, node, lines.nodes);
  if (refundLines.kind === 'failure') return refundLines;
  const tips = await readTipLines(ask, node);
  if (tips.kind === 'failure') return tips;
  const order = {
    node,
    lines: lines.nodes,
    discounts: discounts.nodes,
    shipping: shipping.nodes,
    refundLines: refundLines.nodes,
    tipLines: tips.ids,
  };
  return { kind: 'whole', order };
}
