import type { WebhookSecrets } from '../webhooks/signature.ts';
import { checkProxySignature, type QueryPairs, readQuery } from './proxy-signature.ts';

/** What Shopify has vouched for. */
export interface ProvedRequest {
  /** Undefined: nobody is logged in. */
  readonly customerId: string | undefined;
  /** The shopper's own parameters, each once. */
  readonly parameters: ReadonlyMap<string, string>;
}

export type Proof =
  | {
      readonly kind: 'proved';
      readonly request: ProvedRequest;
      readonly by: 'current' | 'previous';
    }
  | { readonly kind: 'refused'; readonly why: ProofRefusal };

/** For the figures only: whoever asks hears one answer for all. */
type ProofRefusal = 'signature' | 'stale' | 'other-shop' | 'ambiguous';

/**
 * How far the signature's time may lie from ours, either way. Shopify's own library allows as much. It
 * has to cover the way here and the difference of two clocks, and is how long a captured address works.
 */
export const WINDOW_SECONDS = 90;

/** None can hold an equals sign. `logged_in_customer_id` is empty while nobody is logged in. */
const SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ['shop', /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/],
  ['path_prefix', /^\/[A-Za-z0-9_-]+\/[A-Za-z0-9_.-]+$/],
  ['timestamp', /^\d{1,12}$/],
  ['logged_in_customer_id', /^(?:[1-9]\d{0,18})?$/],
]);

/**
 * Signature, time, shop, and that the signed text can be read in one way only.
 *
 * The last one is what makes the customer certain. Shopify signs parameters that the shopper chose
 * together with its own, with nothing in between. So a parameter named
 * `logged_in_customer_id=2path_prefix` could make the text in which another cut finds customer 2. Here
 * Shopify's own four must each be there once and hold no equals sign, and so must every other that an
 * endpoint knows; any other name is refused. A text has then as many parameters as equals signs, and
 * one way to be cut.
 * See docs/decisions/0027-what-proves-a-customer.md.
 */
export function proveRequest(
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
  // Shopify's clock counts whole seconds, ours is finer: the second it began in is not its fault.
  if (ageSeconds > WINDOW_SECONDS + 1 || ageSeconds < -WINDOW_SECONDS) {
    return { kind: 'refused', why: 'stale' };
  }
  if (own.get('shop') !== shop) return { kind: 'refused', why: 'other-shop' };
  const parameters = readOthers(pairs);
  if (!parameters) return { kind: 'refused', why: 'ambiguous' };
  const customerId = own.get('logged_in_customer_id') || undefined;
  return { kind: 'proved', request: { customerId, parameters }, by };
}

/** Shopify's own four parameters; undefined unless each is there once and in its shape. */
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
