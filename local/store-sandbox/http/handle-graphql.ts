import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallFaults } from '../../sandbox-kit/faults.ts';
import { parseJsonBody, readBody } from '../../sandbox-kit/http/requests.ts';
import {
  jsonAnswer,
  resetConnection,
  respond,
  respondTruncated,
} from '../../sandbox-kit/http/server.ts';
import type { FaultRule } from '../fault-rule.ts';
import type { GraphAnswer, GraphRequest, PreparedRequest } from '../graphql/admin-api.ts';
import type { JournalEntry } from '../journal.ts';
import type { StoreService } from '../service.ts';
import { apiVersion } from '../settings.ts';

type Outcome = Partial<Pick<JournalEntry, 'status' | 'cost' | 'errors' | 'fault'>>;

/** One call to the Admin API: authorize, parse, compute the cost, apply a fault or execute, record. */
export async function handleGraphql(
  service: StoreService,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const began = performance.now();
  const at = service.world.now().toISOString();
  const body = await readBody(request);
  if (stopped.aborted || body.kind === 'broken-off') return;
  const note = (operation: string, outcome: Outcome, variables?: unknown) =>
    service.journal.add({
      at,
      kind: 'graphql',
      operation,
      ...(variables !== undefined && { variables }),
      ...outcome,
      durationMs: Math.round(performance.now() - began),
    });
  const refuse = (status: number, errors: unknown) => {
    note('', { status });
    respond(response, jsonAnswer(status, { errors }));
  };

  if (service.faults.isOutage()) {
    note('', { fault: 'outage' });
    return resetConnection(response);
  }
  const token = request.headers['x-shopify-access-token'];
  if (typeof token !== 'string' || !service.tokens.isValid(token)) {
    return refuse(
      401,
      '[API] Invalid API key or access token (unrecognized login or wrong password)',
    );
  }
  if (body.kind === 'too-large') return refuse(413, 'The body is too large');
  const graphRequest = readGraphRequest(parseJsonBody(body.bytes));
  if (!graphRequest) return refuse(400, { query: 'Required parameter missing or invalid' });

  const prepared = service.api.prepare(graphRequest);
  if (prepared.kind === 'invalid') {
    const errors = prepared.errors.map((error) => error.toJSON());
    note('', { status: 200, errors: errors.map(({ message }) => message) });
    return respond(response, jsonAnswer(200, { errors }, versionHeader));
  }
  const { names } = prepared.request;
  const { latencyMs, fault } = service.faults.faultsOf(names);
  if (latencyMs > 0) {
    const slept = await sleep(latencyMs, true, { signal: stopped }).catch(() => false);
    if (!slept) return;
  }
  const outcome = fault
    ? applyFault(service, prepared.request, fault, response)
    : send(response, service.api.answer(prepared.request));
  note(names[0] ?? '', outcome, graphRequest.variables);
}

const versionHeader = { 'x-shopify-api-version': apiVersion };

function send(response: ServerResponse, answer: GraphAnswer): Outcome {
  respond(response, jsonAnswer(200, answer, versionHeader));
  return describe(answer);
}

function describe({ errors, extensions }: GraphAnswer): Outcome {
  return {
    status: 200,
    ...(extensions && {
      cost: {
        requested: extensions.cost.requestedQueryCost,
        actual: extensions.cost.actualQueryCost,
      },
    }),
    ...(errors && { errors: errors.map(nameOf) }),
  };
}

function nameOf(error: unknown): string {
  const { message, extensions } = error as { message?: string; extensions?: { code?: string } };
  return extensions?.code ?? message ?? '';
}

function applyFault(
  { api }: StoreService,
  request: PreparedRequest,
  fault: NonNullable<CallFaults<FaultRule>['fault']>,
  response: ServerResponse,
): Outcome {
  const name = { fault: fault.kind };
  const refuse = (status: number, errors: string, retryAfterSeconds?: number) => {
    const headers =
      retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    respond(response, jsonAnswer(status, { errors }, headers));
    return { ...name, status };
  };
  switch (fault.kind) {
    case 'http-429':
      return refuse(429, 'Exceeded the rate limit.', fault.retryAfterSeconds);
    case 'http-503':
      return refuse(503, 'Service unavailable', fault.retryAfterSeconds);
    case 'http-500':
      return refuse(500, 'Internal server error');
    case 'unauthorized':
      return refuse(
        401,
        '[API] Invalid API key or access token (unrecognized login or wrong password)',
      );
    case 'throttled':
      return { ...send(response, api.throttle(request)), ...name };
    case 'internal-error':
      return { ...send(response, { errors: [internalError] }), ...name };
    case 'partial': {
      const answer = api.answer(request);
      const errors = [...(answer.errors ?? []), internalError];
      return { ...send(response, { ...answer, errors }), ...name };
    }
    case 'not-json':
      respond(response, {
        status: 502,
        headers: { 'content-type': 'text/html' },
        body: '<h1>Bad gateway</h1>',
      });
      return { ...name, status: 502 };
    case 'truncated': {
      const answer = api.answer(request);
      respondTruncated(response, jsonAnswer(200, answer));
      return { ...describe(answer), ...name };
    }
    case 'empty':
      api.answer(request);
      respond(response, { status: 200, body: '' });
      return { ...name, status: 200 };
    case 'reset-after':
      api.answer(request);
      resetConnection(response);
      return name;
    case 'reset-before':
      resetConnection(response);
      return name;
    case 'hang':
      return name;
  }
}

const internalError = {
  message: 'Internal error. Looks like something went wrong on our end.',
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
};

function readGraphRequest(json: ReturnType<typeof parseJsonBody>): GraphRequest | undefined {
  const fields = json.kind === 'json' ? json.value : undefined;
  if (typeof fields !== 'object' || fields === null) return undefined;
  const { query, variables, operationName } = fields as Readonly<Record<string, unknown>>;
  const isObject = typeof variables === 'object' && variables !== null && !Array.isArray(variables);
  if (typeof query !== 'string' || (variables != null && !isObject)) return undefined;
  return {
    query,
    variables: isObject ? (variables as GraphRequest['variables']) : {},
    ...(typeof operationName === 'string' && { operationName }),
  };
}
