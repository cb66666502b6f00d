import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { parse } from 'yaml';
import {
  answerSite,
  done,
  faultControls,
  type Query,
  type Resource,
  type Site,
  wrong,
} from '../../sandbox-kit/http/controls.ts';
import {
  commonFiles,
  file,
  fileAnswer,
  type Pages,
  pageAnswer,
  swaggerFiles,
} from '../../sandbox-kit/http/pages.ts';
import {
  type Answer,
  jsonAnswer,
  startServer as listen,
  respond,
  type Server,
} from '../../sandbox-kit/http/server.ts';
import { type Html, html } from '../../sandbox-kit/pages/html.ts';
import type { Contract } from '../contract.ts';
import type { FaultRule } from '../fault-rule.ts';
import { layOutPage, renderStateFragment, renderStatePage } from '../pages/state-page.ts';
import type { Service } from '../service.ts';
import { describeState } from '../state.ts';
import { handleCall } from './handle-call.ts';

const resources: Readonly<Record<string, Resource<Service>>> = {
  '/sandbox/state': { GET: (service) => jsonAnswer(200, describeState(service)) },
  '/sandbox/settings': {
    GET: ({ parts: { settings, serverSettings } }) => jsonAnswer(200, { settings, serverSettings }),
  },
  '/sandbox/journal': { GET: readJournal, DELETE: clearJournal },
  '/sandbox/faults': faultControls<FaultRule>(),
  '/sandbox/subscriptions': { POST: switchOn, PUT: subscribe },
  '/sandbox/time': { POST: advance },
  '/sandbox/reset': { POST: reset },
};

function readJournal({ journal }: Service, { operation, since, limit }: Query): Answer {
  const problems = Object.entries({ since, limit })
    .filter(([, text]) => text && !/^\d{1,15}$/.test(text))
    .map(([name]) => `${name} must be a whole number.`);
  if (problems.length > 0) return wrong(400, ...problems);
  const entries = journal.entries({
    operation,
    ...(since && { since: Number(since) }),
    ...(limit && { limit: Number(limit) }),
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

/** The contract in a browser, ready to be tried: everything it loads comes from the sandbox. */
function renderDocsPage(
  { settings: { credentials }, neighbours }: Service['parts'],
  address: string,
): Html {
  return layOutPage('docs', {
    address,
    credentials,
    neighbours,
    head: html`<link rel="stylesheet" href="/docs-assets/swagger-ui.css">
<script src="/docs-assets/swagger-ui-bundle.js" defer></script>
<script src="/assets/docs.js" defer></script>`,
    content: html`<div id="docs" data-token="${credentials.token}" data-key="${credentials.key}"></div>`,
  });
}

/** The contract with the sandbox as its only server, so that "try it out" reaches it. */
function describeContractAt(address: string, { openapiText }: Contract): unknown {
  const servers = [{ url: address, description: 'This sandbox.' }];
  return { ...parse(openapiText), servers };
}

const ownAsset = (name: string) =>
  fileURLToPath(new URL(`../pages/assets/${name}`, import.meta.url));

const pages: Pages<Service> = {
  ...commonFiles,
  '/': ({ parts }, address) =>
    // Swagger UI sets styles on its elements.
    pageAnswer(renderDocsPage(parts, address), {
      'style-src': "'self' 'unsafe-inline'",
    }),
  '/state': (service, address) => pageAnswer(renderStatePage(service, address)),
  '/state/fragment': (service) => pageAnswer(renderStateFragment(service)),
  '/openapi.json': ({ parts }, address) =>
    jsonAnswer(200, describeContractAt(address, parts.contract)),
  '/openapi.yaml': ({ parts }) => fileAnswer('application/yaml', parts.contract.openapiText),
  '/assets/docs.js': file('text/javascript', ownAsset('docs.js')),
  '/assets/state.js': file('text/javascript', ownAsset('state.js')),
  ...swaggerFiles,
};

const site: Site<Service> = {
  pages,
  findResource: (path) => (Object.hasOwn(resources, path) ? resources[path] : undefined),
  known: {
    pages: 'There is / (the API), /state, /sandbox/… and /v1/….',
    resources: `There is ${Object.keys(resources).join(', ')}.`,
  },
};

export function startServer(service: Service, port: number): Promise<Server> {
  return listen(async (request, response, stopped) => {
    if (/^\/v1(?:[/?]|$)/.test(request.url ?? '')) {
      return handleCall(service, request, response, stopped);
    }
    respond(response, await answerSite(service, request, site));
  }, port);
}
