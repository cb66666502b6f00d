import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AccountHost, createAccountHost } from '../extension-host/account.ts';
import { isLoopbackHost, readBody } from '../sandbox-kit/http/requests.ts';
import { type Answer, respond, type Server, startServer } from '../sandbox-kit/http/server.ts';
import { type Html, html } from '../sandbox-kit/pages/html.ts';
import { type AppProxy, askApp, PROXY_PATH } from './app-proxy.ts';
import { forms } from './forms.ts';
import { pageAnswer, renderLayout } from './pages/layout.ts';
import { renderAccount, renderCart, renderProduct, renderProducts } from './pages/pages.ts';
import { type ShopStore, shownProducts } from './shop.ts';
import { readVisit, type Visit, visitCookie } from './visit.ts';

export interface DemoOptions {
  readonly port: number;
  readonly store: ShopStore;
  /** The storefront's address with the path of the shop. */
  readonly proxyTo: string;
}

/** A demo shop: its pages with the widget, and its app proxy. */
export function startStorefrontDemo({ port, store, proxyTo }: DemoOptions): Promise<Server> {
  const proxy: AppProxy = {
    shopDomain: store.shop.domain,
    to: proxyTo,
    secret: () => store.credentials.clientSecret,
    now: () => new Date(),
  };
  const accounts = createAccountHost(store, proxyTo);
  return startServer(
    (request, response) => answer(request, response, store, proxy, accounts),
    port,
  );
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  store: ShopStore,
  proxy: AppProxy,
  accounts: AccountHost,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === 'broken-off') return;
  if (body.kind === 'too-large') return respond(response, { status: 413, body: '' });
  const { method = 'GET', headers } = request;
  if (!isLoopbackHost(headers.host)) return respond(response, { status: 403, body: '' });
  const { pathname, search } = new URL(request.url ?? '/', 'http://demo');
  const visit = readVisit(headers.cookie);
  if (pathname.startsWith(`${PROXY_PATH}/`)) {
    const proxied = {
      method,
      rest: pathname.slice(PROXY_PATH.length + 1),
      query: search,
      body: body.bytes,
      headers,
      customerId: store.rows.customers.get(visit.customerId ?? '')?.id ?? '',
    };
    return respond(response, await askApp(proxied, proxy));
  }
  if (method === 'POST')
    return respond(response, submit(pathname, body.bytes, visit, store, headers));
  respond(response, (await accounts(pathname, visit)) ?? showPage(pathname, visit, store));
}

function submit(
  path: string,
  body: Buffer,
  visit: Visit,
  store: ShopStore,
  { origin, host, referer }: IncomingMessage['headers'],
): Answer {
  const form = Object.hasOwn(forms, path) ? forms[path] : undefined;
  // A page of another origin must not submit forms.
  if (!form || origin !== `http://${host}`) return { status: 403, body: '' };
  const next = form.run(store, visit, new URLSearchParams(body.toString()));
  const back = referer?.startsWith(`${origin}/`) ? referer.slice(origin.length) : '/';
  return {
    status: 303,
    headers: { location: form.to ?? back, 'set-cookie': visitCookie(next) },
    body: '',
  };
}

const stylesheet = new URL('assets/shop.css', import.meta.url);

function showPage(path: string, visit: Visit, store: ShopStore): Answer {
  if (path === '/assets/shop.css') {
    return {
      status: 200,
      headers: { 'content-type': 'text/css; charset=utf-8' },
      body: readFileSync(stylesheet),
    };
  }
  if (path === '/favicon.ico') return { status: 204, body: '' };
  const page = (status: number, title: string, content: Html): Answer => {
    const { message, ...rest } = visit;
    const shown = pageAnswer(status, renderLayout(store, visit, title, content));
    if (message === undefined) return shown;
    return { ...shown, headers: { ...shown.headers, 'set-cookie': visitCookie(rest) } };
  };
  if (path === '/') return page(200, 'Products', renderProducts(store));
  if (path === '/cart') return page(200, 'Cart', renderCart(store, visit));
  if (path === '/account') return page(200, 'Account', renderAccount(store, visit));
  const product = shownProducts(store).find(({ handle }) => path === `/products/${handle}`);
  if (product) return page(200, product.title, renderProduct(store, visit, product));
  return page(404, 'Not found', html`<h1>There is no such page</h1>`);
}
