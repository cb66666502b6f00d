import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../sandbox-kit/http/server.ts';

export const PROXY_PATH = '/apps/loyalty';

export interface AppProxy {
  readonly shopDomain: string;
  /** What the proxy is set to: the storefront's address with the shop's own part. */
  readonly to: string;
  /** The app's secret as it is now. */
  readonly secret: () => string;
  readonly now: () => Date;
}

export interface ProxiedRequest {
  readonly method: string;
  /** After the proxy's own path: `me`. */
  readonly rest: string;
  readonly query: string;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** Empty for a visitor. */
  readonly customerId: string;
}

/** What the store adds itself. A shopper's own parameter of such a name does not get through. */
const OWN = ['shop', 'path_prefix', 'timestamp', 'logged_in_customer_id', 'signature'];

const PASSED_ON = ['accept', 'content-type'] as const;
const PASSED_BACK = ['content-type', 'retry-after', 'allow'] as const;

/** Hands a request on to the app as the store would: without cookies, signed, for who is logged in. */
export async function askApp(request: ProxiedRequest, proxy: AppProxy): Promise<Answer> {
  const query = new URLSearchParams(request.query);
  for (const name of OWN) query.delete(name);
  query.set('shop', proxy.shopDomain);
  query.set('logged_in_customer_id', request.customerId);
  query.set('path_prefix', PROXY_PATH);
  query.set('timestamp', String(Math.floor(proxy.now().getTime() / 1000)));
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answer = await fetch(`${proxy.to}/${request.rest}?${signQuery(query, proxy.secret())}`, {
    method: request.method,
    headers: pick(PASSED_ON, (name) => request.headers[name]),
    ...(hasBody && { body: new Uint8Array(request.body) }),
  });
  return {
    status: answer.status,
    headers: pick(PASSED_BACK, (name) => answer.headers.get(name) ?? undefined),
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
 * The query with the signature that the store's app proxy adds: every parameter, sorted, `name=value`
 * without anything between them, the values of a name given twice joined by a comma (Shopify,
 * "Authenticate app proxies").
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
