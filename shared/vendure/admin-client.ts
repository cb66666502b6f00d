import type {
  OpenShop,
  ParsedSecret,
  SecretTexts,
  StoreSecret,
} from '../core/platform/platform.ts';
import type { StoreUnavailable } from '../core/store/store.ts';
import { createHttpClient, type HttpClient } from '../http/http-client.ts';

/** An API key, or an administrator of the connector's own: both with reading permissions only. */
export type VendureCredentials =
  | { readonly kind: 'api-key'; readonly apiKey: string }
  | { readonly kind: 'login'; readonly username: string; readonly password: string };

/** `apiKey`, or `username` and `password`. */
export function parseVendureSecret({
  apiKey,
  username,
  password,
}: SecretTexts): ParsedSecret<VendureCredentials> {
  if (apiKey !== undefined) return { kind: 'parsed', value: { kind: 'api-key', apiKey } };
  if (username === undefined) return { kind: 'fault', field: 'apiKey' };
  if (password === undefined) return { kind: 'fault', field: 'password' };
  return { kind: 'parsed', value: { kind: 'login', username, password } };
}

export interface VendureClientSettings {
  /** The address of the Admin API: `https://shop.example.com/admin-api`. */
  readonly address: string;
  /** The token of the channel; undefined for the default channel. */
  readonly channel: string | undefined;
  readonly secret: StoreSecret<VendureCredentials>;
  readonly timeoutMs?: number;
}

export function channelOf({ shop: { domain, vendure }, secret }: OpenShop) {
  if (!vendure) throw new Error(`not a Vendure shop: ${domain}`);
  return { ...vendure, address: vendure.adminApi, secret: secret(parseVendureSecret) };
}

export type VendureAnswer<Data> = { readonly kind: 'data'; readonly data: Data } | StoreUnavailable;

export interface VendureClient {
  ask<Data>(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<VendureAnswer<Data>>;
}

const LIMITS = { connectMs: 5_000, maxAnswerBytes: 16 * 1024 * 1024 };
const TIMEOUT_MS = 10_000;
const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'loyalty-connector',
};

/** One channel of a Vendure server, which is only read. */
export function createVendureClient(settings: VendureClientSettings): VendureClient {
  const { address, channel, secret, timeoutMs = TIMEOUT_MS } = settings;
  const http = createHttpClient(address, LIMITS);
  /**
   * Of a login: valid for a year, unless the server forgets it. Calls at the same time share one, because the server
   * takes a third of a second for each.
   */
  let session: { readonly of: string; readonly proof: ReturnType<typeof logIn> } | undefined;

  async function post(
    headers: Readonly<Record<string, string>>,
    body: object,
    signal: AbortSignal | undefined,
  ) {
    return http.send({
      ...{ method: 'POST', path: '', timeoutMs, repeatable: true, signal },
      headers: { ...HEADERS, ...(channel && { 'vendure-token': channel }), ...headers },
      body: JSON.stringify(body),
    });
  }

  async function logIn(
    username: string,
    password: string,
  ): Promise<Readonly<Record<string, string>> | StoreUnavailable | Refusal> {
    const login = await post({}, { query: LOGIN, variables: { username, password } }, undefined);
    if (login.kind === 'failure') return unavailable(login.reason);
    const token = login.headers['vendure-auth-token'];
    if (typeof token === 'string') return { authorization: `Bearer ${token}` };
    // A server in trouble has refused nobody.
    const answer = readAnswer<unknown>(login);
    return answer === 'forbidden' || answer.kind === 'data' ? 'unauthorized' : answer;
  }

  async function proofOf(credentials: VendureCredentials): ReturnType<typeof logIn> {
    if (credentials.kind === 'api-key') return { 'vendure-api-key': credentials.apiKey };
    const { username, password } = credentials;
    const of = `${username}\n${password}`;
    const known = session?.of === of ? session : { of, proof: logIn(username, password) };
    session = known;
    const proof = await known.proof;
    const isFailed = isRefused(proof) || isUnavailable(proof);
    if (isFailed && session === known) session = undefined;
    return proof;
  }

  async function once<Data>(
    credentials: Awaited<ReturnType<StoreSecret<VendureCredentials>['get']>>,
    query: string,
    variables: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<VendureAnswer<Data> | Refusal> {
    if (credentials === 'unreachable') return unavailable('credentials-unreachable');
    if (credentials === 'unusable')
      return { ...unavailable('no-credentials'), misconfigured: true };
    const proof = await proofOf(credentials);
    if (isRefused(proof) || isUnavailable(proof)) return proof;
    const answer = await post(proof, { query, variables }, signal);
    if (answer.kind === 'failure') return unavailable(answer.reason);
    return readAnswer<Data>(answer);
  }

  return {
    async ask<Data>(
      query: string,
      variables: Readonly<Record<string, unknown>>,
      signal?: AbortSignal,
    ): Promise<VendureAnswer<Data>> {
      const first = await once<Data>(await secret.get(), query, variables, signal);
      if (!isRefused(first)) return first;
      session = undefined;
      const second = await once<Data>(await secret.refresh(), query, variables, signal);
      return isRefused(second) ? { ...unavailable(second), misconfigured: true } : second;
    },
  };
}

const LOGIN = `mutation ($username: String!, $password: String!) {
  login(username: $username, password: $password) { __typename }
}`;

function unavailable(why: string): StoreUnavailable {
  return { kind: 'unavailable', why };
}

const isUnavailable = (
  proof: Readonly<Record<string, string>> | StoreUnavailable,
): proof is StoreUnavailable => 'kind' in proof;

/** The login failed; or an administrator or API key may not read, or the key is unknown, which Vendure does not tell. */
type Refusal = 'unauthorized' | 'forbidden';

const isRefused = (answer: object | Refusal): answer is Refusal => typeof answer === 'string';

/** Permission and channel errors come as HTTP 200, in the list of errors. */
function readAnswer<Data>({
  status,
  headers,
  text,
}: Extract<Awaited<ReturnType<HttpClient['send']>>, { kind: 'answer' }>):
  | VendureAnswer<Data>
  | 'forbidden' {
  if (status === 401 || status === 403) return 'forbidden';
  const after = Number(headers['retry-after']);
  if (status === 429 || status >= 500) {
    const why = status === 429 ? 'throttled' : 'server-error';
    return { ...unavailable(why), ...(after > 0 && { afterSeconds: after }) };
  }
  const body = parse(text);
  if (!body) return unavailable('not-the-api');
  const codes = (body.errors ?? []).map(({ extensions }) => extensions?.code ?? '');
  if (codes.includes('FORBIDDEN') || codes.includes('UNAUTHORIZED')) return 'forbidden';
  // A wrong channel, or a query that this version does not know: a person must look.
  if (codes.includes('CHANNEL_NOT_FOUND')) {
    return { ...unavailable('unknown-channel'), misconfigured: true };
  }
  if (codes.includes('GRAPHQL_VALIDATION_FAILED') || codes.includes('BAD_USER_INPUT')) {
    return { ...unavailable('query-refused'), queryRefused: true };
  }
  if (codes.includes('USER_INPUT_ERROR')) return unavailable('list-too-long');
  if (codes.length > 0 || !body.data) return unavailable('server-error');
  return { kind: 'data', data: body.data as Data };
}

interface GraphBody {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
}

function parse(text: string): GraphBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as GraphBody) : undefined;
  } catch {
    return undefined;
  }
}
