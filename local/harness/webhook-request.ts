import { createHmac } from 'node:crypto';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { toHttpEvent } from '../stack/functions/web-server.ts';

export interface Webhook {
  /** The shop's part of the address. */
  readonly path: string;
  readonly shop: string;
  readonly topic: string;
  readonly webhookId: string;
  readonly triggeredAt: string;
  readonly secret: string;
  readonly body: Uint8Array;
  /** Added to those of a genuine delivery, or instead of them; undefined takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** What a function URL hands to the receiver for one delivery of the store. */
export function toFunctionUrlEvent(webhook: Webhook): LambdaFunctionURLEvent {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Shopify-Captain-Hook',
    host: 'abcdefgh.lambda-url.us-east-1.on.aws',
    'x-shopify-topic': webhook.topic,
    'x-shopify-shop-domain': webhook.shop,
    'x-shopify-webhook-id': webhook.webhookId,
    'x-shopify-api-version': '2026-10',
    'x-shopify-triggered-at': webhook.triggeredAt,
    'x-shopify-hmac-sha256': createHmac('sha256', webhook.secret)
      .update(webhook.body)
      .digest('base64'),
    ...webhook.headers,
  };
  const { path, body } = webhook;
  const request = { method: 'POST', target: `/${path}`, headers, body: Buffer.from(body) };
  return { ...toHttpEvent(request, '$default'), ...bodyFields(body) } as LambdaFunctionURLEvent;
}

/** Text comes as it is and anything else in base64; which is which is Lambda's to decide. */
function bodyFields(body: Uint8Array): {
  readonly body: string;
  readonly isBase64Encoded: boolean;
} {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return { body: text, isBase64Encoded: false };
  } catch {
    return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
  }
}
