import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { createAccountHost } from '../extension-host/account.ts';
import { HostFiles } from '../extension-host/host-files.ts';
import { createTillHost, type HostedRequest } from '../extension-host/till.ts';
import { file, type Pages } from '../sandbox-kit/http/pages.ts';
import { isLoopbackHost, readBody } from '../sandbox-kit/http/requests.ts';
import {
  type Answer,
  jsonAnswer,
  respond,
  type Server,
  startServer,
} from '../sandbox-kit/http/server.ts';
import { html } from '../sandbox-kit/pages/html.ts';
import { type AppProxy, askApp, PROXY_PATH } from './app-proxy.ts';
import { answerCart } from './cart-api.ts';
import { accountPage, forms } from './forms.ts';
import { renderApi } from './pages/api-page.ts';
import { type PageParts, renderLayout, shopAnswer } from './pages/layout.ts';
import { describeProgress, renderOrder } from './pages/order-page.ts';
import { renderAccount, renderCart, renderProduct, renderProducts } from './pages/shop-pages.ts';
import { say, speak } from './pages/words.ts';
import { customerOf, ordersOf, type Shop, shownProducts } from './shop.ts';
import { readVisit, type Visit, visitCookie } from './visit.ts';

export interface DemoOptions extends Omit<Shop, 'links'> {
  readonly port: number;
  /** The storefront's address with the path of the shop. */
  readonly proxyTo: string;
}

/** Pages that another part adds to the shop; undefined when the path is not one of its own. */
type PageHost = (path: string, visit: Visit, request: HostedRequest) => Promise<Answer | undefined>;

/** The pages of hosts that the header links to. `npm start` prints them. */
export const hostedPages: Shop['links'] = [
  { path: '/account/loyalty', label: 'Loyalty', note: 'the account page of a customer' },
  { path: '/till', label: 'Till', note: 'the point of sale' },
];

/** A demo shop: its pages with the widget, its app proxy, the pages of its customer accounts, and its till. */
export function startStorefrontDemo(options: DemoOptions): Promise<Server> {
  const { port, proxyTo, ...parts } = options;
  const { store } = parts;
  const shop: Shop = { ...parts, links: hostedPages };
  const proxy: AppProxy = {
    shopDomain: store.shop.domain,
    to: proxyTo,
    secret: () => store.credentials.clientSecret,
    now: () => new Date(),
  };
  const host = new HostFiles(proxyTo);
  const hosts: readonly PageHost[] = [createAccountHost(store, host), createTillHost(shop, host)];
  return startServer((request, response) => answer(request, response, shop, proxy, hosts), port);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  shop: Shop,
  proxy: AppProxy,
  hosts: readonly PageHost[],
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === 'broken-off') return;
  const { method = 'GET', headers } = request;
  if (!isLoopbackHost(headers.host)) return respond(response, { status: 403, body: '' });
  const { pathname, search } = new URL(request.url ?? '/', 'http://demo');
  const visit = readVisit(headers.cookie);
  if (body.kind === 'too-large') {
    return respond(response, showNotice(413, shop, visit, 'This is more than the shop reads'));
  }
  if (pathname.startsWith(`${PROXY_PATH}/`)) {
    const proxied = {
      method,
      rest: pathname.slice(PROXY_PATH.length + 1),
      query: search,
      body: body.bytes,
      headers,
      customerId: customerOf(shop.store, visit)?.id ?? '',
    };
    return respond(response, await askApp(proxied, proxy));
  }
  // A page of another origin must not change anything.
  if (method === 'POST' && headers.origin !== `http://${headers.host}`) {
    return respond(response, showNotice(403, shop, visit, 'This form cannot be sent from here'));
  }
  for (const host of hosts) {
    const found = await host(pathname, visit, { method, query: search, body: body.bytes });
    if (found) return respond(response, found);
  }
  const parts = { method, path: pathname, query: new URLSearchParams(search), body: body.bytes };
  const cart = answerCart(parts, visit, shop.store);
  if (cart) return respond(response, cart);
  respond(
    response,
    method === 'POST'
      ? submit(pathname, body.bytes, visit, shop, headers)
      : showPage(pathname, new URLSearchParams(search), visit, shop, proxy.to),
  );
}

function submit(
  path: string,
  body: Buffer,
  visit: Visit,
  shop: Shop,
  { origin, referer }: IncomingMessage['headers'],
): Answer {
  const form = Object.hasOwn(forms, path) ? forms[path] : undefined;
  if (!form) return showNotice(404, shop, visit, 'There is no such form');
  const { visit: next, to } = form(shop.store, visit, new URLSearchParams(body.toString()));
  const back = referer?.startsWith(`${origin}/`) ? referer.slice(`${origin}`.length) : '/';
  return {
    status: 303,
    headers: { location: to ?? back, 'set-cookie': visitCookie(next) },
    body: '',
  };
}

const asset = (name: string) => fileURLToPath(new URL(`assets/${name}`, import.meta.url));
const files: Pages<undefined> = {
  '/api.yaml': file('application/yaml', join(PACKAGE_FOLDER, 'docs/storefront-api.yaml')),
  '/assets/shop.css': file('text/css', asset('shop.css')),
  '/assets/shop.js': file('text/javascript', asset('shop.js')),
  '/assets/shopify-actions.js': file('text/javascript', asset('shopify-actions.js')),
  '/favicon.ico': () => ({ status: 204, body: '' }),
};

function showPage(
  path: string,
  query: URLSearchParams,
  visit: Visit,
  shop: Shop,
  proxyTo: string,
): Answer {
  const { store } = shop;
  speak(visit.locale);
  const found = Object.hasOwn(files, path) ? files[path] : undefined;
  if (found) return found(undefined, '');
  const page = (title: string, content: PageParts['content']) =>
    showOnce(visit, shopAnswer(200, renderLayout(shop, visit, { title, path, content })));
  if (path === '/') return page(say('Our products'), renderProducts(store));
  if (path === '/api') return page('The storefront’s API', renderApi(proxyTo));
  if (path === '/cart') return page(say('Cart'), renderCart(store, visit));
  if (path === '/account') {
    return page(say('Account'), renderAccount(shop, visit, accountPage(query.get('next'))));
  }
  const product = shownProducts(store).find(({ handle }) => path === `/products/${handle}`);
  if (product) return page(product.title, renderProduct(store, visit, product));
  const [, orderId, rest] = /^\/orders\/(\d+)(\/progress)?$/.exec(path) ?? [];
  const order = ordersOf(store, visit).find(({ id }) => id === orderId);
  if (order && rest !== undefined) return jsonAnswer(200, describeProgress(shop, visit, order));
  if (order) return page(`${say('Order')} #${order.number}`, renderOrder(shop, order));
  return showNotice(404, shop, visit, 'There is no such page');
}

function showNotice(status: number, shop: Shop, visit: Visit, title: string): Answer {
  speak(visit.locale);
  const content = html`<h1>${say(title)}</h1>\n<p><a class="button" href="/">${say('See the products')}</a></p>`;
  return shopAnswer(status, renderLayout(shop, visit, { title: say(title), path: '', content }));
}

/** The message of the visit is on this page, and must not be on the next one. */
function showOnce({ message, ...rest }: Visit, shown: Answer): Answer {
  if (message === undefined) return shown;
  return { ...shown, headers: { ...shown.headers, 'set-cookie': visitCookie(rest) } };
}
