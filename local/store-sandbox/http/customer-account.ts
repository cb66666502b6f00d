import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildSchema, graphqlSync } from 'graphql';
import { reset } from '../../sandbox-kit/http/reaction.ts';
import { parseJsonBody, readBody } from '../../sandbox-kit/http/requests.ts';
import { jsonAnswer, respond } from '../../sandbox-kit/http/server.ts';
import type { StoreService } from '../service.ts';
import { readAccessToken } from '../session-tokens.ts';
import { apiVersion } from '../settings.ts';

const DISCOVERY = '/.well-known/customer-account-api';
const API = `/account/customer/api/${apiVersion}/graphql`;

/** The part of the Customer Account API that says who holds a token. Its whole schema is in no published package. */
const schema = buildSchema(`
  type Query { customer: Customer! }
  type Customer { id: ID! }
`);

export const isCustomerAccount = (path: string): boolean => path === DISCOVERY || path === API;

export async function handleCustomerAccount(
  { faults, world, credentials }: StoreService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const { fault } = faults.faultsOf(['customerAccount']);
  if (faults.isOutage() || fault) return reset.perform(response);
  const { host, authorization } = request.headers;
  if (request.url === DISCOVERY) {
    return respond(response, jsonAnswer(200, { graphql_api: `http://${host}${API}` }));
  }
  const id = readAccessToken(authorization ?? '', credentials.clientSecret);
  if (id === undefined || !world.rows.customers.get(id)) {
    return respond(response, jsonAnswer(401, { errors: [{ message: 'Unauthorized' }] }));
  }
  const json = body.kind === 'whole' ? parseJsonBody(body.bytes) : undefined;
  const { query: source = '' } = (json?.kind === 'json' ? json.value : {}) as { query?: string };
  const rootValue = { customer: { id: `gid://shopify/Customer/${id}` } };
  respond(response, jsonAnswer(200, graphqlSync({ schema, source, rootValue })));
}
