import {
  PORT,
  readCommandLine,
  readNumber,
  runCommand,
  SEED,
  shellQuote,
  type Wanted,
} from '../sandbox-kit/command-line.ts';
import { addressProblem } from './delivery/subscriptions.ts';
import type { StoreSandbox, StoreSandboxOptions } from './sandbox.ts';
import { apiVersion } from './settings.ts';

const help = `Starts a Shopify store on this machine. It needs nothing else.

npm run store -- [options]

  --port N           port on 127.0.0.1 (default 4020; 0 uses any free port)
  --webhooks-to URL  sends the webhooks of every topic to URL
  --secret TEXT      the app's client secret, which signs webhooks (default sandbox-secret)
  --token TEXT       access token of the Admin API (default shpat_sandbox)
  --shop DOMAIN      name of the shop (default sandbox.myshopify.com)
  --seed N           seed for everything random (default 1)
  --data FILE        keeps the data in FILE (default: in memory)
  --help             shows this text
`;

function readArguments(args: readonly string[]): Wanted<StoreSandboxOptions> {
  return readCommandLine(
    args,
    {
      port: { type: 'string' },
      'webhooks-to': { type: 'string' },
      secret: { type: 'string' },
      token: { type: 'string' },
      shop: { type: 'string' },
      seed: { type: 'string' },
      data: { type: 'string' },
    },
    (values) => {
      const { data, secret, token, shop, 'webhooks-to': webhooksTo } = values;
      for (const [name, value] of Object.entries({ data, secret, token })) {
        if (value === '') throw new Error(`--${name} needs a value`);
      }
      if (shop !== undefined && !/^[a-z0-9][a-z0-9-]*\.myshopify\.com$/.test(shop)) {
        throw new Error('--shop must end in .myshopify.com');
      }
      if (webhooksTo !== undefined && addressProblem(webhooksTo) !== undefined) {
        throw new Error('--webhooks-to must begin with http:// or https://');
      }
      return {
        port: readNumber('--port', values.port, PORT) ?? 4020,
        seed: readNumber('--seed', values.seed, SEED) ?? 1,
        ...(webhooksTo !== undefined && { webhooksTo }),
        ...(secret !== undefined && { secret }),
        ...(token !== undefined && { accessToken: token }),
        ...(shop !== undefined && { shop: { domain: shop } }),
        ...(data !== undefined && { dataFile: data }),
      };
    },
  );
}

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
