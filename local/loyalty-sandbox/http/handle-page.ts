import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import {
  commonFiles,
  file,
  fileAnswer,
  type Pages,
  pageAnswer,
  handlePage as servePage,
} from '../../sandbox-kit/http/pages.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import { describeContractAt, renderDocsPage } from '../pages/docs-page.ts';
import { renderStateFragment, renderStatePage } from '../pages/state-page.ts';
import type { Service } from '../service.ts';

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
    pageAnswer(renderDocsPage(address, parts.settings.credentials, parts.neighbours), 'inline-too'),
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

export function handlePage(service: Service, request: IncomingMessage): Answer {
  return servePage(pages, service, request, 'There is / (the API), /state, /sandbox/… and /v1/….');
}
