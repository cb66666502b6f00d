/** As Lambda passes them: in any case, repeated ones joined by commas. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

export interface WebhookHeaders {
  /** `orders/create`; of an Event its topic and action: `Product/update`. */
  readonly topic: string;
  readonly shop: string;
  readonly webhookId: string;
  readonly apiVersion: string;
  readonly triggeredAt: string | undefined;
}

export type ReadHeaders =
  | { readonly kind: 'read'; readonly headers: WebhookHeaders }
  | { readonly kind: 'bad-headers'; readonly why: string };

/** Shopify's Events use the first family, its webhooks the second. */
const EVENTS = 'shopify-';
const FAMILIES = [EVENTS, 'x-shopify-'] as const;
const SIGNATURE = 'hmac-sha256';

/**
 * Several times what the store sends. Headers are not signed: with a captured body, any caller could
 * fill the log with them or make a message too large for its queue.
 */
const MAX_LENGTH = 255;

export function readSignature(headers: RequestHeaders): string | undefined {
  return find(headers, familyOf(headers) + SIGNATURE);
}

/** None of these headers is signed. */
export function readWebhookHeaders(headers: RequestHeaders): ReadHeaders {
  const family = familyOf(headers);
  const read = (name: string) => find(headers, family + name) ?? '';
  const action = family === EVENTS ? read('action') : '';
  const required = {
    topic: [read('topic'), action].filter((part) => part !== '').join('/'),
    'shop-domain': read('shop-domain'),
    'webhook-id': read('webhook-id'),
    'api-version': read('api-version'),
  };
  const named = (wrong: (value: string) => boolean) =>
    Object.entries(required).flatMap(([name, value]) => (wrong(value) ? [family + name] : []));
  const missing = named((value) => value === '');
  if (missing.length > 0) return { kind: 'bad-headers', why: `missing: ${missing.join(', ')}` };
  // A header sent twice arrives joined. No genuine value has a comma, and a guess between two topics
  // would let the sender choose.
  const doubled = named((value) => value.includes(','));
  if (doubled.length > 0) return { kind: 'bad-headers', why: `sent twice: ${doubled.join(', ')}` };
  const tooLong = named((value) => value.length > MAX_LENGTH);
  if (tooLong.length > 0) return { kind: 'bad-headers', why: `too long: ${tooLong.join(', ')}` };
  const triggeredAt = find(headers, `${family}triggered-at`);
  return {
    kind: 'read',
    headers: {
      topic: required.topic,
      shop: required['shop-domain'].toLowerCase(),
      webhookId: required['webhook-id'],
      apiVersion: required['api-version'],
      triggeredAt: triggeredAt && triggeredAt.length <= MAX_LENGTH ? triggeredAt : undefined,
    },
  };
}

/** The family with a signature; headers of the other one are ignored. */
function familyOf(headers: RequestHeaders): string {
  return FAMILIES.find((family) => find(headers, family + SIGNATURE)) ?? 'x-shopify-';
}

function find(headers: RequestHeaders, wanted: string): string | undefined {
  const direct = headers[wanted];
  if (direct) return direct.trim() || undefined;
  for (const key of Object.keys(headers)) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) {
      return headers[key]?.trim() || undefined;
    }
  }
  return undefined;
}
