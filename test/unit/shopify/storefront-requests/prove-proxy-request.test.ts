import '@shopify/shopify-api/adapters/node';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  proveProxyRequest,
  WINDOW_SECONDS,
} from '../../../../shared/shopify/storefront-requests/caller.ts';
import { encode, proxyValues, signedQuery } from '../../../support/running-storefront.ts';

const SHOP = 'example-store.myshopify.com';
const SECRET = 'app-secret';
const NOW = new Date('2026-10-09T12:00:00.000Z');

const prove = (query: string, now = NOW) =>
  proveProxyRequest(query, SHOP, { current: SECRET }, now);
const signed = (values: Parameters<typeof signedQuery>[0]) => signedQuery(values, SECRET);
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

describe('a request that Shopify signed', () => {
  it('proves the customer who is logged in, and the shopper’s own parameters', () => {
    const values = proxyValues(SHOP, NOW, '820982911946154508', {
      items: '1:2:3',
      currency: 'EUR',
    });
    expect(prove(signed(values))).toEqual({
      kind: 'proved',
      by: 'current',
      request: {
        customerId: '820982911946154508',
        parameters: new Map([
          ['items', '1:2:3'],
          ['currency', 'EUR'],
        ]),
      },
    });
  });

  it('names no customer without a login', () => {
    expect(prove(signed(proxyValues(SHOP, NOW)))).toMatchObject({
      kind: 'proved',
      request: { customerId: undefined },
    });
  });

  it('is valid for 90 seconds before and after its time', () => {
    const query = signed(proxyValues(SHOP, NOW, '1'));
    for (const seconds of [-WINDOW_SECONDS, -1, 0, 1, WINDOW_SECONDS, WINDOW_SECONDS + 0.9]) {
      expect([seconds, prove(query, later(seconds)).kind]).toEqual([seconds, 'proved']);
    }
    for (const seconds of [-WINDOW_SECONDS - 1, WINDOW_SECONDS + 2, 3_600, 1e9, -1e9]) {
      const proof = prove(query, later(seconds));
      expect([seconds, proof]).toEqual([seconds, { kind: 'refused', why: 'stale' }]);
    }
  });

  it('is refused at the address of another shop', () => {
    const query = signed(proxyValues('second-store.myshopify.com', NOW, '1'));
    expect(prove(query)).toEqual({ kind: 'refused', why: 'other-shop' });
  });
});

it("is accepted or refused as by Shopify's own library", async () => {
  const library = shopifyApi({
    ...{ apiKey: 'key', apiSecretKey: SECRET, apiVersion: ApiVersion.July26 },
    ...{ hostName: 'example.com', isEmbeddedApp: false, logger: { log: () => {} } },
  });
  const value = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => !one.includes('='));
  const own = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value, { maxKeys: 4 });
  const changes = fc.constantFrom(
    (query: string) => query,
    (query: string) => query.replace(SHOP, `x${SHOP}`),
    (query: string) => `${query}&more=1`,
    (query: string) => query.replace(/signature=./, 'signature=g'),
    (query: string) => query.replace('path_prefix', 'path-prefix'),
  );
  const secrets = fc.constantFrom(SECRET, 'another secret');
  await fc.assert(
    fc.asyncProperty(own, changes, secrets, async (parameters, change, secret) => {
      // The library reads the clock of the machine.
      const now = new Date();
      const query = change(signedQuery(proxyValues(SHOP, now, '1', parameters), secret));
      const signator = { signator: 'appProxy' } as const;
      const theirs = await library.utils.validateHmac(new URLSearchParams(query), signator);
      expect(prove(query, now).kind).toBe(theirs ? 'proved' : 'refused');
    }),
    { numRuns: 300 },
  );
});

describe('an attacker with a valid signature', () => {
  it.each([
    ['shop', ''],
    ['shop', 'example-store.myshopify.com.evil.example'],
    ['shop', 'EXAMPLE-STORE.myshopify.com'],
    ['timestamp', 'now'],
    ['timestamp', '1e3'],
    ['timestamp', '-1'],
    ['timestamp', ''],
    ['timestamp', 'Infinity'],
    ['path_prefix', ''],
    ['path_prefix', '/apps/loyalty=1'],
    ['logged_in_customer_id', '0'],
    ['logged_in_customer_id', '1,2'],
    ['logged_in_customer_id', ' 1'],
    ['logged_in_customer_id', '1e3'],
    ['logged_in_customer_id', '../2'],
    ['logged_in_customer_id', 'gid://shopify/Customer/2'],
  ])('cannot send the %s %j', (name, value) => {
    const query = signed({ ...proxyValues(SHOP, NOW, '1'), [name]: value });
    expect(prove(query).kind).toBe('refused');
  });

  it.each(['shop', 'timestamp', 'path_prefix', 'logged_in_customer_id'])(
    'cannot leave out or repeat %s',
    (name) => {
      const { [name]: value = '', ...rest } = proxyValues(SHOP, NOW, '1');
      expect(prove(signed(rest)).kind).toBe('refused');
      const twice = [[value].flat()[0] ?? '', '2'];
      expect(prove(signed({ ...rest, [name]: twice })).kind).toBe('refused');
      // The signed text is the same for `1,2` once as for 1 and 2.
      expect(prove(signed({ ...rest, [name]: twice.join(',') })).kind).toBe('refused');
    },
  );

  it('cannot split the signed text in another way', () => {
    // The shopper is customer 5 and chose the rest. Split in another way, the text names customer 2.
    const own = proxyValues(SHOP, NOW, '5');
    const smuggled = [
      { 'logged_in_customer_id=2path_prefix': 'x' },
      { a: 'xlogged_in_customer_id=2m=' },
      { 'a=xlogged_in_customer_id=2m': '' },
      { 'a=x': 'logged_in_customer_id=2' },
    ];
    const fitting: string[] = [];
    for (const one of smuggled) {
      const query = signed({ ...one, ...own });
      expect(prove(query), 'as it was sent').toEqual({ kind: 'refused', why: 'ambiguous' });
      const signature = /signature=(\w+)/.exec(query)?.[1] ?? '';
      const { logged_in_customer_id: _, path_prefix: prefix = '', ...rest } = own;
      const cuts = [
        {
          ...rest,
          logged_in_customer_id: '2',
          path_prefix: `xlogged_in_customer_id=5path_prefix=${prefix}`,
        },
        {
          ...rest,
          path_prefix: prefix,
          a: 'x',
          logged_in_customer_id: '2',
          m: 'logged_in_customer_id=5',
        },
      ];
      for (const cut of cuts) {
        const proof = prove(`${encode(cut)}&signature=${signature}`);
        expect(proof.kind, JSON.stringify(cut)).toBe('refused');
        if (proof.kind === 'refused') fitting.push(proof.why);
      }
    }
    // The signature alone would have accepted customer 5 as customer 2.
    expect(fitting.filter((why) => why === 'ambiguous').length).toBeGreaterThanOrEqual(3);
  });
});
