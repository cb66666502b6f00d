import { createHmac } from 'node:crypto';
import { isSameText, type SignatureCheck, type WebhookSecrets } from '../webhooks/signature.ts';

/** What a valid session token proves about the one who uses an extension of the app. */
export interface TokenHolder {
  /** Staff of the store, or one of its customers. A token is never both. */
  readonly kind: 'customer' | 'staff';
  /** Undefined: a visitor of a customer's page who is not logged in. */
  readonly id: string | undefined;
}

export type TokenProof =
  | {
      readonly kind: 'proved';
      readonly holder: TokenHolder;
      readonly by: 'current' | 'previous';
    }
  | { readonly kind: 'refused'; readonly why: TokenRefusal };

/** Only for metrics and logs: the caller gets one answer for all of them. */
export type TokenRefusal =
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
export interface TokenApp {
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
  const by = checkTokenSignature(`${head}.${payload}`, signature, secrets);
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

const refused = (why: TokenRefusal) => ({ kind: 'refused', why }) as const;

/** As in `checkSignature`: as text, because decoding would accept many spellings of one value. */
function checkTokenSignature(
  text: string,
  signature: string,
  { current, previous }: WebhookSecrets,
): SignatureCheck {
  if (isSameText(signToken(text, current), signature)) return 'current';
  if (previous && isSameText(signToken(text, previous), signature)) return 'previous';
  return 'invalid';
}

function signToken(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
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
