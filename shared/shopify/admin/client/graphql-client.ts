import { AsyncLocalStorage } from 'node:async_hooks';
import { type ApiVersion, GraphqlClient, Session } from '@shopify/shopify-api';
import { setAbstractFetchFunc, setAbstractRuntimeString } from '@shopify/shopify-api/runtime';
import { API_VERSION } from '../../api-version.ts';
import { post } from './http-post.ts';
import type { RawAnswer } from './read-answer.ts';

/**
 * Shopify's own GraphQL client, and nothing else of its package: named imports let the bundler leave
 * out the rest, which is most of its size and loading time (docs/decisions/0011-admin-api-client.md).
 * Loaded when the store is first asked, through the dynamic import of this file.
 */
class ConnectorClient extends GraphqlClient {
  // The fields that the client reads; the others belong to parts of the package that are not used.
  static override config = {
    apiVersion: API_VERSION as ApiVersion,
    isCustomStoreApp: false,
    userAgentPrefix: 'loyalty-connector',
    logger: { httpRequests: false },
  } as typeof GraphqlClient.config;
}

/** The package has one fetch for the whole process: whose request it is comes with the call. */
const calls = new AsyncLocalStorage<{ readonly address: string; readonly signal: AbortSignal }>();

setAbstractRuntimeString(() => 'Node');
setAbstractFetchFunc(postAsFetch as unknown as typeof fetch);

/** As much of `fetch` as the client uses. */
async function postAsFetch(
  url: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: string },
) {
  const call = calls.getStore();
  if (!call) throw new Error('the Admin API is asked through postGraphql only');
  const answer = await post(`${call.address}${new URL(url).pathname}`, headers, body, call.signal);
  return {
    ok: answer.status >= 200 && answer.status <= 299,
    status: answer.status,
    statusText: '',
    headers: { get: (name: string) => answer.headers[name.toLowerCase()] ?? null },
    json: async () => JSON.parse(answer.text),
  };
}

export interface GraphqlRequest {
  readonly shop: string;
  readonly address: string;
  readonly accessToken: string;
  readonly text: string;
  readonly variables: object;
  readonly signal: AbortSignal;
}

/** One request, no retry. Never rejects: what failed is in the answer. */
export async function postGraphql(request: GraphqlRequest): Promise<RawAnswer> {
  const { shop, address, accessToken, text, variables, signal } = request;
  const session = new Session({ id: shop, shop, state: '', isOnline: false, accessToken });
  // The inner client answers with the errors, the status and the cost; the outer one throws them.
  const { client } = new ConnectorClient({ session });
  const { data, errors, extensions } = await calls.run({ address, signal }, () =>
    client.request(text, { variables }),
  );
  return {
    status: errors ? errors.networkStatusCode : 200,
    retryAfter: errors?.response?.headers.get('retry-after') ?? undefined,
    errors: errors?.graphQLErrors,
    data,
    cost: extensions?.cost,
  };
}
