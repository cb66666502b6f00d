import { createHmac, randomUUID } from 'node:crypto';
import type { AskedShop, OpenShop, PlatformCommands } from '../core/platform/platform.ts';
import type { ScanAnswer } from '../core/store/store.ts';
import { type AdminAnswer, unavailable } from './admin/client/admin-answer.ts';
import { type Ask, createAdminClient } from './admin/client/admin-client.ts';
import { parseAdminSecret } from './admin/client/admin-secret.ts';
import {
  accessScopesDocument,
  customerBalanceDocument,
  customerByEmailDocument,
  entityNamesDocument,
  findOrdersDocument,
  findProductsDocument,
  stillThereDocument,
} from './admin/documents.gen.ts';
import { countEntities } from './admin/pages.ts';
import type { BalanceField } from './admin/write-balances.ts';
import { API_VERSION, idFromGid } from './entity-id.ts';
import { PROBE_TOPIC } from './webhooks/topics.ts';

const CLIENT_SECRET = 'CONNECTOR_CLIENT_SECRET';

export const shopifyCommands: PlatformCommands = {
  name: 'Shopify',
  secrets: {
    webhook: [
      {
        field: 'current',
        question: "the app's client secret, which signs its webhooks",
        variable: CLIENT_SECRET,
      },
    ],
    store: [
      { field: 'clientId', question: "the app's client ID", variable: 'CONNECTOR_CLIENT_ID' },
      { field: 'clientSecret', question: "the app's client secret", variable: CLIENT_SECRET },
    ],
  },
  olderSecret: [
    {
      field: 'accessToken',
      question: "the app's Admin API access token",
      variable: 'CONNECTOR_ACCESS_TOKEN',
    },
  ],
  parseSecret: parseAdminSecret,
  // They have 13 digits; a number that a shop counts up has fewer.
  shortestId: 12,
  // The store's own files have an apostrophe before the id, and its API a prefix.
  customerId: /^(?:'|gid:\/\/shopify\/Customer\/)?([1-9]\d{0,19})$/,
  hidden: 'orders older than 60 days if the app lacks read_all_orders',
  probe(shop, secret) {
    const body = Buffer.from('{}');
    return { headers: signedHeaders({ topic: PROBE_TOPIC, shop, body, secret }), body };
  },
  open: (opened) => askShop(askAdminApi(opened), opened.shop.domain),
};

function askAdminApi({ shop: { domain: shop }, secret, sandboxAddress }: OpenShop): Ask {
  const settings = { shop, secret: secret(parseAdminSecret), sandboxAddress };
  return createAdminClient(settings).until(undefined);
}

export interface AskedShopifyShop extends AskedShop {
  /** For requests that the workers do not make. */
  readonly ask: Ask;
}

/** Of a webhook, as the store sends it. */
export function signedHeaders(sent: {
  readonly topic: string;
  readonly shop: string;
  readonly body: Uint8Array;
  readonly secret: string;
}): Readonly<Record<string, string>> {
  const { topic, shop, body, secret } = sent;
  return {
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': shop,
    'x-shopify-webhook-id': randomUUID(),
    'x-shopify-api-version': API_VERSION,
    'x-shopify-triggered-at': new Date().toISOString(),
    'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
  };
}

const TYPES = { order: 'Order', product: 'Product', customer: 'Customer' } as const;
type Kind = keyof typeof TYPES;

const gidOf = (kind: Kind, id: string) => `gid://shopify/${TYPES[kind]}/${id}`;

function hit(kind: Kind, gid: string, name: string | null) {
  return { kind, id: idFromGid(gid, TYPES[kind]) ?? '', name };
}

function found<Data, Value>(
  answer: AdminAnswer<Data>,
  read: (data: Data) => Value,
): ScanAnswer<Value> {
  return answer.kind === 'data' ? { kind: 'found', value: read(answer.data) } : unavailable(answer);
}

const isAddress = (text: string) => text.includes('@');

/** Quotes are documented for values with spaces or colons; a backslash escapes (Shopify, "Search syntax"). */
const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** Shopify, "Restrict API access with an IP allowlist": 403 for other addresses. */
const ALLOWLIST =
  'If the app has an IP allowlist, run the command from a network on it, or add this one (Dev Dashboard, the app, Settings). Else set the credentials.';

export function askShop(ask: Ask, domain: string): AskedShopifyShop {
  const searchOrders = async (search: string) =>
    found(await ask(findOrdersDocument, { search }), ({ orders }) =>
      orders.nodes.map(({ id, name }) => hit('order', id, name)),
    );

  return {
    ask,

    async ordersNamed(text) {
      if (isAddress(text)) return searchOrders(`email:${quoted(text)}`);
      const all = await searchOrders(`name:${quoted(text)}`);
      if (all.kind !== 'found') return all;
      const plain = (name: string | null) => name?.replace(/^#/, '').toLowerCase();
      const isExact = (one: { name: string | null }) => plain(one.name) === plain(text);
      // A shop may count with a prefix: EN1007 is the order of number 1007.
      const isNumbered = (one: { name: string | null }) => one.name?.replaceAll(/\D/g, '') === text;
      const others = all.value.filter((one) => !isExact(one) && isNumbered(one));
      return { kind: 'found', value: [...all.value.filter(isExact), ...others] };
    },

    ordersOf: (customerId) => searchOrders(`customer_id:${customerId}`),

    productsTitled: async (title) =>
      found(await ask(findProductsDocument, { search: `title:${quoted(title)}` }), (data) =>
        data.products.nodes.map((product) => hit('product', product.id, product.title)),
      ),

    customerWith: async (email) =>
      found(await ask(customerByEmailDocument, { email }), ({ customerByIdentifier: one }) =>
        one ? [hit('customer', one.id, null)] : [],
      ),

    async byId(id) {
      const kinds = ['order', 'product', 'customer'] as const;
      const ids = kinds.map((kind) => gidOf(kind, id));
      return found(await ask(stillThereDocument, { ids }), ({ nodes }) =>
        kinds.filter((_, index) => nodes[index]).map((kind) => ({ kind, id, name: null })),
      );
    },

    async namesOf(kind, ids) {
      const answer = await ask(entityNamesDocument, { ids: ids.map((id) => gidOf(kind, id)) });
      const nodes = answer.kind === 'data' ? answer.data.nodes : [];
      return new Map(
        nodes.flatMap((node) => {
          const id = node && 'name' in node && idFromGid(node.id, TYPES[kind]);
          return id ? [[id, node.name]] : [];
        }),
      );
    },

    count: (kind, span) => countEntities(ask, kind, span),

    async balanceOf(customerId, namespace) {
      const id = gidOf('customer', customerId);
      return found(await ask(customerBalanceDocument, { id, namespace }), ({ customer }) => {
        const values = new Map(customer?.metafields.nodes.map(({ key, value }) => [key, value]));
        const of = (field: BalanceField) => values.get(field);
        const [points, expiring, at] = [of('points'), of('expiring_points'), of('expires_at')];
        if (points === undefined) return undefined;
        return {
          points: Number(points),
          cashback: Number(of('cashback') ?? 0),
          tier: of('tier') ?? null,
          expiring: expiring && at ? { points: Number(expiring), at } : null,
        };
      });
    },

    async look() {
      const answer = await ask(accessScopesDocument, {});
      if (answer.kind === 'data') {
        const scopes = answer.data.currentAppInstallation.accessScopes.map((one) => one.handle);
        return [{ verdict: 'pass', what: 'the token is accepted', scopes }];
      }
      const { why, misconfigured } = unavailable(answer);
      if (!misconfigured) {
        const what = `${domain} did not answer as expected (${why})`;
        return [{ verdict: 'unknown', what, fix: 'Try again later.' }];
      }
      const what = `the Admin API of ${domain} refuses the connector (${why})`;
      const fix = why === 'forbidden' ? ALLOWLIST : 'The app must be installed there.';
      return [{ verdict: 'fail', what, fix, isRefused: true }];
    },
  };
}
