import { createHmac } from 'node:crypto';
import { type Posted, Poster } from '../../sandbox-kit/http/post.ts';
import type { DeliveryPlan } from './disorder.ts';

export interface WebhookPost {
  post(delivery: WebhookDelivery, secret: string): Promise<Posted>;
  close(): void;
}

export interface WebhookOrigin {
  readonly shop: string;
  readonly apiVersion: string;
  readonly timeoutMs: number;
}

export function createWebhookPost({ shop, apiVersion, timeoutMs }: WebhookOrigin): WebhookPost {
  const poster = new Poster(timeoutMs, 32);
  return {
    post(delivery, secret) {
      const body = Buffer.from(delivery.body);
      return poster.post(delivery.address, body, {
        'User-Agent': 'Shopify-Captain-Hook',
        ...headersOf(delivery, { shop, apiVersion, signature: sign(body, secret) }),
      });
    },
    close: () => poster.close(),
  };
}

/** Webhooks and Events have the same headers but for the prefix and what only one of them has. */
function headersOf(
  { topic, event, webhookId, eventId, triggeredAt }: WebhookDelivery,
  { shop, apiVersion, signature }: Record<'shop' | 'apiVersion' | 'signature', string>,
): Record<string, string> {
  const prefix = event ? 'Shopify' : 'X-Shopify';
  return {
    [`${prefix}-Topic`]: topic,
    [`${prefix}-Shop-Domain`]: shop,
    [`${prefix}-API-Version`]: apiVersion,
    [`${prefix}-Webhook-Id`]: webhookId,
    [`${prefix}-Triggered-At`]: triggeredAt,
    [`${prefix}-Hmac-Sha256`]: signature,
    ...(event
      ? { 'Shopify-Action': event.action, 'Shopify-Handle': event.handle }
      : { 'X-Shopify-Event-Id': eventId }),
  };
}

/** Base64 of the HMAC over the bytes as they are sent. */
function sign(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('base64');
}

/** One webhook to one address, with its attempts. */
export interface WebhookDelivery {
  /** Counts up by one, in the intended order. */
  readonly n: number;
  /** `X-Shopify-Webhook-Id`: the same on a retry and on a duplicate. */
  readonly webhookId: string;
  /** `X-Shopify-Event-Id`: the same for all webhooks of one action. */
  readonly eventId: string;
  readonly topic: string;
  /** Of an Event only. */
  readonly event?: { readonly action: string; readonly handle: string };
  readonly subscriptionId: string;
  readonly address: string;
  readonly triggeredAt: string;
  /** As it is sent and signed. */
  readonly body: string;
  readonly plan: DeliveryPlan;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'dropped';
  readonly attempts: readonly DeliveryAttempt[];
}

interface DeliveryAttempt extends Posted {
  readonly at: string;
}
