import { createHmac } from 'node:crypto';
import type { LambdaFunctionURLEvent } from 'aws-lambda';

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
  const rawPath = `/${webhook.path}`;
  const headers = {
    'content-type': 'application/json',
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
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: '',
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'abcdefgh',
      domainName: headers.host,
      domainPrefix: 'abcdefgh',
      http: {
        method: 'POST',
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.10',
        userAgent: 'Shopify-Captain-Hook',
      },
      requestId: '7a1c0c0e-0000-4000-8000-000000000000',
      routeKey: '$default',
      stage: '$default',
      time: '09/Oct/2026:12:00:00 +0000',
      timeEpoch: Date.now(),
    },
    ...bodyFields(webhook.body),
  };
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
