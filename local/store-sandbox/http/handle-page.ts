import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { pageAnswer } from '../../loyalty-sandbox/pages/layout.ts';
import { splitTarget } from '../../sandbox-kit/http/requests.ts';
import { type Answer, jsonAnswer } from '../../sandbox-kit/http/server.ts';
import { renderStoreFragment, renderStorePage } from '../pages/store-page.ts';
import type { StoreService } from '../service.ts';

type Page = (service: StoreService, address: string) => Answer;

const asset = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const shared = '../../loyalty-sandbox/pages/assets';

/** Every page and file by its name: a path from outside never becomes a path of the disk. */
const pages: Readonly<Record<string, Page>> = {
  '/': (service, address) => pageAnswer(renderStorePage(service, address), 'from-files'),
  '/fragment': (service) => pageAnswer(renderStoreFragment(service), 'from-files'),
  '/assets/bar.css': file('text/css', asset(`${shared}/bar.css`)),
  '/assets/state.css': file('text/css', asset(`${shared}/state.css`)),
  '/assets/store.css': file('text/css', asset('../pages/assets/store.css')),
  '/assets/store.js': file('text/javascript', asset('../pages/assets/store.js')),
  '/favicon.ico': () => ({ status: 204, body: '' }),
};

export function handlePage(
  service: StoreService,
  { method, url, headers }: IncomingMessage,
): Answer {
  const { rawPath } = splitTarget(url ?? '');
  const isRead = method === 'GET' || method === 'HEAD';
  const page = Object.hasOwn(pages, rawPath) ? pages[rawPath] : undefined;
  if (!page) {
    return jsonAnswer(404, { problems: ['There is /, /sandbox/… and /admin/….'] });
  }
  if (!isRead)
    return jsonAnswer(405, { problems: ['This path takes GET.'] }, { allow: 'GET, HEAD' });
  // The name by which the browser knows us, already checked.
  return page(service, `http://${headers.host}`);
}

function file(type: string, path: string): Page {
  return () => fileAnswer(type, readFileSync(path));
}

function fileAnswer(type: string, body: string | Buffer): Answer {
  return {
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' },
    body,
  };
}
