import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { type Ask, createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import {
  readDefinitions,
  repairDefinition,
  writeBalances,
} from '../../../shared/shopify/admin/write-balances.ts';
import { describeBalanceStore } from '../../contract/reward-store-contract.ts';

let store: StoreSandbox;
let ask: Ask;
let customers: string[];

beforeAll(async () => {
  store = await startStoreSandbox({ shop: { domain: 'example-store.myshopify.com' }, seed: 3 });
  ask = askOf(store);
  customers = Array.from(
    { length: 20 },
    (_, index) => store.actions.createCustomer({ email: `c${index}@example.com` }).id,
  );
});
afterAll(() => store.stop());

function askOf({ credentials, address }: StoreSandbox): Ask {
  const secret = { kind: 'static', accessToken: credentials.accessToken } as const;
  return createAdminClient({
    shop: 'example-store.myshopify.com',
    secret: { get: async () => secret, refresh: async () => secret },
    sandboxAddress: address,
  }).until(undefined);
}

const change = (customerId: string, points = '1') => ({ customerId, points, cashback: '0.5' });

function heldBy(id: string, key: string, namespace = 'loyalty'): string | undefined {
  return store
    .state()
    .metafields.find(
      (one) =>
        one.ownerGid === `gid://shopify/Customer/${id}` &&
        one.namespace === namespace &&
        one.key === key,
    )?.value;
}

function sets(): number {
  return store.journal.entries().filter(({ operation }) => operation === 'SetMetafields').length;
}

describeBalanceStore('the Admin API', () => ({
  store: { writeBalances: (_, changes) => writeBalances(ask, 'contract', changes) },
  shop: 'example-store.myshopify.com',
  customers,
  held: (id, field) => heldBy(id, field, 'contract'),
}));

describe('writing balances', () => {
  it('fills each call with as many customers as it holds', async () => {
    const before = sets();
    const written = await writeBalances(
      ask,
      'loyalty',
      customers.map((id) => change(id, '7')),
    );
    expect(written).toEqual(customers.map(() => ({ kind: 'written' })));
    // Two metafields each: twelve customers in a call of 25.
    expect(sets() - before).toBe(2);
    expect(customers.map((id) => heldBy(id, 'points'))).toEqual(customers.map(() => '7'));
  });

  it('writes all others when the store refuses some, whatever their place', async () => {
    const [first = '', second = '', third = ''] = customers;
    const written = await writeBalances(ask, 'loyalty', [
      change('999000999'),
      change(first, '11'),
      change('999000998'),
      change(second, 'no number'),
      change(third, '13'),
    ]);
    expect(written).toEqual([
      { kind: 'unknown-customer' },
      { kind: 'written' },
      { kind: 'unknown-customer' },
      { kind: 'refused', code: 'INVALID_VALUE' },
      { kind: 'written' },
    ]);
    expect([heldBy(first, 'points'), heldBy(third, 'points')]).toEqual(['11', '13']);
  });

  it('writes the points that expire with their date, and takes both away', async () => {
    const [id = ''] = customers;
    const expiring = { points: '15.5', at: '2026-11-01T03:00:00Z' };
    expect(await writeBalances(ask, 'expiry', [{ ...change(id), expiring }])).toEqual([
      { kind: 'written' },
    ]);
    const held = () => ['expiring_points', 'expires_at'].map((key) => heldBy(id, key, 'expiry'));
    expect(held()).toEqual(['15.5', '2026-11-01T03:00:00']);
    await writeBalances(ask, 'expiry', [change(id)]);
    expect(held()).toEqual(['15.5', '2026-11-01T03:00:00']);
    await writeBalances(ask, 'expiry', [{ ...change(id), expiring: null }]);
    expect(held()).toEqual([undefined, undefined]);
  });

  it('rejects no message for a definition of another type: a person must act', async () => {
    const definition = { ownerType: 'CUSTOMER', namespace: 'taken', key: 'points', name: 'Points' };
    const access = { storefront: 'NONE', customerAccount: 'NONE' } as const;
    store.actions.defineMetafield({ ...definition, ...access, type: 'json', pinned: false });
    const [first = '', second = ''] = customers;
    const written = await writeBalances(ask, 'taken', [change(first), change(second)]);
    const blocked = { kind: 'unavailable', why: 'refused-invalid-type', misconfigured: true };
    expect(written).toEqual([blocked, blocked]);
  });

  it('waits before it repeats a call that was cut off', async () => {
    store.faults.add({ kind: 'reset-after', count: 1 });
    const [id = ''] = customers;
    const [written] = await writeBalances(ask, 'loyalty', [change(id)]);
    expect(written).toMatchObject({ kind: 'unavailable', afterSeconds: 30 });
  });
});

describe('an app that may not write customers', () => {
  it('waits for a person, and names the missing scope', async () => {
    const scopes = ['read_customers', 'read_orders'];
    const reader = await startStoreSandbox({
      shop: { domain: 'example-store.myshopify.com' },
      settings: { scopes },
    });
    try {
      const { id } = reader.actions.createCustomer({ email: 'reader@example.com' });
      const written = await writeBalances(askOf(reader), 'loyalty', [change(id)]);
      expect(written).toEqual([
        {
          ...{ kind: 'unavailable', why: 'access-denied-write-customers', misconfigured: true },
          lacks: 'write_customers',
        },
      ]);
    } finally {
      await reader.stop();
    }
  });
});

describe('the definitions', () => {
  it('are made once, open to themes and customer accounts', async () => {
    const states = await readDefinitions(ask, 'fresh');
    if (states.kind !== 'read') throw new Error(states.why);
    expect(states.states.map(({ state }) => state)).toEqual(Array(5).fill('missing'));
    for (const one of states.states) {
      expect(await repairDefinition(ask, 'fresh', one)).toEqual({ kind: 'made' });
    }
    const after = await readDefinitions(ask, 'fresh');
    const found = after.kind === 'read' && after.states.map(({ state }) => state);
    expect(found).toEqual(Array(5).fill('fine'));
    const again = await repairDefinition(ask, 'fresh', { field: 'points', state: 'missing' });
    expect(again).toEqual({ kind: 'refused', code: 'TAKEN' });
  });

  it('that are there but closed are opened, and those of another type are left alone', async () => {
    const access = { storefront: 'NONE', customerAccount: 'NONE' } as const;
    const common = { ownerType: 'CUSTOMER', namespace: 'other', pinned: false, ...access };
    store.actions.defineMetafield({ ...common, key: 'points', name: 'P', type: 'number_decimal' });
    store.actions.defineMetafield({ ...common, key: 'tier', name: 'T', type: 'json' });
    const states = await readDefinitions(ask, 'other');
    if (states.kind !== 'read') throw new Error(states.why);
    expect(states.states).toEqual([
      { field: 'points', state: 'closed' },
      { field: 'cashback', state: 'missing' },
      { field: 'tier', state: 'other-type', type: 'json' },
      { field: 'expiring_points', state: 'missing' },
      { field: 'expires_at', state: 'missing' },
    ]);
    expect(await repairDefinition(ask, 'other', { field: 'points', state: 'closed' })).toEqual({
      kind: 'made',
    });
  });
});
