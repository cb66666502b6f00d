import { createHmac } from 'node:crypto';
import {
  type SignatureCheck,
  type WebhookSecretReader,
  type WebhookSecrets,
  whichSigned,
} from '../../core/events/receive-delivery.ts';
import type { HasCustomer, RateLimit, Storefront } from '../../rewards/storefront/storefront.ts';
import { checkSignature, readSignature } from '../webhooks/topics.ts';
import { readRun } from './flow.ts';

/**
 * Who an address is for. The address alone decides what proves a request, so a proof of one kind is
 * never looked at where another one is wanted:
 *
 *   /{shop}/{route}                     a page of the store, by the signature of Shopify's app proxy
 *   /{shop}/account/{route}             an extension of the customer's account, by the customer's token
 *   /{shop}/till/{customer id}/{route}  an extension of the point of sale, by the token of its user
 *   /{shop}/flow/{route}                a workflow of Shopify Flow, by the signature of its body
 */
export type Caller =
  | { readonly kind: 'proxy'; readonly route: string }
  | { readonly kind: 'account' | 'flow'; readonly route: string }
  | { readonly kind: 'till'; readonly route: string; readonly customerId: string };

const CUSTOMER_ID = /^[1-9]\d{0,18}$/;

/** An empty route is none: such an address has too many parts, or names no customer. */
export function callerOf([first = '', ...rest]: readonly string[]): Caller {
  switch (first) {
    case 'account':
    case 'flow':
      return { kind: first, route: onlyOne(rest) };
    case 'till': {
      const [customerId = '', ...route] = rest;
      return {
        kind: 'till',
        customerId,
        route: CUSTOMER_ID.test(customerId) ? onlyOne(route) : '',
      };
    }
    default:
      return { kind: 'proxy', route: onlyOne([first, ...rest]) };
  }
}

const onlyOne = (parts: readonly string[]) => (parts.length === 1 ? (parts[0] ?? '') : '');

export interface ProvedCall extends ProvedRequest {
  /** At the till: the user of the store who is logged in to it. */
  readonly staffId?: string | undefined;
}

type Proof<Proved, Why> =
  | (Proved & { readonly kind: 'proved'; readonly by: 'current' | 'previous' })
  /** `why` only for metrics and logs: the caller gets one answer for all of them. */
  | { readonly kind: 'refused'; readonly why: Why };

const refused = <Why>(why: Why) => ({ kind: 'refused', why }) as const;

type CallProof = Proof<{ readonly request: ProvedCall }, ProxyRefusal | TokenRefusal>;

export async function prove(
  caller: Caller,
  request: StorefrontRequest,
  shop: ServedShop,
  now: Date,
): Promise<CallProof> {
  const { domain, secrets } = shop;
  if (caller.kind === 'proxy') {
    return withSecrets(secrets, (held) => proveProxyRequest(request.query, domain, held, now));
  }
  if (caller.kind === 'flow')
    return withSecrets(secrets, (held) => proveRun(request, domain, held));
  const clientId = await shop.clientId();
  if (clientId === undefined) return refused('no-client-id');
  const proof = await withSecrets(secrets, (held) =>
    proveToken(
      request.headers.authorization,
      caller.kind === 'till' ? 'staff' : 'customer',
      { shop: domain, clientId },
      held,
      now,
    ),
  );
  return proof.kind === 'proved' ? readTokenRequest(caller, request.query, proof) : proof;
}

/** Shopify signs the body as that of a webhook. A captured one gives nothing: its run was given. */
function proveRun(
  { headers, body, query }: StorefrontRequest,
  shop: string,
  secrets: WebhookSecrets,
): CallProof {
  const by = checkSignature(body, readSignature(headers) ?? '', secrets);
  if (by === 'invalid') return refused('signature');
  const run = readRun(body);
  if (run?.shop !== shop) return refused('other-shop');
  const parameters = new Map(readQuery(query));
  return { kind: 'proved', request: { customerId: run.customerId, parameters }, by };
}

/** The secrets may have been rotated a moment ago: for a wrong signature they are read again. */
async function withSecrets<P extends { readonly kind: string; readonly why?: string }>(
  secrets: ServedShop['secrets'],
  check: (held: Awaited<ReturnType<ServedShop['secrets']['get']>>) => P,
): Promise<P> {
  const proof = check(await secrets.get());
  if (proof.why !== 'signature') return proof;
  const renewal = await secrets.refresh();
  return renewal.kind === 'renewed' ? check(renewal.value) : proof;
}

