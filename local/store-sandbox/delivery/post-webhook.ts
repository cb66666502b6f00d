import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { DeliveryPlan } from './disorder.ts';

export interface WebhookPost {
  post(delivery: WebhookDelivery, secret: string): Promise<Omit<DeliveryAttempt, 'at'>>;
  close(): void;
}

export interface WebhookOrigin {
  readonly shop: string;
  readonly apiVersion: string;
  readonly timeoutMs: number;
}

/** Long enough to show why the receiver refused it. */
const answerShown = 500;

export function createWebhookPost({ shop, apiVersion, timeoutMs }: WebhookOrigin): WebhookPost {
  const stopped = new AbortController();
  const connections = { keepAlive: true, maxSockets: 32 };
  const plain = { request: http.request, agent: new http.Agent(connections) };
  const secure = { request: https.request, agent: new https.Agent(connections) };

  return {
    post: (delivery, secret) =>
      new Promise((resolve) => {
        const address = new URL(delivery.address);
        const { request, agent } = address.protocol === 'https:' ? secure : plain;
        const body = Buffer.from(delivery.body);
        const began = performance.now();
        const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timeoutMs)]);
        const end = (result: Omit<DeliveryAttempt, 'at' | 'durationMs'>) =>
          resolve({ durationMs: Math.round(performance.now() - began), ...result });
        request(address, {
          method: 'POST',
          agent,
          signal,
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': body.length,
            'User-Agent': 'Shopify-Captain-Hook',
            ...headersOf(delivery, { shop, apiVersion, signature: sign(body, secret) }),
          },
        })
          .on('response', (response) => {
            const status = response.statusCode ?? 0;
            let answer = '';
            const problem = status >= 200 && status < 300 ? {} : { problem: `HTTP ${status}` };
            response
              .setEncoding('utf8')
              .on('data', (text: string) => {
                if (answer.length < answerShown) answer += text.slice(0, answerShown);
              })
              .on('error', () => end({ status, problem: 'the answer was cut off' }))
              .on('end', () => end({ status, ...(answer && { answer }), ...problem }));
          })
          .on('error', (error: NodeJS.ErrnoException) => {
            const late = `no answer within ${timeoutMs} ms`;
            end({ problem: signal.aborted ? late : (error.code ?? 'broken') });
          })
          .end(body);
      }),
    close: () => {
      stopped.abort();
      plain.agent.destroy();
      secure.agent.destroy();
    },
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

interface DeliveryAttempt {
  readonly at: string;
  readonly durationMs: number;
  /** Absent if no answer came. */
  readonly status?: number;
  /** The beginning of the answer. */
  readonly answer?: string;
  readonly problem?: string;
}
