import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  answerSite,
  done,
  faultControls,
  type Query,
  type Resource,
  type Site,
  wrong,
} from '../../sandbox-kit/http/controls.ts';
import { commonFiles, file, type Pages, pageAnswer } from '../../sandbox-kit/http/pages.ts';
import { reset } from '../../sandbox-kit/http/reaction.ts';
import {
  isLoopbackHost,
  parseJsonBody,
  readBody,
  splitTarget,
} from '../../sandbox-kit/http/requests.ts';
import {
  type Answer,
  jsonAnswer,
  startServer as listen,
  respond,
  type Server,
} from '../../sandbox-kit/http/server.ts';
import { readDisorder } from '../delivery/disorder.ts';
import type { FaultRule } from '../fault-rule.ts';
import { type ActionName, actions } from '../model/actions.ts';
import { renderStoreFragment, renderStorePage } from '../pages/store-page.ts';
import type { StoreService } from '../service.ts';
import { describeState } from '../state.ts';
import { handleGraphql } from './handle-graphql.ts';

/** The client-credentials grant: `client_id`, `client_secret`, `grant_type`, as JSON or as a form. */
async function handleToken(
  service: StoreService,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const { faults, journal, tokens, settings, world } = service;
  const note = (outcome: { status?: number; fault?: string }) =>
    journal.add({
      at: world.now().toISOString(),
      kind: 'token',
      operation: 'token',
      ...outcome,
      durationMs: 0,
    });
  const { fault } = faults.faultsOf(['token']);
  if (faults.isOutage() || fault?.kind === 'reset-before') {
    note({ fault: fault?.kind ?? 'outage' });
    return reset.perform(response);
  }
  const answer = (status: number, value: unknown, headers = {}) => {
    note({ status, ...(fault && { fault: fault.kind }) });
    respond(response, jsonAnswer(status, value, headers));
  };
  if (fault) {
    const status =
      { 'http-429': 429, 'http-503': 503, unauthorized: 401 }[fault.kind as string] ?? 500;
    return answer(status, { errors: 'A simulated fault.' });
  }
  if (request.method !== 'POST')
    return answer(405, { errors: 'This path accepts POST.' }, { allow: 'POST' });
  const fields = body.kind === 'whole' ? readFields(request, body.bytes) : undefined;
  if (fields?.get('grant_type') !== 'client_credentials') {
    return answer(400, {
      error: 'unsupported_grant_type',
      error_description: 'Only client_credentials is supported.',
    });
  }
  const issued = tokens.issue(fields.get('client_id') ?? '', fields.get('client_secret') ?? '');
  if (!issued) {
    return answer(400, {
      error: 'application_cannot_be_found',
      error_description: 'Client id or secret is wrong.',
    });
  }
  answer(200, {
    access_token: issued.token,
    scope: settings.scopes.join(','),
    expires_in: issued.expiresIn,
  });
}