function readTokenRequest(
  caller: Exclude<Caller, { kind: 'proxy' | 'flow' }>,
  query: string,
  { holder, by }: Extract<TokenProof, { kind: 'proved' }>,
): CallProof {
  const parameters = new Map(readQuery(query));
  const request =
    caller.kind === 'till'
      ? { customerId: caller.customerId, staffId: holder.id, parameters }
      : { customerId: holder.id, staffId: undefined, parameters };
  return { kind: 'proved', request, by };
}

/** What a valid session token proves about the one who uses an extension of the app. */
export interface TokenHolder {
  /** Staff of the store, or one of its customers. A token is never both. */
  readonly kind: 'customer' | 'staff';
  /** Undefined for a visitor of a customer's page who is not logged in. */
  readonly id: string | undefined;
}

type TokenProof = Proof<{ readonly holder: TokenHolder }, TokenRefusal>;

type TokenRefusal =
  | 'no-token'
  /** The connector does not know the id of the app that tokens are for. */
  | 'no-client-id'
  | 'signature'
  | 'algorithm'
  | 'unreadable'
  | 'other-app'
  | 'other-shop'
  | 'expired'
  | 'not-yet-valid'
  | 'other-holder';

/** What tokens of one shop's app must say. */
interface TokenApp {
  readonly shop: string;
  readonly clientId: string;
}

/** How far two clocks may differ, as in Shopify's own libraries. */
export const LEEWAY_SECONDS = 10;

/** Shopify's tokens have a sixth of it. */
const MAX_LENGTH = 4_096;

