import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  commonFiles,
  file,
  type Pages,
  pageAnswer,
  handlePage as servePage,
} from '../../sandbox-kit/http/pages.ts';
import type { Answer } from '../../sandbox-kit/http/server.ts';
import { renderStoreFragment, renderStorePage } from '../pages/store-page.ts';
import type { StoreService } from '../service.ts';

const asset = (name: string) => fileURLToPath(new URL(`../pages/assets/${name}`, import.meta.url));

const pages: Pages<StoreService> = {
  ...commonFiles,
  '/': (service, address) => pageAnswer(renderStorePage(service, address)),
  '/fragment': (service) => pageAnswer(renderStoreFragment(service)),
  '/assets/store.css': file('text/css', asset('store.css')),
  '/assets/store.js': file('text/javascript', asset('store.js')),
  '/favicon.ico': () => ({ status: 204, body: '' }),
};

export function handlePage(service: StoreService, request: IncomingMessage): Answer {
  return servePage(pages, service, request, 'There is /, /sandbox/… and /admin/….');
}