function readFields({ headers }: IncomingMessage, bytes: Buffer): ReadonlyMap<string, string> {
  if (/^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')) {
    return new Map(new URLSearchParams(bytes.toString('utf8')));
  }
  const json = parseJsonBody(bytes);
  const value = json.kind === 'json' ? json.value : undefined;
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

const resources: Readonly<Record<string, Resource<StoreService>>> = {
  '/sandbox/state': { GET: (service) => jsonAnswer(200, describeState(service)) },
  '/sandbox/actions': { GET: () => jsonAnswer(200, { actions: Object.keys(actions) }) },
  '/sandbox/deliveries': { GET: readDeliveries },
  '/sandbox/journal': {
    GET: ({ journal }, { operation }) =>
      jsonAnswer(200, { entries: journal.entries({ operation }) }),
    DELETE: ({ journal }) => {
      journal.clear();
      return done;
    },
  },
  '/sandbox/faults': faultControls<FaultRule>(),
  '/sandbox/subscriptions': { DELETE: unsubscribe },
  '/sandbox/disorder': { PUT: setDisorder },
  '/sandbox/clock': { POST: advanceClock },
};

function findResource(path: string): Resource<StoreService> | undefined {
  if (Object.hasOwn(resources, path)) return resources[path];
  const [, name = ''] = /^\/sandbox\/actions\/(\w+)$/.exec(path) ?? [];
  if (!isAction(name)) return undefined;
  return {
    POST: (service, _query, body) => {
      // The action validates its input.
      const outcome = service.perform(name, (body ?? {}) as never);
      return outcome.kind === 'done'
        ? jsonAnswer(200, { result: outcome.value })
        : wrong(422, outcome.why);
    },
  };
}

const isAction = (name: string): name is ActionName => Object.hasOwn(actions, name);

function readDeliveries({ sender }: StoreService, { topic, state, since }: Query): Answer {
  const deliveries = sender
    .all()
    .filter(
      (one) =>
        (!topic || one.topic === topic) &&
        (!state || one.state === state) &&
        (!since || one.n > Number(since)),
    );
  return jsonAnswer(200, { deliveries });
}

function setDisorder(service: StoreService, _query: Query, body: unknown): Answer {
  const reading = readDisorder(body, service.disorder);
  if (reading.kind === 'wrong') return wrong(400, ...reading.problems);
  service.disorder = reading.disorder;
  return jsonAnswer(200, reading.disorder);
}

/** As if the app were newly installed: without webhook subscriptions. */
function unsubscribe({ subscriptions, save }: StoreService): Answer {
  for (const { id } of [...subscriptions.values()]) subscriptions.delete(id);
  save();
  return done;
}

/** A hundred years. */
const maxSeconds = 3_155_760_000;

function advanceClock(service: StoreService, _query: Query, body: unknown): Answer {
  const { seconds } = Object(body) as { readonly seconds?: unknown };
  const isValid = typeof seconds === 'number' && seconds >= 0 && seconds <= maxSeconds;
  if (!isValid) return wrong(400, `seconds must be a number from 0 to ${maxSeconds}.`);
  service.advanceClock(seconds);
  return jsonAnswer(200, { now: service.world.now().toISOString() });
}

export function startServer(service: StoreService, port: number): Promise<Server> {
  return listen((...call) => dispatch(service, ...call), port);
}

async function dispatch(
  service: StoreService,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const { rawPath } = splitTarget(request.url ?? '');
  if (!isLoopbackHost(request.headers.host)) {
    return respond(response, await answerSite(service, request, site));
  }
  // Shopify answers requests for a retired version with a supported one, named in a header.
  if (/^\/admin\/api\/(?:\d{4}-\d\d|unstable)\/graphql\.json$/.test(rawPath)) {
    if (request.method === 'POST') return handleGraphql(service, request, response, stopped);
    return respond(
      response,
      jsonAnswer(405, { errors: 'This path accepts POST.' }, { allow: 'POST' }),
    );
  }
  if (rawPath === '/admin/oauth/access_token') return handleToken(service, request, response);
  if (rawPath.startsWith('/admin/')) {
    return respond(response, jsonAnswer(404, { errors: 'Not Found' }));
  }
  respond(response, await answerSite(service, request, site));
}

const asset = (name: string) => fileURLToPath(new URL(`../pages/assets/${name}`, import.meta.url));

const pages: Pages<StoreService> = {
  ...commonFiles,
  '/': (service, address) => pageAnswer(renderStorePage(service, address)),
  '/fragment': (service) => pageAnswer(renderStoreFragment(service)),
  '/assets/store.css': file('text/css', asset('store.css')),
  '/assets/store.js': file('text/javascript', asset('store.js')),
  '/favicon.ico': () => ({ status: 204, body: '' }),
};

const site: Site<StoreService> = {
  pages,
  findResource,
  known: {
    pages: 'The paths are /, /sandbox/… and /admin/….',
    resources: `The paths are ${Object.keys(resources).join(', ')}, /sandbox/actions/{action}.`,
  },
};
