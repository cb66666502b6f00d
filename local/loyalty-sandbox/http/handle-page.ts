import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { splitTarget } from '../../sandbox-kit/http/requests.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import { describeContractAt, renderDocsPage } from '../pages/docs-page.ts';
import { pageAnswer } from '../pages/layout.ts';
import { renderStateFragment, renderStatePage } from '../pages/state-page.ts';
import type { Service } from '../service.ts';

type Page = (service: Service, address: string) => Answer;

const { resolve } = createRequire(import.meta.url);
const ownAsset = (name: string) =>
  fileURLToPath(new URL(`../pages/assets/${name}`, import.meta.url));

/** Every page and file by its name: a path from outside never becomes a path of the disk. */
const pages: Readonly<Record<string, Page>> = {
  '/': ({ parts }, address) =>
    pageAnswer(renderDocsPage(address, parts.settings.credentials), 'inline-too'),
  '/state': (service, address) => pageAnswer(renderStatePage(service, address), 'from-files'),
  '/state/fragment': (service) => pageAnswer(renderStateFragment(service), 'from-files'),
  '/openapi.json': ({ parts }, address) =>
    jsonAnswer(200, describeContractAt(address, parts.contract)),
  '/openapi.yaml': ({ parts }) => fileAnswer('application/yaml', parts.contract.openapiText),
  '/assets/bar.css': file('text/css', ownAsset('bar.css')),
  '/assets/state.css': file('text/css', ownAsset('state.css')),
  '/assets/docs.js': file('text/javascript', ownAsset('docs.js')),
  '/assets/state.js': file('text/javascript', ownAsset('state.js')),
  '/docs-assets/swagger-ui.css': file('text/css', resolve('swagger-ui-dist/swagger-ui.css')),
  '/docs-assets/swagger-ui-bundle.js': file(
    'text/javascript',
    resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  ),
  '/docs-assets/favicon-32x32.png': file('image/png', resolve('swagger-ui-dist/favicon-32x32.png')),
};

export function handlePage(service: Service, { method, url, headers }: IncomingMessage): Answer {
  const { rawPath } = splitTarget(url ?? '');
  const page = Object.hasOwn(pages, rawPath) ? pages[rawPath] : undefined;
  if (!page) {
    return jsonAnswer(404, { problems: ['There is / (the API), /state, /sandbox/… and /v1/….'] });
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonAnswer(405, { problems: ['This path takes GET.'] }, { allow: 'GET, HEAD' });
  }
  // The name by which the browser knows us, already checked, so that the page calls its own origin.
  return page(service, `http://${headers.host}`);
}

function file(type: string, path: string): Page {
  return () => fileAnswer(type, readFileSync(path));
}

function fileAnswer(type: string, body: string | Buffer): Answer {
  const charset = typeof body === 'string' || type.startsWith('text/') ? '; charset=utf-8' : '';
  return {
    status: 200,
    headers: { 'content-type': type + charset, 'x-content-type-options': 'nosniff' },
    body,
  };
}
