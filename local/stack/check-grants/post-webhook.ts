import { createHmac, randomUUID } from 'node:crypto';
import type { RunningStack } from '../running-stack.ts';

/** A signed webhook through the front door; gives the status. */
export async function postWebhook(
  { webhookAddress, webhookSecret, store }: RunningStack,
  topic: string,
  body: string,
): Promise<number> {
  const { status } = await fetch(webhookAddress, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-shop-domain': store.shop.domain,
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-api-version': '2026-10',
      'x-shopify-triggered-at': new Date().toISOString(),
      'x-shopify-hmac-sha256': createHmac('sha256', webhookSecret).update(body).digest('base64'),
    },
    body,
  });
  return status;
}
