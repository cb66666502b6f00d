import { createHmac } from 'node:crypto';

type Values = Readonly<Record<string, string | readonly string[]>>;

/** The query as Shopify's proxy sends it: a second implementation of the documented rule. */
export function signedQuery(values: Values, secret: string): string {
  const text = Object.entries(values)
    .map(([key, value]) => `${key}=${[value].flat().join(',')}`)
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .join('');
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  return `${encode(values)}&signature=${signature}`;
}

export function encode(values: Values): string {
  return Object.entries(values)
    .flatMap(([key, value]) => [value].flat().map((one) => [key, one] as const))
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join('&');
}

/** What Shopify adds to every request. */
export function proxyValues(
  shop: string,
  at: Date,
  customerId = '',
  own: Values = {},
): Record<string, string | readonly string[]> {
  return {
    ...own,
    shop,
    path_prefix: '/apps/loyalty',
    timestamp: String(Math.floor(at.getTime() / 1000)),
    logged_in_customer_id: customerId,
  };
}
