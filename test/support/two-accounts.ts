import { createServer, request } from 'node:http';
import { afterEach } from 'vitest';
import { listen } from '../../local/stack/emulators.ts';
import { LOYALTY_CREDENTIALS } from './emulated-world.ts';
import {
  type RunningSettings,
  type runConnectors,
  SECOND_SHOP,
  SHOP,
} from './running-connector.ts';

/** The shop with the problem, and its neighbour. */
export const A = SHOP;
export const B = SECOND_SHOP;

interface AccountCall {
  readonly shop: string;
  /** Virtual milliseconds since the connector was opened. */
  readonly at: number;
  readonly what: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly wasExecuted: boolean;
}

interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Undefined: the service executes the call. */
type Answer = (call: Omit<AccountCall, 'wasExecuted'>) => Refusal | undefined;

export type TwoAccounts = Awaited<ReturnType<typeof openTwoAccounts>>;

/**
 * Two shops on one connector, each with an account of its own in the loyalty service: a front knows the account by the
 * credentials, notes each call, refuses what the test wants refused, and gives the rest to the sandbox.
 */
export function useTwoAccounts(connectors: ReturnType<typeof runConnectors>) {
  const opened: TwoAccounts[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.stop();
  });
  return async (settings: RunningSettings = {}): Promise<TwoAccounts> => {
    const one = await openTwoAccounts(connectors, settings);
    opened.push(one);
    return one;
  };
}

async function openTwoAccounts(
  connectors: ReturnType<typeof runConnectors>,
  settings: RunningSettings,
) {
  const keys = { 'example-store': 'key-of-example-51c0', 'second-store': 'key-of-second-51c0' };
  const calls: AccountCall[] = [];
  const answers = new Map<string, Answer>();
  let target = '';
  let startedAt = 0;

  const shopOf = (authorization = ''): string => {
    const [token, key] = Buffer.from(authorization.replace('Basic ', ''), 'base64')
      .toString()
      .split(':');
    const path = token?.replace('token-of-', '');
    return `${path}.myshopify.com|${key === keys[path as keyof typeof keys]}`;
  };

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const [shop = '', isKnown] = shopOf(incoming.headers.authorization).split('|');
    const call = {
      shop,
      at: Date.now() - startedAt,
      what: `${incoming.method} ${incoming.url?.replace('/v1/pvt', '')}`,
      body: bytes.length > 0 ? JSON.parse(bytes.toString()) : {},
    };
    const refusal = isKnown === 'true' ? answers.get(shop)?.(call) : { status: 401 };
    calls.push({ ...call, wasExecuted: !refusal });
    if (refusal) {
      const { status, headers = {}, body = {} } = refusal;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
      return;
    }
    const { token, key } = LOYALTY_CREDENTIALS;
    const authorization = `Basic ${Buffer.from(`${token}:${key}`).toString('base64')}`;
    const { host, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    request(`${target}${url}`, { method, headers: { ...headers, authorization } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    })
      .on('error', () => response.destroy())
      .end(bytes);
  });
  const front = await listen(server);
  const connector = await connectors.open({ ...settings, loyaltyAddress: front.endpoint });
  target = connector.loyalty.address;
  startedAt = Date.now();
  const giveKey = (path: keyof typeof keys, key: string = keys[path]) =>
    connector.keepSecret(`${path}/loyalty`, { token: `token-of-${path}`, key });
  await giveKey('example-store');
  await giveKey('second-store');

  const accounts = {
    connector,
    giveKey,
    calls,
    stop: front.stop,
    /** How the service answers a shop from now on; undefined: it executes all calls. */
    answer: (shop: string, answer?: Answer) =>
      answer ? answers.set(shop, answer) : answers.delete(shop),
    callsOf: (shop: string) => calls.filter((call) => call.shop === shop),
    /** The ids of the shop's orders that the service took, one for each call. */
    takenOrders: (shop: string): readonly number[] =>
      calls
        .filter((call) => call.shop === shop && call.wasExecuted)
        .filter(({ what }) => what === 'POST /POS/orders')
        .map(({ body }) => Number(body.OriginalId))
        .toSorted((one, other) => one - other),
    /** Batches of all workers while no time passes. */
    async workNow(): Promise<void> {
      while ((await connector.work()) > 0);
    },
    /** Works for this long, in steps. */
    async workFor(seconds: number, step: number): Promise<void> {
      for (let passed = 0; passed < seconds; passed += step) {
        await accounts.workNow();
        connector.pass(Math.min(step, seconds - passed));
      }
    },
  };
  return accounts;
}
