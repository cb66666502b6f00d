import { createHash } from 'node:crypto';
import { createTimedCache } from '../../core/calls/call-loyalty.ts';
import { createHttpClient, type HttpAnswer, type HttpClient } from '../../http/http-client.ts';
import type { RateLimit } from '../../rewards/storefront/storefront.ts';
import { adminAddress } from '../admin/client/admin-client.ts';

/**
 * Whose token of the Customer Account API this is, as Shopify says. Throws while it does not say it. `source`: the
 * address that the request came from.
 */
export type CustomerOfToken = (
  token: string,
  source: string | undefined,
) => Promise<
  | { readonly kind: 'customer'; readonly id: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'too-many'; readonly afterSeconds: number }
>;

interface CustomerTokensParts {
  readonly shop: string;
  /** Only on this machine. */
  readonly sandboxAddress: string | undefined;
  /** Of tokens of one network that are not known yet: each costs a request to Shopify. */
  readonly limit: RateLimit;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/** Until then a customer who logged out elsewhere is still answered. */
const KNOWN_SECONDS = 60;
const MOST_KNOWN = 2_000;
const ADDRESS_SECONDS = 3_600;
const LIMITS = { connectMs: 3_000, maxAnswerBytes: 65_536 };
const CUSTOMER = /^gid:\/\/shopify\/Customer\/([1-9]\d{0,18})$/;

/**
 * Asks the Customer Account API who holds a token: no page documents another way to check one. The address of the API
 * comes from the shop's discovery document, and the token stands in the header as it is (Shopify, "GraphQL Customer
 * Account API", discovery endpoints and authentication).
 */
export function createCustomerTokens({
  shop,
  sandboxAddress,
  limit,
  timeoutMs,
  now,
}: CustomerTokensParts): CustomerOfToken {
  const shopAddress = adminAddress(shop, sandboxAddress);
  const addresses = createTimedCache<string>({ seconds: ADDRESS_SECONDS, most: 1, now });
  const clients = new Map<string, HttpClient>();
  const known = createTimedCache<string>({ seconds: KNOWN_SECONDS, most: MOST_KNOWN, now });

  async function send(
    address: string,
    request: { readonly method: string; readonly body?: string; readonly token?: string },
  ): Promise<HttpAnswer> {
    const url = new URL(address);
    const { method, body, token } = request;
    const client = clients.get(url.origin) ?? createHttpClient(url.origin, LIMITS);
    clients.set(url.origin, client);
    const answer = await client.send({
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: token }),
      },
      body,
      timeoutMs,
      repeatable: true,
    });
    if (answer.kind === 'failure') throw new Error(`Shopify did not answer: ${answer.reason}`);
    return answer;
  }

  /** The shop's own domain may send the question on to the one that its customers see, once. */
  async function discover(): Promise<string> {
    const first = `${shopAddress}/.well-known/customer-account-api`;
    const asked = await send(first, { method: 'GET' });
    const { location } = asked.headers;
    const answer =
      asked.status >= 300 && asked.status < 400 && location !== undefined
        ? await send(secure(new URL(location, first).href), { method: 'GET' })
        : asked;
    const found = answer.status === 200 ? textAt(answer.text, ['graphql_api']) : undefined;
    if (found === undefined) throw new Error('the shop names no Customer Account API');
    return secure(found);
  }

  /** A token must not leave this machine unencrypted. */
  function secure(address: string): string {
    const isOwn = sandboxAddress !== undefined && address.startsWith(`${shopAddress}/`);
    if (isOwn || URL.parse(address)?.protocol === 'https:') return address;
    throw new Error('the Customer Account API is not at an https address');
  }

  return async (token, source) => {
    const name = createHash('sha256').update(token).digest('base64');
    const id = known.recall(name);
    if (id !== undefined) return { kind: 'customer', id };
    // Not for all together: a stranger must not shut out customers.
    const limited = limit(networkOf(source), now());
    if (limited) return { kind: 'too-many', ...limited };
    const address = addresses.recall('') ?? (await discover());
    addresses.keep('', address);
    const body = JSON.stringify({ query: 'query { customer { id } }' });
    const { status, text } = await send(address, { method: 'POST', body, token });
    if (status === 401 || status === 403) return { kind: 'nobody' };
    const [, found] = CUSTOMER.exec(textAt(text, ['data', 'customer', 'id']) ?? '') ?? [];
    if (status !== 200 || found === undefined) {
      throw new Error(`the Customer Account API answered ${status} without a customer`);
    }
    known.keep(name, found);
    return { kind: 'customer', id: found };
  };
}

/** Of IPv6 the first half: a network of that size usually belongs to one customer of a provider. */
function networkOf(source = ''): string {
  const [first = ''] = source.split('::');
  return first.split(':').slice(0, 4).join(':');
}

function textAt(json: string, path: readonly string[]): string | undefined {
  try {
    let value: unknown = JSON.parse(json);
    for (const name of path) value = (value as Readonly<Record<string, unknown>> | null)?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
