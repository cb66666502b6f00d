import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureCheck, WebhookSecrets } from '../webhooks/signature.ts';

/** Decoded, in the order they were sent; a key may occur several times. */
export type QueryPairs = readonly (readonly [key: string, value: string])[];

const SIGNATURE = 'signature';

/** `+` and `%20` are both a space here, as in the form encoding that Shopify signs from. */
export function readQuery(text: string): QueryPairs {
  return [...new URLSearchParams(text)];
}

/**
 * What is signed ("Authenticate app proxies"): every parameter but the signature as `key=value`, a
 * key's values joined with commas, the whole sorted and put together with nothing in between. Sorted
 * as bytes and after joining, as Shopify's example does: `a1=` stands before `a=`.
 *
 * With nothing in between, different queries can have one text: `a=1b=2` is one parameter or two. So
 * nobody may believe a parameter because of its signature alone; see prove-request.ts.
 */
export function signedText(pairs: QueryPairs): string {
  const values = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    if (key === SIGNATURE) continue;
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return [...values]
    .map(([key, list]) => Buffer.from(`${key}=${list.join(',')}`))
    .toSorted(Buffer.compare)
    .join('');
}

export function signQuery(pairs: QueryPairs, secret: string): string {
  return createHmac('sha256', secret).update(signedText(pairs)).digest('hex');
}

/** Which of the app's secrets signed the query: after a rotation Shopify may use the older one for an hour. */
export function checkProxySignature(
  pairs: QueryPairs,
  { current, previous }: WebhookSecrets,
): SignatureCheck {
  const given = pairs.filter(([key]) => key === SIGNATURE).map(([, value]) => value);
  const [signature] = given;
  if (signature === undefined || given.length > 1) return 'invalid';
  if (isSame(signQuery(pairs, current), signature)) return 'current';
  if (previous && isSame(signQuery(pairs, previous), signature)) return 'previous';
  return 'invalid';
}

/** As text: decoding would accept many spellings of one value. */
function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}