const BEARER = /^bearer ([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/i;

/**
 * Checks the session token of an extension. What decides is strict: the signature, the algorithm, app,
 * shop, time and holder. Other claims are not read: pages and versions of Shopify differ in them.
 *
 * The signature is checked before anything in the token is read. It is always HMAC-SHA256, so the
 * algorithm that a token names cannot choose another check; a token that names another one is refused.
 * See docs/decisions/0025-only-what-shopify-signed-names-the-customer.md.
 */
export function proveToken(
  authorization: string | undefined,
  wanted: TokenHolder['kind'],
  app: TokenApp,
  secrets: WebhookSecrets,
  now: Date,
): TokenProof {
  if (authorization === undefined) return refused('no-token');
  const [, head, payload, signature] =
    authorization.length > MAX_LENGTH ? [] : (BEARER.exec(authorization) ?? []);
  if (!head || !payload || !signature) return refused('unreadable');
  const by = whichSigned(secrets, signature, (secret) =>
    createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url'),
  );
  if (by === 'invalid') return refused('signature');
  const header = readJson(head);
  // A token with `crit` says that it must not be accepted without understanding more (RFC 7515).
  if (header?.alg !== 'HS256' || header.crit !== undefined) return refused('algorithm');
  const claims = readJson(payload);
  if (!claims) return refused('unreadable');
  const fault = findFault(claims, app, Math.floor(now.getTime() / 1000));
  if (fault) return refused(fault);
  const holder = readHolder(claims.sub, wanted);
  return holder ? { kind: 'proved', holder, by } : refused('other-holder');
}

type Claims = Readonly<Record<string, unknown>>;

function readJson(part: string): Claims | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

function findFault(claims: Claims, { shop, clientId }: TokenApp, nowSeconds: number) {
  const { aud, dest, iss, exp, nbf } = claims;
  if (aud !== clientId) return 'other-app';
  // Customer accounts name the shop without a scheme, the point of sale with one.
  if (dest !== shop && dest !== `https://${shop}`) return 'other-shop';
  // Not documented for customers, and with different paths behind the shop.
  const [, issuer] = (typeof iss === 'string' && /^https:\/\/([^/]+)/.exec(iss)) || [];
  if (iss !== undefined && issuer !== shop) return 'other-shop';
  if (!isTime(exp) || exp <= nowSeconds - LEEWAY_SECONDS) return 'expired';
  if (!isTime(nbf) || nbf > nowSeconds + LEEWAY_SECONDS) return 'not-yet-valid';
  return undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

const CUSTOMER = /^gid:\/\/shopify\/Customer\/([1-9]\d{0,18})$/;
const STAFF = /^[1-9]\d{0,18}$/;

/** By the form of `sub` alone: a customer is a gid, a member of staff a number. */
function readHolder(sub: unknown, kind: TokenHolder['kind']): TokenHolder | undefined {
  if (kind === 'customer' && sub === undefined) return { kind, id: undefined };
  const shape = kind === 'customer' ? CUSTOMER : STAFF;
  const [whole, id = whole] = (typeof sub === 'string' && shape.exec(sub)) || [];
  return id === undefined ? undefined : { kind, id };
}

export interface StorefrontRequest {
  readonly method: string;
  /** As sent: `/example-store/me`. */
  readonly path: string;
  /** As sent, without the question mark: of a proxied request, this text was signed. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface ServedShop {
  readonly domain: string;
  /** The same secret signs webhooks, proxied requests and session tokens. */
  readonly secrets: WebhookSecretReader;
  /** The app whose session tokens are accepted; undefined when the connector does not know it. */
  readonly clientId: () => Promise<string | undefined>;
  readonly storefront: Storefront;
  /** The customers who see an observed shop's program; undefined: everyone, and the shop is live. */
  readonly observers?: readonly string[] | undefined;
  /** Asked for the customers whom tills name. */
  readonly hasCustomer: HasCustomer;
  readonly rateLimit: {
    readonly customer: RateLimit;
    /** All who are not logged in. */
    readonly anonymous: RateLimit;
    /** One user of the point of sale. */
    readonly staff: RateLimit;
    /** All users of the point of sale. */
    readonly tills: RateLimit;
  };
}

/** What a valid signature of Shopify proves. */
interface ProvedRequest {
  /** Undefined for a shopper who is not logged in. */
  readonly customerId: string | undefined;
  /** Parameters that the browser sent; of the app proxy with the values of a repeated one joined by commas, as they are signed. */
  readonly parameters: ReadonlyMap<string, string>;
}

type ProxyRefusal = 'signature' | 'stale' | 'other-shop' | 'ambiguous';

/**
 * How far the signature's time may differ from our clock, as in Shopify's own library. It must cover
 * the transport and the difference of two clocks, and limits how long a captured address works.
 */
export const WINDOW_SECONDS = 90;

/** None takes a comma, so none may occur twice. `logged_in_customer_id` is empty without a login. */
const SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ['shop', /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/],
  ['path_prefix', /^\/[A-Za-z0-9_-]+\/[A-Za-z0-9_.-]+$/],
  ['timestamp', /^\d{1,12}$/],
  ['logged_in_customer_id', /^(?:[1-9]\d{0,18})?$/],
]);

/**
 * Checks signature, time, shop, and that the signed text names Shopify's own parameters in one way only.
 *
 * Without the last check a shopper could pass for another customer. Shopify signs the shopper's
 * parameters together with its own, without a separator, so a parameter named
 * `logged_in_customer_id=2path_prefix` can produce a text that also reads as customer 2. Therefore the
 * text must hold each of Shopify's four names with its equals sign once: that one is Shopify's. Its value
 * has one end, too: what follows sorts behind the name, so it begins with no digit, and a shop ends with
 * Shopify's domain. The shopper's own parameters may hold anything else.
 * See docs/decisions/0025-only-what-shopify-signed-names-the-customer.md.
 */
export function proveProxyRequest(
  query: string,
  shop: string,
  secrets: WebhookSecrets,
  now: Date,
): Proof<{ readonly request: ProvedRequest }, ProxyRefusal> {
  const pairs = readQuery(query);
  const by = checkProxySignature(pairs, secrets);
  if (by === 'invalid') return refused('signature');
  const values = joinValues(pairs);
  const text = signedText(pairs);
  for (const [name, shape] of SHAPES) {
    const isOnce = values.has(name) && text.split(`${name}=`).length === 2;
    if (!isOnce || !shape.test(values.get(name) ?? '')) return refused('ambiguous');
  }
  const ageSeconds = now.getTime() / 1000 - Number(values.get('timestamp'));
  // Shopify's timestamp is cut to whole seconds: up to one second of the age is rounding.
  if (ageSeconds > WINDOW_SECONDS + 1 || ageSeconds < -WINDOW_SECONDS) {
    return refused('stale');
  }
  if (values.get('shop') !== shop) return refused('other-shop');
  const parameters = new Map([...values].filter(([key]) => !SHAPES.has(key)));
  const customerId = values.get('logged_in_customer_id') || undefined;
  return { kind: 'proved', request: { customerId, parameters }, by };
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
  return [...joinValues(pairs)]
    .map(([key, value]) => Buffer.from(`${key}=${value}`))
    .toSorted(Buffer.compare)
    .join('');
}

/** By key, without the signature. */
function joinValues(pairs: QueryPairs): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [key, value] of pairs) {
    const known = values.get(key);
    if (key !== SIGNATURE) values.set(key, known === undefined ? value : `${known},${value}`);
  }
  return values;
}

export function signQuery(pairs: QueryPairs, secret: string): string {
  return createHmac('sha256', secret).update(signedText(pairs)).digest('hex');
}

export function checkProxySignature(pairs: QueryPairs, secrets: WebhookSecrets): SignatureCheck {
  const given = pairs.filter(([key]) => key === SIGNATURE).map(([, value]) => value);
  const [signature] = given;
  if (signature === undefined || given.length > 1) return 'invalid';
  return whichSigned(secrets, signature, (secret) => signQuery(pairs, secret));
}
