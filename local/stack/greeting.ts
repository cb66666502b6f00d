import { createHmac } from 'node:crypto';
import { hostedPages } from '../storefront-demo/demo.ts';
import type { RunningStack } from './running-stack.ts';
import type { RunningShop } from './start-sandboxes.ts';

/** The addresses of the running stack, and what to try next. */
export function greet(stack: RunningStack, consoleAddress: string | undefined): string {
  const { domain } = stack.shop;
  const { administrator } = stack.keys;
  const [order] = stack.store.rows.orders.values();
  const body = '{"id":1}';
  const signature = createHmac('sha256', stack.webhookSecret).update(body).digest('base64');
  return `
Stack ${stack.name} is running on this machine.

Pages for a browser:

${list([...consolePage(consoleAddress), ...shopPages(stack), ...stack.shops.flatMap(sandboxPages), ['metrics', stack.metricsAddress, 'of all functions, in the last hour']])}

Addresses for programs:

${list([
  ...stack.shops.flatMap(programAddresses),
  ['AWS', stack.endpoint, 'SQS, DynamoDB, Secrets Manager, Lambda'],
])}

Send a signed webhook by hand (it reports the deletion of an order that the store never had):

  curl -i ${stack.webhookAddress} -H 'content-type: application/json' \\
    -H 'x-shopify-topic: orders/delete' -H 'x-shopify-shop-domain: ${domain}' \\
    -H 'x-shopify-webhook-id: by-hand' -H 'x-shopify-api-version: 2026-10' \\
    -H 'x-shopify-triggered-at: ${new Date().toISOString()}' \\
    -H 'x-shopify-hmac-sha256: ${signature}' -d '${body}'

For any other event, use the buttons on the store's page, or send it by hand:

  curl -X POST ${stack.store.address}/sandbox/actions/placeRandomOrder -H 'content-type: application/json'
  npx loyalty-connector send --sample orders/create

See the state of the connector: npx loyalty-connector status
${order === undefined ? '' : `See the history of one order: npx loyalty-connector trace order ${order.id}\n`}
Read the queues, the ledger and the secrets with the AWS CLI:

  export AWS_ENDPOINT_URL=${stack.endpoint} AWS_REGION=us-east-1 \\
    AWS_ACCESS_KEY_ID=${administrator.accessKeyId} AWS_SECRET_ACCESS_KEY=${administrator.secretAccessKey}

Ctrl-C stops everything.
`;
}

type Place = readonly [name: string, address: string, note?: string];

function list(places: readonly Place[]): string {
  return places
    .map(([name, address, note]) => {
      const line = `  ${name.padEnd(16)} ${address}`;
      return note === undefined ? line : `${line}   (${note})`;
    })
    .join('\n');
}

function consolePage(address: string | undefined): Place[] {
  return address === undefined ? [] : [['the console', address, 'opens once; look here first']];
}

/** Only the first shop has them, and only with a storefront. */
function shopPages({ shopAddress }: RunningStack): Place[] {
  if (shopAddress === undefined) return [];
  return [
    ['the shop', shopAddress, 'buy, and see the points arrive'],
    ...hostedPages.map(
      ({ path, label, note }): Place => [label.toLowerCase(), `${shopAddress}${path}`, note],
    ),
  ];
}

function sandboxPages({ shop, store, loyalty }: RunningShop): Place[] {
  return [
    ['the store', store.address, `orders, products and buttons; shop ${shop.domain}`],
    ['loyalty service', `${loyalty.address}/state`, 'points, orders and every call'],
  ];
}

function programAddresses({ loyalty, webhookAddress, webhookSecret }: RunningShop): Place[] {
  const { token, key } = loyalty.credentials;
  return [
    ['webhooks', webhookAddress, `secret ${webhookSecret}`],
    ['loyalty service', loyalty.address, `${token}:${key}`],
  ];
}

/** What a person who sets it up would find on the pages of the store and of the loyalty service. */
export function greetNew({ name, shops }: RunningStack): string {
  return `
Stack ${name} is running on this machine, as after a first deployment. Set it up, in another terminal:

  npx loyalty-connector setup

It asks for these values of the sandboxes:

${shops.map((one) => valuesOf(one, shops.length > 1)).join('\n\n')}

Ctrl-C stops everything.
`;
}

function valuesOf({ shop, store, loyalty }: RunningShop, isNamed: boolean): string {
  const { clientId, clientSecret } = store.credentials;
  const { token, key } = loyalty.credentials;
  return `  client id        ${clientId}
  client secret    ${clientSecret}
  loyalty token    ${token}
  loyalty key      ${key}

  the store        ${store.address}   (a page with buttons${isNamed ? `; shop ${shop.domain}` : ''})
  loyalty service  ${loyalty.address}/state`;
}
