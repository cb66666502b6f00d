import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AdminClientSettings,
  type AdminDocument,
  createAdminClient,
} from '../../../shared/shopify/admin/client/admin-client.ts';
import type { AdminCredentials } from '../../../shared/shopify/admin/client/admin-secret.ts';
import {
  type AdminServer,
  type Reaction,
  startAdminServer,
} from '../../support/admin-execution.ts';

const SHOP = 'example-store.myshopify.com';

const shopName: AdminDocument<{ shop: { name: string } }, object> = {
  name: 'ShopName',
  kind: 'query',
  text: 'query ShopName { shop { name } }',
};

const addTag: AdminDocument<object, object> = {
  name: 'AddTag',
  kind: 'mutation',
  text: 'mutation AddTag { tagsAdd(id: "gid://shopify/Order/1", tags: ["x"]) { userErrors { field message } } }',
};

const name = { kind: 'data', data: { shop: { name: 'Example store' } } };

let server: AdminServer;
let slept: number[];
let time: number;

beforeEach(async () => {
  server = await startAdminServer({ shop: { name: 'Example store' }, tagsAdd: { userErrors: [] } });
  slept = [];
  time = Date.parse('2026-10-05T09:00:00Z');
});

afterEach(() => server.close());

function secretOf(...credentials: AdminCredentials[]) {
  let current = 0;
  const at = () => credentials[Math.min(current, credentials.length - 1)] as AdminCredentials;
  return {
    get: async () => at(),
    refresh: async () => {
      current += 1;
      return at();
    },
  };
}

const fixed = (accessToken = 'static-token'): AdminCredentials => ({ kind: 'static', accessToken });
const app = (clientSecret = 'right'): AdminCredentials => ({
  kind: 'client-credentials',
  clientId: 'app',
  clientSecret,
});

function client(changes: Partial<AdminClientSettings> = {}) {
  const made = createAdminClient({
    shop: SHOP,
    sandboxAddress: server.address,
    secret: secretOf(fixed()),
    now: () => time,
    // Waiting is told, and lets time pass, but takes none.
    sleep: async (ms) => {
      slept.push(ms);
      time += ms;
    },
    random: () => 0,
    timeoutMs: 5000,
    ...changes,
  });
  return made.until(undefined);
}

describe('a question', () => {
  it('goes to the Admin API of the version in use, with the token in its header', async () => {
    expect(await client()(shopName, {})).toEqual(name);
    const [query] = server.queries;
    expect(query?.url).toBe('/admin/api/2026-10/graphql.json');
    expect(query?.headers['x-shopify-access-token']).toBe('static-token');
    expect(query?.headers['user-agent']).toContain('loyalty-connector');
  });

  it('goes to the shop, or to this machine, and nowhere else', () => {
    const elsewhere = (changes: Partial<AdminClientSettings>) => () => client(changes);
    for (const sandboxAddress of [
      'http://example.com',
      'https://127.0.0.1',
      'http://127.0.0.1.example.com',
      'http://user@127.0.0.1',
      'file:///etc',
    ]) {
      expect(elsewhere({ sandboxAddress })).toThrow('must be at http://localhost');
    }
    for (const shop of ['example.com', 'a.myshopify.com.example.com', 'a/b.myshopify.com', '']) {
      expect(elsewhere({ shop })).toThrow('.myshopify.com domain');
    }
  });

  it('follows no redirect: the token would go to another host', async () => {
    const other = await startAdminServer();
    server.reactions.push({ status: 302, headers: { location: `${other.address}/x` } });
    expect(await client()(shopName, {})).toMatchObject({ reason: 'redirected' });
    expect(other.queries).toEqual([]);
    await other.close();
  });
});

