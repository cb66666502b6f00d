import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { issueAccessToken } from '../../../local/store-sandbox/session-tokens.ts';
import { createRateLimit } from '../../../shared/rewards/storefront/storefront.ts';
import { createCustomerTokens } from '../../../shared/shopify/storefront-requests/customer-tokens.ts';

const SHOP = 'example-store.myshopify.com';
let clock = Date.parse('2026-11-17T10:00:00Z');
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const askAt = (sandboxAddress: string, perMinute = 100) => {
  const ask = createCustomerTokens({
    ...{ shop: SHOP, sandboxAddress, timeoutMs: 5_000, now: () => new Date(clock) },
    limit: createRateLimit(perMinute),
  });
  return (token: string, source: string | undefined = '192.0.2.10') => ask(token, source);
};

async function openStore(): Promise<{ store: StoreSandbox; id: string; token: string }> {
  const store = await startStoreSandbox({ shop: { domain: SHOP } });
  stops.push(() => store.stop());
  const { id } = store.actions.createCustomer({ firstName: 'Robin', email: 'r@example.com' });
  return { store, id, token: issueAccessToken(id, store.credentials.clientSecret) };
}

it('says whose token it is, and remembers it for a minute', async () => {
  const { store, id, token } = await openStore();
  const ask = askAt(store.address);
  expect(await ask(token)).toEqual({ kind: 'customer', id });
  store.faults.add({ kind: 'outage' });
  expect(await ask(token)).toEqual({ kind: 'customer', id });
  clock += 61_000;
  await expect(ask(token)).rejects.toThrow('Shopify did not answer');
});

it('knows nobody for a token that Shopify refuses, and remembers no refusal', async () => {
  const { store, id, token } = await openStore();
  const ask = askAt(store.address);
  expect(await ask(`${token}x`)).toEqual({ kind: 'nobody' });
  expect(await ask(issueAccessToken('999', store.credentials.clientSecret))).toEqual({
    kind: 'nobody',
  });
  expect(await ask(token)).toEqual({ kind: 'customer', id });
});

it('limits the unknown tokens of a network, and shuts out no other', async () => {
  const { store, id, token } = await openStore();
  const ask = askAt(store.address, 3);
  const stranger = '2001:db8:1:2::7';
  for (const guess of ['guess-0001', 'guess-0002', 'guess-0003']) {
    expect(await ask(guess, stranger)).toEqual({ kind: 'nobody' });
  }
  const limited = { kind: 'too-many', afterSeconds: 20 };
  expect(await ask('guess-0004', stranger)).toEqual(limited);
  // Another address of the same network.
  expect(await ask(token, '2001:db8:1:2:3:4:5:6')).toEqual(limited);
  for (const source of ['2001:db8:1:3::7', '192.0.2.1', undefined]) {
    expect(await ask(token, source)).toEqual({ kind: 'customer', id });
    clock += 61_000;
  }
  expect(await ask('guess-0005', stranger)).toEqual({ kind: 'nobody' });
});

it.each([
  ['an address without encryption', { graphql_api: 'http://accounts.example.com/graphql' }],
  ['no address', { other: 1 }],
])('sends no token to %s', async (_, discovered) => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end(JSON.stringify(discovered));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const { port } = server.address() as AddressInfo;
  const ask = askAt(`http://127.0.0.1:${port}`);
  await expect(ask('some-token')).rejects.toThrow(/Customer Account API/);
  expect(asked).toEqual(['/.well-known/customer-account-api']);
});
