import * as v from 'valibot';
import { type Answer, jsonAnswer } from '../sandbox-kit/http/server.ts';
import { html } from '../sandbox-kit/pages/html.ts';
import type { CustomerRow, ProductRow, VariantRow } from '../store-sandbox/model/rows.ts';
import { renderPicture } from '../storefront-demo/pages/pictures.ts';
import { speak } from '../storefront-demo/pages/words.ts';
import {
  moneyOf,
  priceOf,
  type Shop,
  type ShopStore,
  shownProducts,
} from '../storefront-demo/shop.ts';
import type { Visit } from '../storefront-demo/visit.ts';
import { type HostFiles, hostHead, moduleAddress, tokenOf } from './host-files.ts';

export interface HostedRequest {
  readonly method: string;
  readonly query: string;
  readonly body: Buffer;
}

/** A sale as the page sends it. */
const sale = v.object({
  staffId: v.string(),
  locationId: v.string(),
  customerId: v.nullable(v.string()),
  lines: v.array(v.object({ variantId: v.string(), quantity: v.number() })),
  codes: v.array(v.string()),
});

const MODULES: Readonly<Record<string, string>> = {
  'pos.customer-details.block.render': 'loyalty-till/src/block.js',
  'pos.customer-details.action.render': 'loyalty-till/src/modal.js',
};

const MOST_FOUND = 8;

/** The shop's till, with our extension beside the customer: a Shopify POS as far as the extension sees it. */
export function createTillHost(
  { store, loyalty }: Pick<Shop, 'store' | 'loyalty'>,
  files: HostFiles,
) {
  return async (
    path: string,
    _visit: Visit,
    { method, query, body }: HostedRequest,
  ): Promise<Answer | undefined> => {
    const parameter = (name: string) => new URLSearchParams(query).get(name) ?? '';
    switch (`${method} ${path}`) {
      case 'GET /till':
        return files.page(tillPage(store));
      case 'GET /till/extension':
        return files.page(framePage(parameter('target')), 'in-a-frame');
      case 'GET /till/session-token':
        return { status: 200, body: tokenOf(store, { kind: 'staff', id: parameter('staff') }) };
      case 'GET /till/customers':
        return jsonAnswer(200, findCustomers(store, parameter('q')));
      case 'GET /till/phone':
        return jsonAnswer(200, lastMessage(loyalty, parameter('customer')));
      case 'POST /till/quote':
        return jsonAnswer(200, quote(store, body));
      case 'POST /till/orders':
        return placeOrder(store, body);
      default:
        return undefined;
    }
  };
}

/** What the loyalty service has sent to the customer, and to no one else. */
function lastMessage(loyalty: Shop['loyalty'], customerId: string) {
  const challenge = loyalty.state().challenges.find((one) => one.customerId === customerId);
  return { text: challenge ? `Your code is ${challenge.pin}.` : 'No message.' };
}

function findCustomers({ rows }: ShopStore, text: string) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (one: CustomerRow) => ({
    id: one.id,
    name: [one.firstName, one.lastName].filter(Boolean).join(' '),
    contact: one.email ?? one.phone ?? '',
  });
  return [...rows.customers.values()]
    .map(shown)
    .filter(({ name, contact }) =>
      words.every((word) => `${name} ${contact}`.toLowerCase().includes(word)),
    )
    .slice(0, MOST_FOUND);
}

function draftOf(body: Buffer) {
  const { staffId, locationId, customerId, lines, codes } = v.parse(
    sale,
    JSON.parse(body.toString()),
  );
  return {
    lines,
    customerId,
    discounts: codes.map((code) => ({ code })),
    pos: { locationId, staffId },
    payment: 'paid' as const,
    gateway: 'cash',
  };
}

/** What the cart costs. Codes that the store refuses are named, and not counted. */
function quote(store: ShopStore, body: Buffer) {
  const draft = draftOf(body);
  if (draft.lines.length === 0) return { total: priceOf(store, 0), lines: [], refused: [] };
  const { order, totals, refusedCodes } = store.actions.quoteOrder(draft);
  return {
    subtotal: priceOf(store, totals.linesMinor),
    total: priceOf(store, totals.totalMinor),
    lines: order.lines.map(({ allocations }) =>
      allocations.map(({ application, minor }) => ({
        code: order.applications[application]?.name ?? '',
        amount: priceOf(store, minor),
      })),
    ),
    refused: refusedCodes,
  };
}

/** Paid in cash and handed over: a sale at the till is complete at once. */
function placeOrder(store: ShopStore, body: Buffer): Answer {
  const order = store.actions.placeOrder(draftOf(body));
  store.actions.fulfilOrder({ orderId: order.id });
  return jsonAnswer(201, { number: order.number, id: order.id });
}

function tillPage(store: ShopStore) {
  speak('en');
  const { shop, rows } = store;
  const till = {
    currency: shop.currency,
    shopDomain: shop.domain,
    staff: [...rows.staff.values()].map(({ id, firstName, lastName }) => ({
      id,
      name: `${firstName} ${lastName}`,
    })),
    locations: [...rows.locations.values()].map(({ id, name }) => ({ id, name })),
  };
  return html`<!doctype html>
<html lang="en">
<head>
<title>Till · ${shop.name}</title>
${hostHead('till')}
</head>
<body data-till="${JSON.stringify(till)}">
<section class="products">
<h2>Products</h2>
<div class="tiles">
${shownProducts(store).flatMap((product) => product.variants.map((variant) => tile(store, product, variant)))}
</div>
</section>
</body>
</html>
`;
}

function tile(store: ShopStore, product: ProductRow, variant: VariantRow) {
  const title = product.variants.length > 1 ? `${product.title} · ${variant.title}` : product.title;
  const line = {
    ...{ productId: product.id, variantId: variant.id, title },
    price: priceOf(store, variant.priceMinor),
  };
  return html`<button type="button" data-line="${JSON.stringify(line)}">${renderPicture(product)}<span><strong>${title}</strong> ${moneyOf(store, variant.priceMinor)}</span></button>
`;
}

/** One target of the extension: each runs on its own, as on a device. */
function framePage(target: string) {
  const module = Object.hasOwn(MODULES, target) ? MODULES[target] : undefined;
  const extension = { target, module: module && moduleAddress(module) };
  return html`<!doctype html>
<html lang="en">
<head>
<title>Extension</title>
${hostHead('till-frame')}
</head>
<body><main data-extension="${JSON.stringify(extension)}"></main></body>
</html>
`;
}
