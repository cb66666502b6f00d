import { createHmac } from 'node:crypto';
import { isSameText, type SignatureCheck, type WebhookSecrets } from '../webhooks/signature.ts';

/** What a valid signature of Shopify proves. */
export interface ProvedRequest {
  /** Undefined: not logged in. */
  readonly customerId: string | undefined;
  /** Parameters that the browser sent; none occurs twice. */
  readonly parameters: ReadonlyMap<string, string>;
}

export type Proof =
  | {
      readonly kind: 'proved';
      readonly request: ProvedRequest;
      readonly by: 'current' | 'previous';
    }
  | { readonly kind: 'refused'; readonly why: ProofRefusal };

/** Only for metrics: the caller gets one answer for all of them. */
export type ProofRefusal = 'signature' | 'stale' | 'other-shop' | 'ambiguous';

/**
 * How far the signature's time may differ from our clock, as in Shopify's own library. It must cover
 * the transport and the difference of two clocks, and limits how long a captured address works.
 */
export const WINDOW_SECONDS = 90;

/** None can hold an equals sign. `logged_in_customer_id` is empty without a login. */
const SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ['shop', /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/],
  ['path_prefix', /^\/[A-Za-z0-9_-]+\/[A-Za-z0-9_.-]+$/],
  ['timestamp', /^\d{1,12}$/],
  ['logged_in_customer_id', /^(?:[1-9]\d{0,18})?$/],
]);

/**
 * Checks signature, time, shop, and that the signed text can be split into parameters in one way only.
 *
 * Without the last check a shopper could pass for another customer. Shopify signs the shopper's
 * parameters together with its own, without a separator, so a parameter named
 * `logged_in_customer_id=2path_prefix` can produce a text that also reads as customer 2. Therefore each
 * of Shopify's four parameters must occur once and hold no equals sign, and so must every parameter
 * that an endpoint knows; any other name is refused. A text then has as many parameters as equals signs,
 * and one way to be split.
 * See docs/decisions/0025-only-what-shopify-signed-names-the-customer.md.
 */
export function proveProxyRequest(
  query: string,
  shop: string,
  secrets: WebhookSecrets,
  now: Date,
): Proof {
  const pairs = readQuery(query);
  const by = checkProxySignature(pairs, secrets);
  if (by === 'invalid') return { kind: 'refused', why: 'signature' };
  const own = readOwn(pairs);
  if (!own) return { kind: 'refused', why: 'ambiguous' };
  const ageSeconds = now.getTime() / 1000 - Number(own.get('timestamp'));
  // Shopify's timestamp is cut to whole seconds: up to one second of the age is rounding.
  if (ageSeconds > WINDOW_SECONDS + 1 || ageSeconds < -WINDOW_SECONDS) {
    return { kind: 'refused', why: 'stale' };
  }
  if (own.get('shop') !== shop) return { kind: 'refused', why: 'other-shop' };
  const parameters = readOthers(pairs);
  if (!parameters) return { kind: 'refused', why: 'ambiguous' };
  const customerId = own.get('logged_in_customer_id') || undefined;
  return { kind: 'proved', request: { customerId, parameters }, by };
}

/** Shopify's own parameters; undefined unless each occurs once and has its shape. */
function readOwn(pairs: QueryPairs): ReadonlyMap<string, string> | undefined {
  const own = new Map<string, string>();
  for (const [key, value] of pairs) {
    const shape = SHAPES.get(key);
    if (!shape) continue;
    if (own.has(key) || !shape.test(value)) return undefined;
    own.set(key, value);
  }
  return own.size === SHAPES.size ? own : undefined;
}

function readOthers(pairs: QueryPairs): ReadonlyMap<string, string> | undefined {
  const others = new Map<string, string>();
  for (const [key, value] of pairs) {
    if (key === 'signature' || SHAPES.has(key)) continue;
    if (others.has(key) || `${key}${value}`.includes('=')) return undefined;
    others.set(key, value);
  }
  return others;
}

/** Decoded, in the order in which they were sent; a key may occur several times. */
export type QueryPairs = readonly (readonly [key: string, value: string])[];

const SIGNATURE = 'signature';

/** Reads `+` and `%20` as a space, as the form encoding does that Shopify signs. */
export function readQuery(text: string): QueryPairs {
  return [...new URLSearchParams(text)];
}

/**
 * The text that Shopify signs ("Authenticate app proxies"): every parameter but the signature as
 * `key=value`, a key's values joined with commas, all sorted and joined without a separator. Sorted as
 * bytes and after joining, as in Shopify's example: `a1=` comes before `a=`.
 *
 * Without a separator, different queries can have one text: `a=1b=2` is one parameter or two. So a valid
 * signature alone does not prove a parameter; see `proveProxyRequest`.
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

export function checkProxySignature(
  pairs: QueryPairs,
  { current, previous }: WebhookSecrets,
): SignatureCheck {
  const given = pairs.filter(([key]) => key === SIGNATURE).map(([, value]) => value);
  const [signature] = given;
  if (signature === undefined || given.length > 1) return 'invalid';
  if (isSameText(signQuery(pairs, current), signature)) return 'current';
  if (previous && isSameText(signQuery(pairs, previous), signature)) return 'previous';
  return 'invalid';
}
