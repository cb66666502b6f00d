import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../sandbox-kit/http/server.ts';

export const PROXY_PATH = '/apps/loyalty';

export interface AppProxy {
  readonly shopDomain: string;
  /** The proxy URL of the app: the storefront's address with the path of the shop. */
  readonly to: string;
  /** The app's current secret. */
  readonly secret: () => string;
  readonly now: () => Date;
}

export interface ProxiedRequest {
  readonly method: string;
  /** The path after the proxy's own, such as `me`. */
  readonly rest: string;
  readonly query: string;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** Empty: not logged in. */
  readonly customerId: string;
}

/** Set by the store, which removes a shopper's parameters of these names. */
const STORE_PARAMETERS = ['shop', 'path_prefix', 'timestamp', 'logged_in_customer_id', 'signature'];

const REQUEST_HEADERS = ['accept', 'content-type'] as const;
const RESPONSE_HEADERS = ['content-type', 'retry-after', 'allow'] as const;

/** Forwards a request to the app as the store does: without cookies, signed, with the customer's id. */
export async function askApp(request: ProxiedRequest, proxy: AppProxy): Promise<Answer> {
  const query = new URLSearchParams(request.query);
  for (const name of STORE_PARAMETERS) query.delete(name);
  query.set('shop', proxy.shopDomain);
  query.set('logged_in_customer_id', request.customerId);
  query.set('path_prefix', PROXY_PATH);
  query.set('timestamp', String(Math.floor(proxy.now().getTime() / 1000)));
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answer = await fetch(`${proxy.to}/${request.rest}?${signQuery(query, proxy.secret())}`, {
    method: request.method,
    headers: pick(REQUEST_HEADERS, (name) => request.headers[name]),
    ...(hasBody && { body: new Uint8Array(request.body) }),
  });
  return {
    status: answer.status,
    headers: pick(RESPONSE_HEADERS, (name) => answer.headers.get(name) ?? undefined),
    body: Buffer.from(await answer.arrayBuffer()),
  };
}

function pick<Name extends string>(
  names: readonly Name[],
  read: (name: Name) => string | undefined,
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/**
 * Adds the signature of the store's app proxy: over all parameters as `name=value`, sorted and
 * concatenated, with several values of one name joined by a comma (Shopify, "Authenticate app proxies").
 */
function signQuery(query: URLSearchParams, secret: string): URLSearchParams {
  const names = [...new Set(query.keys())];
  const signed = names
    .map((name) => `${name}=${query.getAll(name).join(',')}`)
    .toSorted()
    .join('');
  const signature = createHmac('sha256', secret).update(signed).digest('hex');
  return new URLSearchParams([...query, ['signature', signature]]);
}
