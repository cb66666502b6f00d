import type { IncomingMessage } from 'node:http';
import { parseJsonBody, readBody, splitTarget } from '../../sandbox-kit/http/requests.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import { inOrder, readDisorder } from '../delivery/disorder.ts';
import { readFaultRule } from '../faults/fault-rule.ts';
import { type ActionName, actions } from '../model/actions.ts';
import type { StoreService } from '../service.ts';
import { apiVersion } from '../settings.ts';
import { describeState } from '../state.ts';

type Query = Readonly<Record<string, string>>;
type Handler = (service: StoreService, query: Query, body: unknown) => Answer;

const done = jsonAnswer(200, { done: true });

const resources: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/sandbox/state': { GET: (service) => jsonAnswer(200, describeState(service)) },
  '/sandbox/settings': {
    GET: ({ parts }) =>
      jsonAnswer(200, {
        apiVersion,
        shop: parts.shop,
        settings: parts.settings,
        webhooksTo: parts.webhooksTo ?? null,
      }),
  },
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
  '/sandbox/faults': {
    GET: ({ faults }) => jsonAnswer(200, { faults: faults.list() }),
    POST: addFault,
    DELETE: clearFaults,
  },
  '/sandbox/disorder': {
    GET: ({ disorder }) => jsonAnswer(200, disorder),
    PUT: setDisorder,
    DELETE: (service) => {
      service.disorder = inOrder;
      return done;
    },
  },
  '/sandbox/clock': { POST: advanceClock },
  '/sandbox/secret': { POST: rotateSecret },
};

/** The sandbox's own controls, which the real store does not have. */
export async function handleControl(
  service: StoreService,
  request: IncomingMessage,
): Promise<Answer> {
  const { rawPath, query } = splitTarget(request.url ?? '');
  const body = await readBody(request);
  const resource = findResource(rawPath);
  if (!resource) {
    return wrong(404, `There is ${Object.keys(resources).join(', ')}, /sandbox/actions/{action}.`);
  }
  const method = request.method ?? '';
  const handler = Object.hasOwn(resource, method) ? resource[method] : undefined;
  if (!handler) {
    const allow = Object.keys(resource).join(', ');
    return jsonAnswer(405, { problems: [`This path takes ${allow}.`] }, { allow });
  }
  if (method !== 'GET' && !isDeliberate(request)) {
    return wrong(415, 'Send the header "content-type: application/json", even without a body.');
  }
  if (body.kind === 'too-large') return wrong(413, 'The body is too large.');
  const json = body.kind === 'whole' ? parseJsonBody(body.bytes) : ({ kind: 'none' } as const);
  if (json.kind === 'unreadable') return wrong(400, `The body ${json.problem}.`);
  return handler(service, query, json.kind === 'json' ? json.value : undefined);
}

function findResource(path: string): Readonly<Record<string, Handler>> | undefined {
  if (Object.hasOwn(resources, path)) return resources[path];
  const [, name = ''] = /^\/sandbox\/actions\/(\w+)$/.exec(path) ?? [];
  if (!isAction(name)) return undefined;
  return {
    POST: (service, _query, body) => {
      // Whatever came is read by the action itself.
      const outcome = service.perform(name, (body ?? {}) as never);
      return outcome.kind === 'done'
        ? jsonAnswer(200, { result: outcome.value })
        : wrong(422, outcome.why);
    },
  };
}

const isAction = (name: string): name is ActionName => Object.hasOwn(actions, name);

/**
 * A page of another origin can make a browser send a plain POST here. It cannot set this type: the
 * browser would ask first, with an OPTIONS request, and is never told yes.
 */
function isDeliberate({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

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

function addFault({ faults }: StoreService, _query: Query, body: unknown): Answer {
  const reading = readFaultRule(body);
  if (reading.kind === 'wrong') return wrong(400, ...reading.problems);
  return jsonAnswer(201, faults.add(reading.rule));
}

function clearFaults({ faults }: StoreService, { id }: Query): Answer {
  if (id !== undefined && !/^\d{1,15}$/.test(id)) return wrong(400, 'id must be a whole number.');
  faults.clear(id === undefined ? undefined : Number(id));
  return done;
}

function setDisorder(service: StoreService, _query: Query, body: unknown): Answer {
  const reading = readDisorder(body, service.disorder);
  if (reading.kind === 'wrong') return wrong(400, ...reading.problems);
  service.disorder = reading.disorder;
  return jsonAnswer(200, reading.disorder);
}

/** A hundred years: longer than anything in the store lasts. */
const mostSeconds = 3_155_760_000;

function advanceClock(service: StoreService, _query: Query, body: unknown): Answer {
  const seconds = fieldOf(body, 'seconds');
  const fits = typeof seconds === 'number' && seconds >= 0 && seconds <= mostSeconds;
  if (!fits) return wrong(400, `seconds must be a number from 0 to ${mostSeconds}.`);
  service.advanceClock(seconds);
  return jsonAnswer(200, { now: service.world.now().toISOString() });
}

function rotateSecret(service: StoreService, _query: Query, body: unknown): Answer {
  const secret = fieldOf(body, 'secret');
  if (typeof secret !== 'string' || secret === '') return wrong(400, 'secret must be a text.');
  service.rotateSecret(secret);
  return done;
}

const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? new Map(Object.entries(body)).get(name) : undefined;

function wrong(status: number, ...problems: readonly string[]): Answer {
  return jsonAnswer(status, { problems });
}
