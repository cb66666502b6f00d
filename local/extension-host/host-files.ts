import { existsSync, readFileSync } from 'node:fs';
import { type AppFiles, readApp } from '../../app/build/build-app.ts';
import { pageAnswer } from '../sandbox-kit/http/pages.ts';
import type { Answer } from '../sandbox-kit/http/server.ts';
import { type Html, html } from '../sandbox-kit/pages/html.ts';
import { issueSessionToken, type TokenUser } from '../store-sandbox/session-tokens.ts';
import type { ShopStore } from '../storefront-demo/shop.ts';

/** Scripts and styles of the host, and the extensions as built for Shopify. */
const PREFIX = '/extension-host/';

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };

/** The address of a module of an extension, such as `loyalty-account/src/page.js`. */
export const moduleAddress = (path: string): string => `${PREFIX}extensions/${path}`;

/** Where a page of the host is shown. */
type Where = 'alone' | 'in-a-frame';

export class HostFiles {
  readonly #storefront: string;
  #app: Promise<AppFiles> | undefined;

  /** `storefront`: where the extensions send their requests, with the shop's path. */
  constructor(storefront: string) {
    this.#storefront = storefront;
  }

  /** Undefined if not a file of the host. */
  async serve(path: string): Promise<Answer | undefined> {
    const [, place, type] = /^\/extension-host\/((?:[\w-]+\/)*[\w-]+\.(js|css))$/.exec(path) ?? [];
    if (place === undefined || (type !== 'js' && type !== 'css')) return undefined;
    const body = await this.#read(place);
    if (!body) return undefined;
    return { status: 200, headers: { 'content-type': TYPES[type] }, body };
  }

  async #read(place: string): Promise<Buffer | undefined> {
    const asset = new URL(`assets/${place}`, import.meta.url);
    if (existsSync(asset)) return readFileSync(asset);
    // Built at the first visit: most runs of the stack never show an extension.
    this.#app ??= readApp(this.#storefront);
    const contents = (await this.#app).get(place.replace(/^extensions\//, ''));
    return contents && Buffer.from(contents);
  }

  /** No other origin but the storefront's. */
  page(page: Html, where: Where = 'alone'): Answer {
    return pageAnswer(
      page,
      {
        'img-src': "'self'",
        'connect-src': `'self' ${new URL(this.#storefront).origin}`,
        'form-action': "'self'",
        'frame-src': "'self'",
        'frame-ancestors': where === 'in-a-frame' ? "'self'" : "'none'",
        'require-trusted-types-for': "'script'",
      },
      { referrer: 'same-origin' },
    );
  }
}

/** The session token that an extension on one of the pages gets. */
export function tokenOf({ shop, credentials }: ShopStore, user: TokenUser): string {
  const { clientId, clientSecret: secret } = credentials;
  return issueSessionToken(user, { shop: shop.domain, clientId, secret, now: new Date() });
}

/** What a page of the host has in its head: `surface` names its script and its styles. */
export const hostHead = (surface: string): Html =>
  html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${PREFIX}${surface}.css">
<script src="${PREFIX}${surface}.js" type="module"></script>`;
