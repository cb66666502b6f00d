import { createHmac } from 'node:crypto';
import { createStorefrontFunction } from '../../functions/storefront.ts';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import { issueSessionToken, type TokenUser } from '../../local/store-sandbox/session-tokens.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import { invocationOf } from './event-source.ts';
import { type RunningConnector, SECOND_SHOP, SHOP } from './running-connector.ts';
import { CLIENT_ID, STORE_SECRET } from './store-and-connector.ts';
import { buildWarm } from './warm-function.ts';

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

export interface ProxiedRequest {
  readonly method?: 'GET' | 'POST' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly path: string;
  readonly query: string;
  readonly body?: unknown;
}

/** The storefront function of a running connector whose balances were opened before. */
export function openStorefront(connector: RunningConnector) {
  const settings = defineConnector({
    shops: [{ domain: SHOP }, { domain: SECOND_SHOP }],
    loyalty: { address: connector.loyalty.address },
    rules: { currency: 'EUR' },
    storefront: {},
  });
  const handler = buildWarm(() =>
    createStorefrontFunction(settings, async () => 'console.log("widget")'),
  );

  const opened = {
    /** Signed as by Shopify's proxy now. */
    sign: (customerId: string, own: Readonly<Record<string, string>> = {}): string =>
      signedQuery(proxyValues(SHOP, new Date(), customerId, own), STORE_SECRET),

    async send({ method = 'GET', path, query, body, headers }: ProxiedRequest) {
      const text = body === undefined ? '' : JSON.stringify(body);
      const plain = { shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
      const event = toFunctionUrlEvent({
        ...{ ...plain, path, body: Buffer.from(text) },
        ...(headers && { headers }),
      });
      event.requestContext.http.method = method;
      event.rawQueryString = query;
      const answer = await handler(event, invocationOf('storefront', 30));
      if (typeof answer === 'string') throw new Error('the function answers with a bare text');
      const { statusCode: status = 0, body: answerText = '' } = answer;
      return { status, answerText, json: answerText === '' ? undefined : JSON.parse(answerText) };
    },

    /** From an extension, with the session token of this user. */
    ask(user: TokenUser, route: string, body?: unknown) {
      const issue = { shop: SHOP, clientId: CLIENT_ID, secret: STORE_SECRET, now: new Date() };
      return opened.send({
        method: body === undefined ? 'GET' : 'POST',
        ...{ path: `example-store/${route}`, query: '', body },
        headers: { authorization: `Bearer ${issueSessionToken(user, issue)}` },
      });
    },

    get: (name: string, customerId: string, own?: Readonly<Record<string, string>>) =>
      opened.send({ path: `example-store/${name}`, query: opened.sign(customerId, own) }),

    post: (name: string, customerId: string, body: unknown) =>
      opened.send({
        ...{ method: 'POST', path: `example-store/${name}`, query: opened.sign(customerId) },
        body,
      }),
  };
  return opened;
}
