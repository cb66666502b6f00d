import type { IncomingMessage } from 'node:http';
import type { Faults } from '../faults.ts';
import { handlePage, type Pages } from './pages.ts';
import { isLoopbackHost, parseJsonBody, readBody, splitTarget } from './requests.ts';
import { type Answer, jsonAnswer } from './server.ts';

export type Query = Readonly<Record<string, string>>;
type Control<Service> = (service: Service, query: Query, body: unknown) => Answer | Promise<Answer>;
/** By method. */
export type Resource<Service> = Readonly<Record<string, Control<Service>>>;

export const done = jsonAnswer(200, { done: true });

export function wrong(status: number, ...problems: readonly string[]): Answer {
  return jsonAnswer(status, { problems });
}

/** What a sandbox has beside the API that it stands in for. */
export interface Site<Service> {
  readonly pages: Pages<Service>;
  /** By its path below `/sandbox/`. */
  readonly findResource: (path: string) => Resource<Service> | undefined;
  /** The answers to an unknown path. */
  readonly known: { readonly pages: string; readonly resources: string };
}

export async function answerSite<Service>(
  service: Service,
  request: IncomingMessage,
  { pages, findResource, known }: Site<Service>,
): Promise<Answer> {
  if (!isLoopbackHost(request.headers.host)) {
    return wrong(403, 'The Host header names another machine.');
  }
  return request.url?.startsWith('/sandbox/')
    ? handleControl(service, request, findResource, known.resources)
    : handlePage(pages, service, request, known.pages);
}

/** The sandbox's own API, which the real service does not have. */
async function handleControl<Service>(
  service: Service,
  request: IncomingMessage,
  findResource: Site<Service>['findResource'],
  known: string,
): Promise<Answer> {
  const { rawPath, query } = splitTarget(request.url ?? '');
  const body = await readBody(request);
  // Half of a request must not be executed. The client has gone and gets no answer.
  if (body.kind === 'broken-off') return wrong(400, 'The request broke off.');
  const resource = findResource(rawPath);
  if (!resource) return wrong(404, known);
  const method = request.method ?? '';
  const handler = Object.hasOwn(resource, method) ? resource[method] : undefined;
  if (!handler) {
    const allow = Object.keys(resource).join(', ');
    return jsonAnswer(405, { problems: [`This path accepts ${allow}.`] }, { allow });
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
 * A page of another origin can make a browser send a plain POST here, but not with this type: the
 * browser would first send an OPTIONS request, which the sandbox never approves.
 */
function isDeliberate({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

/** `/sandbox/faults`: list, add, remove. */
export function faultControls<Rule extends { readonly kind: string }>(): Resource<{
  readonly faults: Faults<Rule>;
}> {
  return {
    GET: ({ faults }) => jsonAnswer(200, { faults: faults.list() }),
    POST: ({ faults }, _query, body) => {
      const reading = faults.read(body);
      if (reading.kind === 'wrong') return wrong(400, ...reading.problems);
      return jsonAnswer(201, faults.add(reading.rule));
    },
    DELETE: ({ faults }, { id }) => {
      if (id !== undefined && !/^\d{1,15}$/.test(id)) {
        return wrong(400, 'id must be a whole number.');
      }
      faults.clear(id === undefined ? undefined : Number(id));
      return done;
    },
  };
}
