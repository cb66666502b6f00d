import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { parse } from 'yaml';
import type { Credentials } from '../../../shared/loyalty/client.ts';
import {
  handleControl as answerControl,
  done,
  faultControls,
  type Query,
  type Resource,
  wrong,
} from '../../sandbox-kit/http/controls.ts';
import {
  commonFiles,
  file,
  fileAnswer,
  type Pages,
  pageAnswer,
  handlePage as servePage,
} from '../../sandbox-kit/http/pages.ts';
import { isLoopbackHost } from '../../sandbox-kit/http/requests.ts';
import {
  type Answer,
  jsonAnswer,
  startServer as listen,
  respond,
  type Server,
} from '../../sandbox-kit/http/server.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { Neighbours } from '../../sandbox-kit/pages/layout.ts';
import type { Contract } from '../contract.ts';
import type { FaultRule } from '../fault-rule.ts';
import { layOutPage, renderStateFragment, renderStatePage } from '../pages/state-page.ts';
import type { Service } from '../service.ts';
import { describeState } from '../state.ts';
import { handleCall } from './handle-call.ts';

const resources: Readonly<Record<string, Resource<Service>>> = {
  '/sandbox/state': { GET: (service) => jsonAnswer(200, describeState(service)) },
  '/sandbox/settings': { GET: ({ parts }) => jsonAnswer(200, describeSettings(parts)) },
  '/sandbox/journal': { GET: readJournal, DELETE: clearJournal },
  '/sandbox/faults': faultControls<FaultRule>(),
  '/sandbox/subscriptions': { POST: switchOn, PUT: subscribe },
  '/sandbox/time': { POST: advance },
  '/sandbox/reset': { POST: reset },
};

function handleControl(service: Service, request: IncomingMessage): Promise<Answer> {
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

/** The contract in a browser, ready to be tried: everything it loads comes from the sandbox. */
function renderDocsPage(
  address: string,
  credentials: Credentials,
  neighbours: Neighbours | undefined,
): Html {
  return layOutPage('docs', {
    address,
    credentials,
    neighbours,
    head: html`<link rel="stylesheet" href="/docs-assets/swagger-ui.css">
<script src="/docs-assets/swagger-ui-bundle.js" defer></script>
<script src="/assets/docs.js" defer></script>`,
    content: html`<main id="docs" data-token="${credentials.token}" data-key="${credentials.key}"></main>`,
  });
}

/** The contract with the sandbox as its only server, so that "try it out" reaches it. */
function describeContractAt(address: string, { openapiText }: Contract): unknown {
  const servers = [{ url: address, description: 'This sandbox.' }];
  return { ...parse(openapiText), servers };
}

const ownAsset = (name: string) =>
  fileURLToPath(new URL(`../pages/assets/${name}`, import.meta.url));

/** The package holds a copy. */
function swaggerAsset(name: string): string {
  const copy = ownAsset(`swagger-ui/${name}`);
  return existsSync(copy)
    ? copy
    : createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
}

const pages: Pages<Service> = {
  ...commonFiles,
  '/': ({ parts }, address) =>
    // Swagger UI sets styles on its elements.
    pageAnswer(renderDocsPage(address, parts.settings.credentials, parts.neighbours), {
      'style-src': "'self' 'unsafe-inline'",
    }),
  '/state': (service, address) => pageAnswer(renderStatePage(service, address)),
  '/state/fragment': (service) => pageAnswer(renderStateFragment(service)),
  '/openapi.json': ({ parts }, address) =>
    jsonAnswer(200, describeContractAt(address, parts.contract)),
  '/openapi.yaml': ({ parts }) => fileAnswer('application/yaml', parts.contract.openapiText),
  '/assets/docs.js': file('text/javascript', ownAsset('docs.js')),
  '/assets/state.js': file('text/javascript', ownAsset('state.js')),
  '/docs-assets/swagger-ui.css': file('text/css', swaggerAsset('swagger-ui.css')),
  '/docs-assets/swagger-ui-bundle.js': file(
    'text/javascript',
    swaggerAsset('swagger-ui-bundle.js'),
  ),
  '/docs-assets/favicon-32x32.png': file('image/png', swaggerAsset('favicon-32x32.png')),
};

function handlePage(service: Service, request: IncomingMessage): Answer {
  return servePage(pages, service, request, 'There is / (the API), /state, /sandbox/… and /v1/….');
}

export function startServer(service: Service, port: number): Promise<Server> {
  return listen((...call) => dispatch(service, ...call), port);
}

async function dispatch(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const { url = '' } = request;
  if (/^\/v1(?:[/?]|$)/.test(url)) return handleCall(service, request, response, stopped);
  if (!isLoopbackHost(request.headers.host)) {
    return respond(
      response,
      jsonAnswer(403, { problems: ['The Host header names another machine.'] }),
    );
  }
  const isControl = url.startsWith('/sandbox/');
  respond(
    response,
    isControl ? await handleControl(service, request) : await handlePage(service, request),
  );
}
