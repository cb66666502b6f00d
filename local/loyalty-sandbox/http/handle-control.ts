import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import {
  handleControl as answerControl,
  done,
  faultControls,
  type Query,
  type Resource,
  wrong,
} from '../../sandbox-kit/http/controls.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import type { FaultRule } from '../fault-rule.ts';
import type { Service } from '../service.ts';
import { describeState } from '../state.ts';

const resources: Readonly<Record<string, Resource<Service>>> = {
  '/sandbox/state': { GET: (service) => jsonAnswer(200, describeState(service)) },
  '/sandbox/settings': { GET: ({ parts }) => jsonAnswer(200, describeSettings(parts)) },
  '/sandbox/journal': { GET: readJournal, DELETE: clearJournal },
  '/sandbox/faults': faultControls<FaultRule>(),
  '/sandbox/subscriptions': { POST: switchOn, PUT: subscribe },
  '/sandbox/time': { POST: advance },
  '/sandbox/reset': { POST: reset },
};

export function handleControl(service: Service, request: IncomingMessage): Promise<Answer> {
  const find = (path: string) => (Object.hasOwn(resources, path) ? resources[path] : undefined);
  return answerControl(service, request, find, `There is ${Object.keys(resources).join(', ')}.`);
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

const longestHours = 24 * 36_500;

/** `{"hours": 24}`: as if that time had passed. */
function advance(service: Service, _: Query, body: unknown): Answer {
  const hours = (body as { readonly hours?: unknown } | undefined)?.hours;
  if (typeof hours !== 'number' || !(hours > 0 && hours <= longestHours)) {
    return wrong(400, `hours must be a number above 0, up to ${longestHours}.`);
  }
  service.advance(hours * 3_600_000);
  return jsonAnswer(200, { now: service.parts.now().toISOString() });
}

async function reset(service: Service): Promise<Answer> {
  await service.reset();
  return done;
}

/** `{"on": "name"}`: as a person does in the panel. */
function switchOn(service: Service, _: Query, body: unknown): Answer {
  const name = (body as { readonly on?: unknown } | undefined)?.on;
  if (typeof name === 'string' && service.switchOn(name)) return done;
  return wrong(400, 'on must be the name of a subscription.');
}

/** `{"name": "…", "address": "…", "headers": {"…": "…"}}`: as a person enters it in the panel. */
function subscribe(service: Service, _: Query, body: unknown): Answer {
  const parsed = v.safeParse(subscription, body);
  if (!parsed.success) return wrong(400, 'name and address must be texts, headers an object.');
  try {
    service.subscribe(parsed.output);
    return done;
  } catch (error) {
    return wrong(400, error instanceof Error ? error.message : String(error));
  }
}

const subscription = v.object({
  name: v.string(),
  address: v.string(),
  headers: v.optional(v.record(v.string(), v.string()), {}),
});

function describeSettings({ settings, serverSettings }: Service['parts']) {
  return { settings, serverSettings };
}
