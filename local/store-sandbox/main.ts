import { runCommand, shellQuote } from '../sandbox-kit/run-command.ts';
import { help, readArguments } from './arguments.ts';
import type { StoreSandbox } from './sandbox.ts';
import { apiVersion } from './settings.ts';

await runCommand(readArguments(process.argv.slice(2)), help, async (options) => {
  const { startStoreSandbox } = await import('./sandbox.ts');
  const sandbox = await startStoreSandbox(options);
  return { sandbox, greeting: greet(sandbox, options.webhooksTo) };
});

type Greeted = Pick<StoreSandbox, 'address' | 'credentials' | 'shop'>;

function greet({ address, credentials, shop }: Greeted, webhooksTo: string | undefined): string {
  const query = '{ orders(first: 5) { nodes { name displayFinancialStatus } } }';
  return `The store sandbox is running. All of its data is invented. Ctrl-C stops it.

  shop      ${shop.domain}
  API       ${address}/admin/api/${apiVersion}/graphql.json
  token     ${credentials.accessToken}
  client    ${credentials.clientId}
  secret    ${credentials.clientSecret}
  webhooks  ${webhooksTo ?? 'to no address yet: give --webhooks-to URL, or subscribe through the API'}
  page      ${address}/  orders, products and discounts, with buttons to change them

Place an order as a customer:

  curl ${address}/sandbox/actions/placeRandomOrder -X POST \\
    -H 'content-type: application/json'

Read the orders through the Admin API:

  curl ${address}/admin/api/${apiVersion}/graphql.json \\
    -H ${shellQuote(`x-shopify-access-token: ${credentials.accessToken}`)} -H 'content-type: application/json' \\
    -d ${shellQuote(JSON.stringify({ query }))}
`;
}
