import type { IncomingMessage } from 'node:http';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import { pointTopics } from '../../../shared/loyalty/point-topics.ts';
import { parseJsonBody, readBody, splitTarget } from '../../sandbox-kit/http/requests.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import { readFaultRule } from '../faults/read-fault-rule.ts';
import type { Service } from '../service.ts';
import { describeState } from '../state.ts';

type Query = Readonly<Record<string, string>>;
type Handler = (service: Service, query: Query, body: unknown) => Answer | Promise<Answer>;

const done = jsonAnswer(200, { done: true });

const resources: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  '/sandbox/state': { GET: (service) => jsonAnswer(200, describeState(service)) },
  '/sandbox/settings': { GET: ({ parts }) => jsonAnswer(200, describeSettings(parts)) },
  '/sandbox/journal': { GET: readJournal, DELETE: clearJournal },
  '/sandbox/faults': {
    GET: ({ faults }) => jsonAnswer(200, { faults: faults.list() }),
    POST: addFault,
    DELETE: clearFaults,
  },
  '/sandbox/reset': { POST: reset },
};

/** The sandbox's own controls, which the real service does not have. */
export async function handleControl(service: Service, request: IncomingMessage): Promise<Answer> {
  const { rawPath, query } = splitTarget(request.url ?? '');
  const body = await readBody(request);
  // Nobody hears this; but what was only half said must not be done.
  if (body.kind === 'broken-off') return wrong(400, 'The request broke off.');
  const resource = Object.hasOwn(resources, rawPath) ? resources[rawPath] : undefined;
  if (!resource) return wrong(404, `There is ${Object.keys(resources).join(', ')}.`);
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
  const json = parseJsonBody(body.bytes);
  if (json.kind === 'unreadable') return wrong(400, `The body ${json.problem}.`);
  return handler(service, query, json.kind === 'json' ? json.value : undefined);
}

/**
 * A page of another origin can make a browser send a plain POST here. It cannot set this type: the
 * browser would ask first, with an OPTIONS request, and is never told yes.
 */
function isDeliberate({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

function readJournal({ journal }: Service, query: Query): Answer {
  const problems: string[] = [];
  const count = (name: string): number | undefined => {
    const text = query[name];
    if (text === undefined || text === '') return undefined;
    if (!/^\d{1,15}$/.test(text)) problems.push(`${name} must be a whole number.`);
    return Number(text);
  };
  const { operation } = query;
  const since = count('since');
  const limit = count('limit');
  if (problems.length > 0) return wrong(400, ...problems);
  const entries = journal.entries({
    ...(operation && { operation }),
    ...(since !== undefined && { since }),
    ...(limit !== undefined && { limit }),
  });
  return jsonAnswer(200, { dropped: journal.dropped, entries });
}

function clearJournal(service: Service): Answer {
  service.clearJournal();
  return done;
}

function addFault({ faults, parts }: Service, _query: Query, body: unknown): Answer {
  const operations: OperationId[] = parts.contract.operations.map((o) => o.operationId);
  const reading = readFaultRule(body, operations);
  if (reading.kind === 'wrong') return wrong(400, ...reading.problems);
  return jsonAnswer(201, faults.add(reading.rule));
}

function clearFaults({ faults }: Service, { id }: Query): Answer {
  if (id !== undefined && !/^\d{1,15}$/.test(id)) return wrong(400, 'id must be a whole number.');
  faults.clear(id === undefined ? undefined : Number(id));
  return done;
}

async function reset(service: Service): Promise<Answer> {
  await service.reset();
  return done;
}

function describeSettings({ settings, serverSettings, addressOf }: Service['parts']) {
  const eventAddresses = Object.fromEntries(
    pointTopics.map((topic) => [topic, addressOf(topic) ?? null]),
  );
  return { settings, serverSettings, eventAddresses };
}

function wrong(status: number, ...problems: readonly string[]): Answer {
  return jsonAnswer(status, { problems });
}
