import { createHmac } from 'node:crypto';
import { API_VERSION } from '../../../shared/shopify/api-version.ts';

export interface Delivery {
  readonly topic: string;
  readonly shop: string;
  readonly webhookId: string;
  readonly body: Uint8Array;
  /** When the change happened in the store, as its header says. */
  readonly triggeredAt: Date;
}

/** The headers of one delivery as the store would send it. */
export function signWebhook(
  { topic, shop, webhookId, body, triggeredAt }: Delivery,
  secret: string,
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'user-agent': 'loyalty-connector',
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': shop,
    'x-shopify-webhook-id': webhookId,
    'x-shopify-api-version': API_VERSION,
    'x-shopify-triggered-at': triggeredAt.toISOString(),
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
  };
}
