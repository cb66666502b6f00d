import type { IncomingMessage } from 'node:http';
import {
  handleControl as answerControl,
  done,
  faultControls,
  type Query,
  type Resource,
  wrong,
} from '../../sandbox-kit/http/controls.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import { inOrder, readDisorder } from '../delivery/disorder.ts';
import type { FaultRule } from '../fault-rule.ts';
import { type ActionName, actions } from '../model/actions.ts';
import type { StoreService } from '../service.ts';
import { apiVersion } from '../settings.ts';
import { describeState } from '../state.ts';

const resources: Readonly<Record<string, Resource<StoreService>>> = {
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
  '/sandbox/faults': faultControls<FaultRule>(),
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

export function handleControl(service: StoreService, request: IncomingMessage): Promise<Answer> {
  const known = `The paths are ${Object.keys(resources).join(', ')}, /sandbox/actions/{action}.`;
  return answerControl(service, request, findResource, known);
}

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

/** A hundred years. */
const maxSeconds = 3_155_760_000;

function advanceClock(service: StoreService, _query: Query, body: unknown): Answer {
  const seconds = fieldOf(body, 'seconds');
  const isValid = typeof seconds === 'number' && seconds >= 0 && seconds <= maxSeconds;
  if (!isValid) return wrong(400, `seconds must be a number from 0 to ${maxSeconds}.`);
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