describe('a connection that was used before', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is not used for a mutation after a freeze: the store has closed it meanwhile', async () => {
    const ask = client();
    await ask(shopName, {});
    server.resetReused = true;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect(await ask(addTag, {})).toMatchObject({ kind: 'data' });
    expect(server.queries).toHaveLength(2);
  });

  it('costs a query one repetition at once when the store resets it', async () => {
    const ask = client();
    await ask(shopName, {});
    server.resetReused = true;
    expect(await ask(shopName, {})).toEqual(name);
    expect(slept).toEqual([]);
  });

  it('never repeats a mutation that it may have carried', async () => {
    const ask = client();
    await ask(shopName, {});
    server.resetReused = true;
    expect(await ask(addTag, {})).toEqual({ kind: 'failure', reason: 'connection' });
    expect(server.queries.map(({ operation }) => operation)).toEqual(['ShopName', 'AddTag']);
  });

  it('does not cost a token request either', async () => {
    const ask = client({ secret: secretOf(app()) });
    await ask(shopName, {});
    server.resetReused = true;
    time += 86_399_000;
    expect(await ask(shopName, {})).toEqual(name);
  });
});

describe('a token bought with client credentials', () => {
  it('is bought once, however many ask at the same time, and used again', async () => {
    const ask = client({ secret: secretOf(app()) });
    await Promise.all(Array.from({ length: 8 }, () => ask(shopName, {})));
    await ask(shopName, {});
    expect(server.tokenRequests).toEqual([
      { client_id: 'app', client_secret: 'right', grant_type: 'client_credentials' },
    ]);
    expect(new Set(server.queries.map(({ headers }) => headers['x-shopify-access-token']))).toEqual(
      new Set(['token-1']),
    );
  });

  it('is renewed before its end', async () => {
    const ask = client({ secret: secretOf(app()) });
    await ask(shopName, {});
    time += (86_399 - 6 * 60) * 1000;
    await ask(shopName, {});
    expect(server.tokenRequests).toHaveLength(1);
    time += 2 * 60_000;
    await ask(shopName, {});
    expect(server.tokenRequests).toHaveLength(2);
    expect(server.queries.at(-1)?.headers['x-shopify-access-token']).toBe('token-2');
  });

  it('goes on serving while it lives and no new one can be had', async () => {
    const ask = client({ secret: secretOf(app()) });
    await ask(shopName, {});
    time += (86_399 - 60) * 1000;
    server.tokenReactions.push({ status: 503 });
    expect(await ask(shopName, {})).toEqual(name);
    expect(server.queries.at(-1)?.headers['x-shopify-access-token']).toBe('token-1');
  });

  it('is replaced once when the store refuses it', async () => {
    const ask = client({ secret: secretOf(app()) });
    await ask(shopName, {});
    server.valid.clear();
    expect(await ask(shopName, {})).toEqual(name);
    expect(server.tokenRequests).toHaveLength(2);
  });

  it('is not bought again and again when the store refuses every one', async () => {
    const ask = client({ secret: secretOf(app()) });
    server.reactions.push({ status: 401 }, { status: 401 }, { status: 401 });
    expect(await ask(shopName, {})).toEqual({ kind: 'failure', reason: 'unauthorized' });
    expect(server.tokenRequests).toHaveLength(2);
  });

  it('is bought with the new secret after a change', async () => {
    const credentials = [app()];
    const ask = client({
      secret: {
        get: async () => credentials[0] as AdminCredentials,
        refresh: async () => credentials[0] as AdminCredentials,
      },
    });
    await ask(shopName, {});
    credentials[0] = { kind: 'client-credentials', clientId: 'other', clientSecret: 'right' };
    await ask(shopName, {});
    expect(server.tokenRequests.map(({ client_id }) => client_id)).toEqual(['app', 'other']);
  });

  it('that cannot be bought is named, without the secret', async () => {
    const answer = await client({ secret: secretOf(app('wrong-secret')) })(shopName, {});
    expect(answer).toEqual({ kind: 'failure', reason: 'bad-credentials' });
  });

  const faults: [Reaction, string][] = [
    [{ status: 404 }, 'shop-not-found'],
    [{ status: 402 }, 'shop-frozen'],
    [{ status: 200, body: '<html>' }, 'not-the-api'],
    [{ json: { access_token: '' } }, 'not-the-api'],
    [{ status: 503 }, 'server-error'],
    ['reset', 'connection'],
  ];
  for (const [reaction, reason] of faults) {
    it(`fails by name when the store answers ${JSON.stringify(reaction)}`, async () => {
      server.tokenReactions.push(reaction, reaction, reaction, reaction);
      const answer = await client({ secret: secretOf(app()) })(shopName, {});
      expect(answer).toMatchObject({ kind: 'failure', reason });
      expect(server.queries).toEqual([]);
    });
  }
});

