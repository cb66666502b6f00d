import { createStorefrontFunction } from '../../functions/create-storefront.ts';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import { invocationOf } from './event-source.ts';
import { type RunningConnector, SECOND_SHOP, SHOP } from './running-connector.ts';
import { proxyValues, signedQuery } from './signed-query.ts';
import { STORE_SECRET } from './store-and-connector.ts';

export interface ProxiedRequest {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly query: string;
  readonly body?: unknown;
}

/** The function behind the app proxy of a running connector whose balances were opened before. */
export function openStorefront(connector: RunningConnector) {
  const settings = defineConnector({
    shops: [{ domain: SHOP }, { domain: SECOND_SHOP }],
    loyalty: { address: connector.loyalty.address },
    storefront: {},
  });
  const handler = createStorefrontFunction(settings, 'console.log("widget")');

  const opened = {
    /** As Shopify's proxy would sign it now. */
    sign: (customerId: string, own: Readonly<Record<string, string>> = {}): string =>
      signedQuery(proxyValues(SHOP, new Date(), customerId, own), STORE_SECRET),

    async send({ method = 'GET', path, query, body }: ProxiedRequest) {
      const text = body === undefined ? '' : JSON.stringify(body);
      const plain = { shop: '', topic: '', webhookId: '', triggeredAt: '', secret: '' };
      const event = toFunctionUrlEvent({ ...plain, path, body: Buffer.from(text) });
      event.requestContext.http.method = method;
      event.rawQueryString = query;
      const answer = await handler(event, invocationOf('storefront', 30));
      if (typeof answer === 'string') throw new Error('the function answers with a bare text');
      const { statusCode: status = 0, body: told = '' } = answer;
      return { status, told, json: JSON.parse(told) };
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
