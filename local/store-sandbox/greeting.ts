import { shellQuote } from '../sandbox-kit/run-command.ts';
import type { StoreSandbox } from './sandbox.ts';
import { apiVersion } from './settings.ts';

type Greeted = Pick<StoreSandbox, 'address' | 'credentials' | 'shop'>;

/** What a new user needs to try it. */
export function greet(
  { address, credentials, shop }: Greeted,
  webhooksTo: string | undefined,
): string {
  const query = '{ orders(first: 5) { nodes { name displayFinancialStatus } } }';
  return `The store sandbox is running. All of its data is invented. Ctrl-C stops it.

  shop      ${shop.domain}
  API       ${address}/admin/api/${apiVersion}/graphql.json
  token     ${credentials.accessToken}
  client    ${credentials.clientId}
  secret    ${credentials.clientSecret}
  webhooks  ${webhooksTo ?? 'to no address yet: give --webhooks-to URL, or subscribe through the API'}
  page      ${address}/  orders, products, discounts and buttons to act on them

An order, as a customer would place it:

  curl ${address}/sandbox/actions/placeRandomOrder -X POST \\
    -H 'content-type: application/json'

What the store now says of its orders:

  curl ${address}/admin/api/${apiVersion}/graphql.json \\
    -H ${shellQuote(`x-shopify-access-token: ${credentials.accessToken}`)} -H 'content-type: application/json' \\
    -d ${shellQuote(JSON.stringify({ query }))}
`;
}
