import { createHmac } from 'node:crypto';
import { API_VERSION } from '../../../shared/shopify/entity-id.ts';

export type PostedWebhook =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly text: string;
      readonly milliseconds: number;
      /** The `Date` header of the answer. */
      readonly date: string | undefined;
    }
  | { readonly kind: 'unanswered'; readonly why: string; readonly milliseconds: number };

/** Longer than the store's own five seconds: a slow answer is worth seeing. */
const PATIENCE_MS = 15_000;
const TEXT_MAX_CHARS = 200;

/** One POST without following redirects, like the store's: anything outside 2xx is a failure. */
export async function postWebhook(
  address: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<PostedWebhook> {
  const startedAt = performance.now();
  const passed = () => Math.round(performance.now() - startedAt);
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(address, {
      method: 'POST',
      headers,
      body: Buffer.from(body),
      redirect: 'manual',
      signal,
    });
    const text = (await answer.text()).trim().slice(0, TEXT_MAX_CHARS);
    const date = answer.headers.get('date') ?? undefined;
    return { kind: 'answered', status: answer.status, text, milliseconds: passed(), date };
  } catch (error) {
    return { kind: 'unanswered', why: reasonOf(error), milliseconds: passed() };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if (error.name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  // Several addresses were tried and each failed: the first says enough.
  const first = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause;
  return first instanceof Error && first.message !== '' ? first.message : error.message;
}

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
