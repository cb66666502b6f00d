import { createHmac } from 'node:crypto';
import type { RunningStack } from './running-stack.ts';

/** The addresses of the running stack, and what to try next. */
export function greet(stack: RunningStack, shopDomain: string): string {
  const { loyalty } = stack;
  const { administrator } = stack.keys;
  const body = '{"id":1}';
  const signature = createHmac('sha256', stack.webhookSecret).update(body).digest('base64');
  return `
Stack ${stack.name} is running on this machine.

  webhooks         ${stack.webhookAddress}
  webhook secret   ${stack.webhookSecret}
  the store        ${stack.store.address}   (a page with buttons; shop ${shopDomain})
${stack.shopAddress === undefined ? '' : `  the shop         ${stack.shopAddress}   (what a shopper sees, with the loyalty widget)\n`}  loyalty service  ${loyalty.address}/state   (${loyalty.credentials.token}:${loyalty.credentials.key})
  AWS              ${stack.endpoint}   (SQS, DynamoDB, Secrets Manager, Lambda)
  metrics          ${stack.metricsAddress}

Send a signed webhook by hand (it reports the deletion of an order that the store never had):

  curl -i ${stack.webhookAddress} -H 'content-type: application/json' \\
    -H 'x-shopify-topic: orders/delete' -H 'x-shopify-shop-domain: ${shopDomain}' \\
    -H 'x-shopify-webhook-id: by-hand' -H 'x-shopify-api-version: 2026-10' \\
    -H 'x-shopify-triggered-at: ${new Date().toISOString()}' \\
    -H 'x-shopify-hmac-sha256: ${signature}' -d '${body}'

For any other event, use the buttons on the store's page, or send it by hand:

  curl -X POST ${stack.store.address}/sandbox/actions/placeRandomOrder -H 'content-type: application/json'
  npx loyalty-connector send --sample orders/create

See the state of the connector: npx loyalty-connector status
See the history of one order: npx loyalty-connector trace

Read the queues, the ledger and the secrets with the AWS CLI:

  export AWS_ENDPOINT_URL=${stack.endpoint} AWS_REGION=us-east-1 \\
    AWS_ACCESS_KEY_ID=${administrator.accessKeyId} AWS_SECRET_ACCESS_KEY=${administrator.secretAccessKey}

Ctrl-C stops everything.
`;
}

/** What a person who sets it up would find on the pages of the store and of the loyalty service. */
export function greetNew({ name, store, loyalty }: RunningStack): string {
  const { clientId, clientSecret } = store.credentials;
  const { token, key } = loyalty.credentials;
  return `
Stack ${name} is running on this machine, as after a first deployment. Set it up, in another terminal:

  npx loyalty-connector setup

It asks for these values of the sandboxes:

  client id        ${clientId}
  client secret    ${clientSecret}
  loyalty token    ${token}
  loyalty key      ${key}

  the store        ${store.address}   (a page with buttons)
  loyalty service  ${loyalty.address}/state

Ctrl-C stops everything.
`;
}
