import type { StoreOrder } from '../../../store/order.ts';
import { readOrderWebhook } from '../../webhooks/read-order-webhook.ts';
import { type AdminFailure, failure } from '../client/admin-answer.ts';
import type { Ask } from '../client/admin-client.ts';
import {
  orderDiscountsDocument,
  orderLinesDocument,
  orderShippingDocument,
} from '../documents.gen.ts';
import { pick, readRest } from '../read-rest.ts';
import { orderAsPayload } from './order-as-payload.ts';
import { orderDetails } from './order-details.ts';
import type { OrderNode, WholeOrder } from './order-node.ts';
import { readRefundLines } from './read-refund-lines.ts';
import { readTipLines } from './read-tip-lines.ts';

/** The order that a node begins, with whatever did not fit on the node's own pages. */
export async function orderFromNode(
  ask: Ask,
  node: OrderNode,
  withStaff: boolean,
): Promise<{ readonly kind: 'read'; readonly order: StoreOrder } | AdminFailure> {
  const whole = await readWhole(ask, node, withStaff);
  if (whole.kind === 'failure') return whole;
  const read = readOrderWebhook(orderAsPayload(whole.order));
  if (read.kind !== 'read') return failure('unreadable-answer');
  return { kind: 'read', order: { ...read.order, ...orderDetails(whole.order) } };
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