describe('a static token', () => {
  it('is read again once when the store refuses it', async () => {
    server.valid.add('new-token');
    const ask = client({ secret: secretOf(fixed('old-token'), fixed('new-token')) });
    expect(await ask(shopName, {})).toEqual(name);
    expect(server.queries.map(({ headers }) => headers['x-shopify-access-token'])).toEqual([
      'old-token',
      'new-token',
    ]);
  });

  it.each([
    ['unusable', 'no-credentials'],
    ['unreachable', 'credentials-unreachable'],
  ] as const)('that is %s is a failure with a name', async (why, reason) => {
    const read = async () => why;
    const answer = await client({ secret: { get: read, refresh: read } })(shopName, {});
    expect(answer).toEqual({ kind: 'failure', reason });
  });
});

describe('an answer that is none', () => {
  const graphqlError = (code: string, more: object = {}) => ({
    errors: [{ message: 'About Robin Sample', extensions: { code, ...more } }],
  });
  const lasting: [string, Reaction, object][] = [
    ['401', { status: 401 }, { reason: 'unauthorized' }],
    ['402', { status: 402 }, { reason: 'shop-frozen' }],
    ['403', { status: 403 }, { reason: 'forbidden' }],
    ['404', { status: 404 }, { reason: 'shop-not-found' }],
    ['423', { status: 423 }, { reason: 'shop-locked' }],
    ['400', { status: 400 }, { reason: 'query-refused' }],
    [
      'data with errors',
      { json: { data: { shop: { name: 'half' } }, ...graphqlError('X') } },
      { reason: 'partial-answer' },
    ],
    [
      'a refused document',
      { json: graphqlError('MAX_COST_EXCEEDED') },
      { reason: 'query-refused' },
    ],
    ['a shop that is closed', { json: graphqlError('SHOP_INACTIVE') }, { reason: 'shop-locked' }],
    [
      'a missing scope',
      {
        json: {
          data: { shop: null },
          ...graphqlError('ACCESS_DENIED', { requiredAccess: '`read_users` access scope.' }),
        },
      },
      { reason: 'access-denied', scope: 'read_users' },
    ],
    ['a missing permission', { json: graphqlError('ACCESS_DENIED') }, { reason: 'access-denied' }],
  ];
  for (const [what, reaction, expected] of lasting) {
    it(`has a name and is not asked for again: ${what}`, async () => {
      server.reactions.push(reaction, ...(what === '401' ? [reaction] : []));
      expect(await client()(shopName, {})).toEqual({ kind: 'failure', ...expected });
      expect(server.queries).toHaveLength(what === '401' ? 2 : 1);
    });
  }

  const passing: [string, Reaction, string][] = [
    ['500', { status: 500 }, 'server-error'],
    ['503', { status: 503, body: 'busy' }, 'server-error'],
    ['an internal error', { json: graphqlError('INTERNAL_SERVER_ERROR') }, 'server-error'],
    [
      'a page instead of JSON',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'not-the-api',
    ],
    [
      'broken JSON',
      { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data"' },
      'not-the-api',
    ],
    ['JSON of something else', { json: { hello: 'world' } }, 'not-the-api'],
    ['a connection that breaks off', 'reset', 'connection'],
  ];
  for (const [what, reaction, reason] of passing) {
    it(`is asked for again, a few times: ${what}`, async () => {
      server.reactions.push(reaction);
      expect(await client()(shopName, {})).toEqual(name);
      // What breaks on a connection that was used before is repeated at once, too.
      server.reactions.push(
        ...Array.from({ length: reaction === 'reset' ? 8 : 4 }, () => reaction),
      );
      expect(await client()(shopName, {})).toEqual({ kind: 'failure', reason });
      expect(slept.slice(-3)).toEqual([200, 400, 800]);
      server.reactions.length = 0;
    });
  }

  it('never comes twice to a mutation that may have been carried out', async () => {
    server.reactions.push('reset');
    expect(await client()(addTag, {})).toEqual({ kind: 'failure', reason: 'connection' });
    expect(server.queries).toHaveLength(1);
  });

  it('comes in time or not at all', async () => {
    server.reactions.push('hang');
    const answer = await client({ timeoutMs: 100 })(shopName, {});
    expect(answer).toEqual({ kind: 'failure', reason: 'time-out' });
    // On a busy machine the time is over before the first one is sent.
    expect(server.queries.length).toBeLessThanOrEqual(1);
  });

  it('is not waited for when the caller gives up', async () => {
    server.reactions.push('hang');
    const made = createAdminClient({
      shop: SHOP,
      sandboxAddress: server.address,
      secret: secretOf(fixed()),
    });
    const answer = await made.until(AbortSignal.timeout(100))(shopName, {});
    expect(answer).toEqual({ kind: 'failure', reason: 'aborted' });
  });

  it('names the fields of a mutation that were refused, and none of their values', async () => {
    server.root = {
      tagsAdd: { userErrors: [{ field: ['tags', '0'], message: 'robin@example.com is no tag' }] },
    };
    expect(await client()(addTag, {})).toEqual({
      kind: 'user-errors',
      errors: [{ field: 'tags.0', code: undefined }],
    });
  });
});

describe('the bucket of points', () => {
  const throttled = (requested: number, available: number): Reaction => ({
    json: {
      errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
      extensions: {
        cost: {
          requestedQueryCost: requested,
          actualQueryCost: null,
          throttleStatus: {
            maximumAvailable: 1000,
            currentlyAvailable: available,
            restoreRate: 50,
          },
        },
      },
    },
  });

  it('is waited for exactly as long as it takes to refill', async () => {
    server.reactions.push(throttled(200, 50));
    expect(await client()(shopName, {})).toEqual(name);
    expect(slept).toEqual([3000]);
  });

  it('is waited for before the next question when it is too empty for it', async () => {
    const ask = client();
    server.throttleStatus = { maximumAvailable: 1000, currentlyAvailable: 0, restoreRate: 2 };
    await ask(shopName, {});
    expect(slept).toEqual([]);
    await ask(shopName, {});
    expect(slept).toEqual([500]);
    expect(server.queries).toHaveLength(2);
  });

  it('is left to the queue when refilling takes too long, with the time it takes', async () => {
    server.reactions.push(throttled(1000, 0));
    expect(await client()(shopName, {})).toEqual({
      kind: 'failure',
      reason: 'throttled',
      afterSeconds: 20,
    });
    expect(slept).toEqual([]);
  });

  it('is not begged of for ever', async () => {
    const again = throttled(100, 50);
    server.reactions.push(again, again, again, again, again);
    expect(await client()(shopName, {})).toEqual({
      kind: 'failure',
      reason: 'throttled',
      afterSeconds: 1,
    });
    expect(server.queries).toHaveLength(4);
  });

  it('may be asked for a mutation again: it was not carried out', async () => {
    server.reactions.push(throttled(100, 50));
    expect(await client()(addTag, {})).toMatchObject({ kind: 'data' });
    expect(server.queries).toHaveLength(2);
  });

  it('is waited for as long as a 429 says', async () => {
    server.reactions.push({ status: 429, headers: { 'retry-after': '2.0' } });
    expect(await client()(shopName, {})).toEqual(name);
    expect(slept).toEqual([2000]);
    server.reactions.push({ status: 429, headers: { 'retry-after': '60' } });
    expect(await client()(shopName, {})).toMatchObject({ reason: 'throttled', afterSeconds: 60 });
  });
});
