import {
  type ProofRefusal,
  type ProvedRequest,
  proveProxyRequest,
  readQuery,
} from './prove-proxy-request.ts';
import { proveToken, type TokenProof, type TokenRefusal } from './prove-token.ts';
import type { ServedShop, StorefrontRequest } from './served-shop.ts';

/**
 * Who an address is for. The address alone decides what proves a request, so a proof of one kind is
 * never looked at where another one is wanted:
 *
 *   /{shop}/{route}                     a page of the store, by the signature of Shopify's app proxy
 *   /{shop}/account/{route}             an extension of the customer's account, by the customer's token
 *   /{shop}/till/{customer id}/{route}  an extension of the point of sale, by the token of its user
 */
export type Caller =
  | { readonly kind: 'proxy'; readonly route: string }
  | { readonly kind: 'account'; readonly route: string }
  | { readonly kind: 'till'; readonly route: string; readonly customerId: string };

const CUSTOMER_ID = /^[1-9]\d{0,18}$/;

/** An empty route is none: such an address has too many parts, or names no customer. */
export function callerOf([first = '', ...rest]: readonly string[]): Caller {
  switch (first) {
    case 'account':
      return { kind: 'account', route: onlyOne(rest) };
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

type Proof =
  | {
      readonly kind: 'proved';
      readonly request: ProvedCall;
      readonly by: 'current' | 'previous';
    }
  /** Only for metrics: the caller gets one answer for all of them. */
  | { readonly kind: 'refused'; readonly why: ProofRefusal | TokenRefusal };

export async function prove(
  caller: Caller,
  request: StorefrontRequest,
  shop: ServedShop,
  now: Date,
): Promise<Proof> {
  const { domain, secrets } = shop;
  if (caller.kind === 'proxy') {
    return withSecrets(secrets, (held) => proveProxyRequest(request.query, domain, held, now));
  }
  const clientId = await shop.clientId();
  if (clientId === undefined) return { kind: 'refused', why: 'no-client-id' };
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
  caller: Exclude<Caller, { kind: 'proxy' }>,
  query: string,
  { holder, by }: Extract<TokenProof, { kind: 'proved' }>,
): Proof {
  const parameters = new Map(readQuery(query));
  const request =
    caller.kind === 'till'
      ? { customerId: caller.customerId, staffId: holder.id, parameters }
      : { customerId: holder.id, staffId: undefined, parameters };
  return { kind: 'proved', request, by };
}
