import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallFaults } from '../../sandbox-kit/faults.ts';
import { type Reaction, reactTo, reply, reset } from '../../sandbox-kit/http/reaction.ts';
import { parseJsonBody, readBody } from '../../sandbox-kit/http/requests.ts';
import { type Answer, jsonAnswer, respond } from '../../sandbox-kit/http/server.ts';
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
    return reset.perform(response);
  }
  const token = request.headers['x-shopify-access-token'];
  if (typeof token !== 'string' || !service.tokens.isValid(token)) {
    return refuse(401, badToken);
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
  let answered: Outcome = {};
  const say = (answer: GraphAnswer): Answer => {
    answered = describe(answer);
    return jsonAnswer(200, answer, versionHeader);
  };
  const reaction = fault
    ? react(service, prepared.request, fault, say)
    : reply(say(service.api.answer(prepared.request)));
  note(
    names[0] ?? '',
    {
      ...answered,
      ...(reaction.status !== undefined && { status: reaction.status }),
      ...(fault && { fault: fault.kind }),
    },
    graphRequest.variables,
  );
  reaction.perform(response);
}

const versionHeader = { 'x-shopify-api-version': apiVersion };

function describe({ errors, extensions }: GraphAnswer): Outcome {
  return {
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

function react(
  { api }: StoreService,
  request: PreparedRequest,
  fault: NonNullable<CallFaults<FaultRule>['fault']>,
  say: (answer: GraphAnswer) => Answer,
): Reaction {
  switch (fault.kind) {
    case 'unauthorized':
      return reply(jsonAnswer(401, { errors: badToken }));
    case 'throttled':
      return reply(say(api.throttle(request)));
    case 'internal-error':
      return reply(say({ errors: [internalError] }));
    case 'partial': {
      const answer = api.answer(request);
      return reply(say({ ...answer, errors: [...(answer.errors ?? []), internalError] }));
    }
    default:
      return reactTo(
        fault,
        () => say(api.answer(request)),
        (status, errors, headers) => jsonAnswer(status, { errors }, headers),
      );
  }
}

const badToken = '[API] Invalid API key or access token (unrecognized login or wrong password)';

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
