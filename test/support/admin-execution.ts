import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { execute, type GraphQLSchema, parse, validate } from 'graphql';
import { readAnswer } from '../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../shared/shopify/admin/client/admin-client.ts';
import { adminSchema, queryCost } from '../../shared/shopify/admin/schema/admin-schema.ts';
import { LASTING } from './lasting.ts';

/** What happens to the next query instead of its answer. */
export type Reaction =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** A GraphQL answer as it stands. */
  | { readonly json: object }
  | 'reset'
  | 'hang';

interface ReceivedQuery {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly operation: string;
}

export interface AdminServer {
  readonly address: string;
  readonly queries: ReceivedQuery[];
  /** Answers to the next queries, in order; after them the schema answers. */
  readonly reactions: Reaction[];
  readonly tokenReactions: Reaction[];
  readonly tokenRequests: Record<string, unknown>[];
  /** Tokens that the shop accepts. */
  readonly valid: Set<string>;
  tokenLivesSeconds: number;
  throttleStatus: { maximumAvailable: number; currentlyAvailable: number; restoreRate: number };
  /** Resets a connection at its second request, after reading the request. */
  resetReused: boolean;
  root: AdminRoot;
  close(): Promise<void>;
}

/** The part of Shopify's Admin API that the client's tests need: the real schema over real HTTP. */
export async function startAdminServer(root: AdminRoot = {}): Promise<AdminServer> {
  const server = createServer(LASTING, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: AdminServer = {
    address: `http://127.0.0.1:${port}`,
    queries: [],
    reactions: [],
    tokenReactions: [],
    tokenRequests: [],
    valid: new Set(['static-token']),
    tokenLivesSeconds: 86_399,
    throttleStatus: { maximumAvailable: 2000, currentlyAvailable: 2000, restoreRate: 100 },
    resetReused: false,
    root,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  const used = new WeakSet<object>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reused = used.has(request.socket);
    used.add(request.socket);
    const body = JSON.parse(await text(request));
    if (request.url === '/admin/oauth/access_token') {
      if (reused && state.resetReused) return void request.socket.resetAndDestroy();
      issueToken(body, response);
      return;
    }
    const operation = /(?:query|mutation) (\w+)/.exec(body.query)?.[1] ?? '';
    state.queries.push({ url: request.url ?? '', headers: request.headers, operation });
    if (reused && state.resetReused) return void request.socket.resetAndDestroy();
    if (react(state.reactions.shift(), response)) return;
    if (!state.valid.has(String(request.headers['x-shopify-access-token']))) {
      send(response, 401, { errors: '[API] Invalid API key or access token' });
      return;
    }
    const cost = queryCost(adminSchema(), parse(body.query));
    const result = await executeAdmin(state.root, body.query, body.variables ?? {});
    const { throttleStatus } = state;
    send(response, 200, {
      ...result,
      extensions: { cost: { requestedQueryCost: cost, actualQueryCost: cost, throttleStatus } },
    });
  }

  function issueToken(body: Record<string, unknown>, response: ServerResponse): void {
    state.tokenRequests.push(body);
    if (react(state.tokenReactions.shift(), response)) return;
    if (body.client_secret !== 'right') {
      send(response, 400, { error: 'invalid_client' });
      return;
    }
    const access_token = `token-${state.tokenRequests.length}`;
    state.valid.add(access_token);
    send(response, 200, {
      access_token,
      scope: 'read_orders',
      expires_in: state.tokenLivesSeconds,
    });
  }
  return state;
}

function react(reaction: Reaction | undefined, response: ServerResponse): boolean {
  if (reaction === undefined) return false;
  if (reaction === 'reset') response.socket?.resetAndDestroy();
  else if (reaction === 'hang') return true;
  else if ('json' in reaction) send(response, 200, reaction.json);
  else response.writeHead(reaction.status, reaction.headers).end(reaction.body ?? '');
  return true;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}

/**
 * Fields of the query root as values, or as functions of their arguments. Objects of unions and interfaces
 * need a `__typename`.
 */
export type AdminRoot = Readonly<Record<string, unknown>>;

const parsed = new Map<string, ReturnType<typeof parse>>();

/** Executes a document on Shopify's real schema. */
async function executeAdmin(
  root: AdminRoot,
  text: string,
  variables: object,
  schema: GraphQLSchema = adminSchema(),
) {
  let document = parsed.get(text);
  if (!document) {
    document = parse(text);
    const errors = validate(schema, document);
    if (errors.length > 0) return { errors };
    parsed.set(text, document);
  }
  return execute({
    schema,
    document,
    rootValue: root,
    variableValues: variables as Record<string, unknown>,
  });
}

/** Answers queries in this process, for tests that do not depend on HTTP. */
export function askIn(root: AdminRoot): Ask {
  return async (document, variables) => {
    const result = await executeAdmin(root, document.text, variables);
    const { data, errors } = JSON.parse(JSON.stringify(result));
    if (errors) throw new Error(JSON.stringify(errors));
    return readAnswer({ status: 200, retryAfter: undefined }, { data, errors }, document.kind);
  };
}

/**
 * A connection's field: pages of a list, with the position as the cursor. Every second page is empty: a page
 * may have fewer items than were asked for, and only `hasNextPage` says that it is the last.
 */
export function pagesOf<Item>(items: readonly Item[]) {
  return ({ first, after }: { first: number; after?: string | null }) => {
    const start = Number(after?.replace(EMPTY, '') ?? 0);
    const isEmpty = after?.endsWith(EMPTY) === true;
    const end = isEmpty ? start : Math.min(start + first, items.length);
    return {
      nodes: items.slice(start, end),
      pageInfo: {
        hasNextPage: end < items.length,
        endCursor: isEmpty ? `${end}` : `${end}${EMPTY}`,
      },
    };
  };
}

/** Ends the cursor of an empty page. */
const EMPTY = '-';
