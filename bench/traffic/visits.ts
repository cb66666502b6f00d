import { createHmac } from 'node:crypto';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import { toItem } from '../../shared/aws/ledger-item.ts';
import { rememberBalance } from '../../shared/rewards/balances/point-balance.ts';

export const SHOP = 'example-store.myshopify.com';
/** As the loyalty service of the endpoints counts them. */
export const POINTS = 120;

/** The ledger's item of a customer whose balance is known and was read a moment ago. */
export function customerItem(id: string) {
  const readAt = Date.now();
  const balance = { points: String(POINTS), cashback: '0', tier: null, expiring: null };
  const remembered = rememberBalance(balance);
  const entry = { version: readAt, uncertain: false, remembered, outcomes: [] };
  return toItem({ shop: SHOP, kind: 'customer', id }, entry, 1, 'bench');
}

/** What a function URL hands over for `GET /apps/loyalty/me` of a page, signed by Shopify's app proxy. */
export function visitEvent(customerId: string): LambdaFunctionURLEvent {
  const query = new URLSearchParams({
    logged_in_customer_id: customerId,
    path_prefix: '/apps/loyalty',
    shop: SHOP,
    timestamp: String(Math.floor(Date.now() / 1000)),
  });
  const text = [...query].map(([key, value]) => `${key}=${value}`).join('');
  query.set('signature', createHmac('sha256', 'bench-secret').update(text).digest('hex'));
  const event = toFunctionUrlEvent({
    ...{ path: 'example-store/me', shop: SHOP, topic: '', webhookId: '', triggeredAt: '' },
    ...{ secret: '', body: new Uint8Array() },
  });
  const { http } = event.requestContext;
  return {
    ...event,
    rawQueryString: query.toString(),
    requestContext: { ...event.requestContext, http: { ...http, method: 'GET' } },
  };
}
