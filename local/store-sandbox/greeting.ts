import type { StoreSandbox } from './sandbox.ts';
import { apiVersion } from './settings.ts';

type Greeted = Pick<StoreSandbox, 'address' | 'credentials' | 'shop'>;

/** What a newcomer needs to see it work. */
export function greet(
  { address, credentials, shop }: Greeted,
  webhooksTo: string | undefined,
): string {
  const query = '{ orders(first: 5) { nodes { name displayFinancialStatus } } }';
  return `The store sandbox is running. Everything in it is invented; stop it with Ctrl-C.

  shop      ${shop.domain}
  API       ${address}/admin/api/${apiVersion}/graphql.json
  token     ${credentials.accessToken}
  client    ${credentials.clientId}
  secret    ${credentials.clientSecret}
  webhooks  ${webhooksTo ?? 'to nobody yet: give --webhooks-to URL, or subscribe through the API'}
  page      ${address}/  orders, products, discounts and buttons to act on them

An order, as a customer would place it:

  curl ${address}/sandbox/actions/placeRandomOrder -X POST \\
    -H 'content-type: application/json'

What the store now says of its orders:

  curl ${address}/admin/api/${apiVersion}/graphql.json \\
    -H ${quote(`x-shopify-access-token: ${credentials.accessToken}`)} -H 'content-type: application/json' \\
    -d ${quote(JSON.stringify({ query }))}
`;
}

/** For a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
