import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Html, html } from '../pages/html.ts';
import { layOut } from '../pages/layout.ts';
import { splitTarget } from './requests.ts';
import { type Answer, jsonAnswer } from './server.ts';

/** `address` is the sandbox's address in the browser. */
export type Page<Service> = (service: Service, address: string) => Answer;

/** Every page and file by its path, so that a request path never becomes a file path. */
export type Pages<Service> = Readonly<Record<string, Page<Service>>>;

/** The style sheets and the script that the pages of both sandboxes load. */
export const commonFiles: Pages<unknown> = {
  '/assets/bar.css': file('text/css', asset('bar.css')),
  '/assets/state.css': file('text/css', asset('state.css')),
  '/assets/live.js': file('text/javascript', asset('live.js')),
};

/** Swagger UI, for pages that show an API. */
export const swaggerFiles: Pages<unknown> = {
  '/docs-assets/swagger-ui.css': file('text/css', swaggerAsset('swagger-ui.css')),
  '/docs-assets/swagger-ui-bundle.js': file(
    'text/javascript',
    swaggerAsset('swagger-ui-bundle.js'),
  ),
  '/docs-assets/favicon-32x32.png': file('image/png', swaggerAsset('favicon-32x32.png')),
};

function asset(name: string): string {
  return fileURLToPath(new URL(`../pages/assets/${name}`, import.meta.url));
}

/** The package holds a copy. */
function swaggerAsset(name: string): string {
  const copy = asset(`swagger-ui/${name}`);
  return existsSync(copy)
    ? copy
    : createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
}

export function handlePage<Service>(
  pages: Pages<Service>,
  service: Service,
  { method, url, headers }: IncomingMessage,
  /** The answer to an unknown path. */
  known: string,
): Answer {
  const { rawPath } = splitTarget(url ?? '');
  const page = Object.hasOwn(pages, rawPath) ? pages[rawPath] : undefined;
  if (!page && wantsPage(headers)) {
    const content = html`<main><section><h2>There is no such page</h2>
<p>${known}</p>
<p><a href="/">To the first page</a></p></section></main>`;
    const head = html`<link rel="stylesheet" href="/assets/state.css">`;
    return { ...pageAnswer(layOut({ name: 'Not found', head, content })), status: 404 };
  }
  if (!page) return jsonAnswer(404, { problems: [known] });
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonAnswer(405, { problems: ['This path accepts GET.'] }, { allow: 'GET, HEAD' });
  }
  // The server has checked the Host header.
  return page(service, `http://${headers.host}`);
}

/** A browser asks for HTML by name; programs send no Accept header, or one for everything. */
const wantsPage = ({ accept }: IncomingHttpHeaders): boolean =>
  accept?.includes('text/html') ?? false;

/** No other origin and nothing inline, so that even unescaped text would not run, but for what `more` allows. */
export function pageAnswer(
  page: Html,
  more: Readonly<Record<string, string>> = {},
  { status = 200, referrer = 'no-referrer' } = {},
): Answer {
  const self = "'self'";
  const none = "'none'";
  const policy = {
    ...{ 'default-src': none, 'script-src': self, 'style-src': self, 'connect-src': self },
    ...{ 'img-src': "'self' data:", 'base-uri': none, 'form-action': none },
    ...{ 'frame-ancestors': none, ...more },
  };
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': Object.entries(policy)
        .map((directive) => directive.join(' '))
        .join('; '),
      'x-content-type-options': 'nosniff',
      'referrer-policy': referrer,
    },
    body: page.text,
  };
}

export function file(type: string, path: string): Page<unknown> {
  return () => fileAnswer(type, readFileSync(path));
}

export function fileAnswer(type: string, body: string | Buffer): Answer {
  const charset = typeof body === 'string' || type.startsWith('text/') ? '; charset=utf-8' : '';
  return {
    status: 200,
    headers: { 'content-type': type + charset, 'x-content-type-options': 'nosniff' },
    body,
  };
}
