import { createHmac } from 'node:crypto';
import { createStorefrontFunction } from '../../functions/storefront.ts';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import { issueSessionToken, type TokenUser } from '../../local/store-sandbox/session-tokens.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import type { StorefrontSettings } from '../../shared/config/connector-settings.ts';
import { buildWarm, invocationOf } from './event-source.ts';
import { openBalances } from './running-balances.ts';
import { type Connectors, type RunningConnector, SECOND_SHOP, SHOP } from './running-connector.ts';
import {
  type BothSettings,
  CLIENT_ID,
  openStoreAndConnector,
  STORE_SECRET,
} from './store-and-connector.ts';

type Values = Readonly<Record<string, string | readonly string[]>>;

/** The query as Shopify's proxy sends it: a second implementation of the documented rule. */
export function signedQuery(values: Values, secret: string): string {
  const text = Object.entries(values)
    .map(([key, value]) => `${key}=${[value].flat().join(',')}`)
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .join('');
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  return `${encode(values)}&signature=${signature}`;
}

export function encode(values: Values): string {
  return Object.entries(values)
    .flatMap(([key, value]) => [value].flat().map((one) => [key, one] as const))
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join('&');
}

/** What Shopify adds to every request. */
export function proxyValues(
  shop: string,
  at: Date,
  customerId = '',
  own: Values = {},
): Record<string, string | readonly string[]> {
  return {
    ...own,
    shop,
    path_prefix: '/apps/loyalty',
    timestamp: String(Math.floor(at.getTime() / 1000)),
    logged_in_customer_id: customerId,
  };
}

export interface Asked {
  readonly method?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

const storefrontSettings = (loyaltyAddress: string, storefront: StorefrontSettings = {}) =>
  defineConnector({
    shops: [{ domain: SHOP }, { domain: SECOND_SHOP }],
    loyalty: { address: loyaltyAddress },
    rules: { currency: 'EUR' },
    storefront,
  });

/** One running Lambda of the storefront: any request below its address. */
export function startStorefront(loyaltyAddress: string, storefront?: StorefrontSettings) {
  const settings = storefrontSettings(loyaltyAddress, storefront);
  const handler = buildWarm(() =>
    createStorefrontFunction(settings, async () => 'console.log("widget")'),
  );
  const none = { shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
  return async (path: string, { method, query = '', body, headers = {} }: Asked = {}) => {
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const event = toFunctionUrlEvent({ ...none, path, body: Buffer.from(text), headers });
    for (const name of Object.keys(event.headers)) {
      if (name.startsWith('x-shopify')) delete event.headers[name];
    }
    event.requestContext.http.method = method ?? (body === undefined ? 'GET' : 'POST');
    event.rawQueryString = query;
    const answer = await handler(event, invocationOf('storefront', 30));
    if (typeof answer === 'string') throw new Error('the function answers with a bare text');
    const { statusCode: status = 0, body: answerText = '', headers: sent = {} } = answer;
    let json: ReturnType<typeof JSON.parse>;
    try {
      json = JSON.parse(answerText);
    } catch {}
    return { status, answerText, json, headers: sent as Readonly<Record<string, string>> };
  };
}

/** The storefront function of a running connector whose balances were opened before. */
export function openStorefront(connector: RunningConnector) {
  const started = startStorefront(connector.loyalty.address);

  const opened = {
    /** Signed as by Shopify's proxy now. */
    sign: (customerId: string, own: Readonly<Record<string, string>> = {}): string =>
      signedQuery(proxyValues(SHOP, new Date(), customerId, own), STORE_SECRET),

    send: ({ path, ...asked }: Asked & { readonly path: string }) => started(path, asked),

    /** From an extension, with the session token of this user. */
    ask(user: TokenUser, route: string, body?: unknown) {
      const issue = { shop: SHOP, clientId: CLIENT_ID, secret: STORE_SECRET, now: new Date() };
      return opened.send({
        ...{ path: `example-store/${route}`, body },
        headers: { authorization: `Bearer ${issueSessionToken(user, issue)}` },
      });
    },

    get: (name: string, customerId: string, own?: Readonly<Record<string, string>>) =>
      opened.send({ path: `example-store/${name}`, query: opened.sign(customerId, own) }),

    post: (name: string, customerId: string, body: unknown) =>
      opened.send({
        ...{ path: `example-store/${name}`, query: opened.sign(customerId), body },
      }),
  };
  return opened;
}

export type Program = Awaited<ReturnType<typeof openProgram>>;

/** A store and a connector with the sync of balances: everything but the function of the storefront. */
export async function openProgram(
  connectors: Connectors,
  { storefront, ...settings }: Partial<BothSettings> & { storefront?: StorefrontSettings } = {},
) {
  const { store, connector } = await openStoreAndConnector(connectors, { seed: 7, ...settings });
  const { loyalty } = connector;
  const balances = await openBalances(connector, storefront);
  const gid = (id: string) => `gid://shopify/Customer/${id}`;
  const program = {
    ...{ store, connector, loyalty, balances },

    /** In the store alone; gives the id. */
    signUp(firstName = 'Robin'): string {
      const email = `${firstName.toLowerCase()}.sampleson@example.com`;
      connector.confidential.addPersonal({ customer: { first_name: firstName, email } });
      return store.actions.createCustomer({ firstName, lastName: 'Sampleson', email }).id;
    },

    /** A paid and fulfilled order without taxes. */
    buy(customerId: string, price: number): string {
      const lines = [{ title: 'Kettle', price, quantity: 1 }];
      const { id } = store.actions.placeOrder({ customerId, lines, payment: 'paid', taxes: [] });
      store.actions.fulfilOrder({ orderId: id });
      return id;
    },

    /** All webhooks have arrived and were worked on. */
    async settle(): Promise<void> {
      await store.deliveries.settled();
      await connector.settle();
    },

    /** All point events, too. */
    async rest(): Promise<void> {
      await program.settle();
      await balances.forward();
      await balances.settle();
    },

    /** In the service. */
    pointsOf: (id: string) =>
      loyalty.state().customers.find(({ OriginalId }) => OriginalId === id)?.points,
    /** What a theme sees of the customer: `loyalty.points`, `loyalty.tier`. */
    metafieldsOf: (id: string): Record<string, string> =>
      Object.fromEntries(
        store
          .state()
          .metafields.filter(({ ownerGid }) => ownerGid === gid(id))
          .map(({ namespace, key, value }) => [`${namespace}.${key}`, value]),
      ),
    spentBy: (id: string) =>
      loyalty
        .state()
        .redemptions.filter(
          ({ customerId, canceledAt }) => customerId === id && canceledAt === null,
        ).length,
    codesOf: (id: string) =>
      store
        .state()
        .discounts.filter(({ context }) => context.kind === 'customers' && context.ids.includes(id))
        .length,
  };
  return program;
}
