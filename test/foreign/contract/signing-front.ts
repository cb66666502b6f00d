import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Emulator, listen } from '../../../local/stack/emulators.ts';
import { CLIENT_ID, type RunSecrets, secretsOfShop } from '../../../local/stack/run-secrets.ts';
import { issueSessionToken, type TokenUser } from '../../../local/store-sandbox/session-tokens.ts';
import { askApp, PROXY_PATH } from '../../../local/storefront-demo/app-proxy.ts';
import { TOKEN_HEADER } from '../../../shared/rewards/balances/receive-points.ts';
import type { LocalStack } from '../../support/local-stack.ts';

/** Stands where Shopify and the loyalty service stand: gives every request the proof that its receiver asks for. */
export function startSigningFront(stack: LocalStack, customerId: string): Promise<Emulator> {
  const { shop, webhookSecret: secret, webhookAddress, outputs } = stack;
  const storefront = `${outputs.StorefrontAddress}/${shop.path}`;
  // The keys of a stack are all secrets of its run.
  const secrets = secretsOfShop(stack.keys as RunSecrets, { shops: [shop] }, shop);
  const token = (user: TokenUser) => {
    const issue = { shop: shop.domain, clientId: CLIENT_ID, secret, now: new Date() };
    return { authorization: `Bearer ${issueSessionToken(user, issue)}` };
  };

  async function pass(request: IncomingMessage, body: Buffer) {
    const { pathname, search } = new URL(request.url ?? '', 'http://front');
    const method = request.method ?? '';
    const type = request.headers['content-type'];
    const send = (address: string, headers: Record<string, string>) =>
      fetch(address, {
        method,
        headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
        ...(method !== 'GET' && method !== 'HEAD' && { body: new Uint8Array(body) }),
      });
    const [, first = ''] = pathname.split('/');
    switch (first) {
      case 'webhook':
        return send(webhookAddress, {
          'x-shopify-topic': String(request.headers['x-shopify-topic'] ?? ''),
          'x-shopify-shop-domain': shop.domain,
          'x-shopify-webhook-id': randomUUID(),
          'x-shopify-api-version': '2026-10',
          'x-shopify-triggered-at': new Date().toISOString(),
          'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
        });
      case 'points':
        return send(`${outputs.PointsAddress}/${shop.path}`, {
          [TOKEN_HEADER]: secrets.pointsToken,
        });
      case 'account':
        return send(
          `${storefront}${pathname}${search}`,
          token({ kind: 'customer', id: customerId }),
        );
      case 'till': {
        const address = `${storefront}/till/${customerId}${pathname.slice('/till'.length)}`;
        return send(`${address}${search}`, token({ kind: 'staff', id: '77' }));
      }
      default: {
        const proxy = { shopDomain: shop.domain, to: storefront, secret: () => secret };
        const { headers } = request;
        const rest = pathname.slice(PROXY_PATH.length + 1);
        const { status, ...answer } = await askApp(
          { method, rest, query: search.slice(1), body, headers, customerId },
          { ...proxy, now: () => new Date() },
        );
        const text = answer.body === undefined ? '' : new Uint8Array(Buffer.from(answer.body));
        return new Response(text, { status, headers: answer.headers as Record<string, string> });
      }
    }
  }

  return listen(
    createServer(async (request, response) => {
      const answer = await pass(request, await buffer(request));
      const headers = ['content-type', 'retry-after', 'allow'].flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value]];
      });
      response.writeHead(answer.status, Object.fromEntries(headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    }),
  );
}
