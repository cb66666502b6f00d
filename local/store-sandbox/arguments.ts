import { parseArgs } from 'node:util';
import { addressProblem } from './delivery/subscriptions.ts';
import type { StoreSandboxOptions } from './sandbox.ts';

export type Arguments =
  | { readonly kind: 'start'; readonly options: StoreSandboxOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

export const help = `Starts a Shopify store on this machine, with everything it needs.

npm run store -- [options]

  --port N           port on 127.0.0.1 (default 4020; 0 takes any free one)
  --webhooks-to URL  sends the webhooks of every topic there
  --secret TEXT      the app's client secret, which signs webhooks (default sandbox-secret)
  --token TEXT       access token of the Admin API (default shpat_sandbox)
  --shop DOMAIN      name of the shop (default sandbox.myshopify.com)
  --seed N           makes another run of what is random (default 1)
  --data FILE        keeps the state in FILE over a restart (default: in memory)
  --help             this text
`;

export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '4020' },
        'webhooks-to': { type: 'string' },
        secret: { type: 'string' },
        token: { type: 'string' },
        shop: { type: 'string' },
        seed: { type: 'string', default: '1' },
        data: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) return { kind: 'help' };
    const { data, secret, token, shop, 'webhooks-to': webhooksTo } = values;
    const problem = findProblem(values);
    if (problem !== undefined) return { kind: 'wrong', problem };
    return {
      kind: 'start',
      options: {
        port: readNumber('--port', values.port, 65_535),
        seed: readNumber('--seed', values.seed, 2 ** 31 - 1),
        ...(webhooksTo !== undefined && { webhooksTo }),
        ...(secret !== undefined && { secret }),
        ...(token !== undefined && { accessToken: token }),
        ...(shop !== undefined && { shop: { domain: shop } }),
        ...(data !== undefined && { dataFile: data }),
      },
    };
  } catch (error) {
    // parseArgs and the readers throw for what was typed; their first line says what it was.
    const [problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    return { kind: 'wrong', problem };
  }
}

function findProblem(values: Readonly<Record<string, string | boolean | undefined>>) {
  for (const name of ['data', 'secret', 'token']) {
    if (values[name] === '') return `--${name} needs a value`;
  }
  const { shop, 'webhooks-to': address } = values;
  if (typeof shop === 'string' && !/^[a-z0-9][a-z0-9-]*\.myshopify\.com$/.test(shop)) {
    return '--shop must end in .myshopify.com';
  }
  const isBad = typeof address === 'string' && addressProblem(address) !== undefined;
  return isBad ? '--webhooks-to must begin with http:// or https://' : undefined;
}

function readNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new Error(`${name} must be a whole number from 0 to ${most}`);
}
