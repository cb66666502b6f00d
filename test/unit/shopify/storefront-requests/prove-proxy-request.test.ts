import '@shopify/shopify-api/adapters/node';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkProxySignature,
  proveProxyRequest,
  readQuery,
  signedText,
  signQuery,
  WINDOW_SECONDS,
} from '../../../../shared/shopify/storefront-requests/caller.ts';
import { encode, proxyValues, signedQuery } from '../../../support/signed-query.ts';

const SECRET = 'hush';
const check = (
  query: string,
  secrets: { current: string; previous?: string } = { current: SECRET },
) => checkProxySignature(readQuery(query), secrets);

describe('the signature of a proxied query', () => {
  it('equals the documented example', () => {
    // "Authenticate app proxies": its example, under the shared secret "hush".
    const query =
      'extra=1&extra=2&shop=shop-name.myshopify.com&logged_in_customer_id=1&path_prefix=%2Fapps%2Fawesome_reviews&timestamp=1317327555';
    expect(signedText(readQuery(query))).toBe(
      'extra=1,2logged_in_customer_id=1path_prefix=/apps/awesome_reviewsshop=shop-name.myshopify.comtimestamp=1317327555',
    );
    const documented = '4c68c8624d737112c91818c11017d24d334b524cb5c2b8ba08daa056f7395ddb';
    expect(signQuery(readQuery(query), SECRET)).toBe(documented);
    expect(check(`${query}&signature=${documented}`)).toBe('current');
  });

  it.each([
    ['a space as plus', 'b=2&a=one+two', 'a=one twob=2'],
    ['a space as %20', 'b=2&a=one%20two', 'a=one twob=2'],
    ['a plus of its own', 'a=1%2B1', 'a=1+1'],
    ['an empty value', 'a=&b=1', 'a=b=1'],
    ['no value at all', 'a&b=1', 'a=b=1'],
    ['a key that occurs twice, apart', 'a=1&b=3&a=2', 'a=1,2b=3'],
    ['a list in brackets', 'ids[]=1&ids%5B%5D=2', 'ids[]=1,2'],
    ['letters beyond ASCII', 'n=%C3%A9%F0%9F%8E%81', 'n=é🎁'],
    ['letters that UTF-16 would sort the other way', '%F0%9F%8E%81=1&%EF%BF%BD=2', '\ufffd=2🎁=1'],
    [
      'a name of the prototype',
      '__proto__=1&constructor=2&toString=3',
      '__proto__=1constructor=2toString=3',
    ],
    ['a longer key before its beginning', 'a=2&a1=1', 'a1=1a=2'],
    ['the signature, which does not sign itself', 'a=1&signature=x', 'a=1'],
  ])('treats %s as Shopify does', (_, query, text) => {
    expect(signedText(readQuery(query))).toBe(text);
  });

  it('is valid for any query, and invalid after any change', () => {
    const values = fc.dictionary(
      fc
        .string({ unit: 'grapheme', minLength: 1 })
        .filter((key) => key !== 'signature' && key.isWellFormed()),
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 3 }),
      ),
      { minKeys: 1, maxKeys: 6 },
    );
    fc.assert(
      fc.property(values, fc.string({ minLength: 1 }), (given, added) => {
        const query = signedQuery(given, SECRET);
        expect(check(query)).toBe('current');
        expect(check(query, { current: 'other', previous: SECRET })).toBe('previous');
        expect(check(query, { current: 'other' })).toBe('invalid');
        // An extra parameter that was not signed.
        expect(check(`${query}&zzz=${encodeURIComponent(added)}`)).toBe('invalid');
        expect(check(`${encode({ zzz: added })}&${query}`)).toBe('invalid');
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['missing', (query: string) => query.replace(/&signature=.*/, '')],
    ['empty', (query: string) => query.replace(/signature=.*/, 'signature=')],
    ['given twice', (query: string) => `${query}&signature=${'0'.repeat(64)}`],
    [
      'in capitals',
      (query: string) =>
        query.replace(/signature=.*/, (all) => all.toUpperCase().replace('SIGNATURE', 'signature')),
    ],
    ['cut', (query: string) => query.slice(0, -1)],
    ['longer', (query: string) => `${query}0`],
    [
      'of another length in bytes',
      (query: string) => query.replace(/signature=.{64}/, `signature=${'é'.repeat(64)}`),
    ],
  ])('is refused when it is %s', (_, change) => {
    expect(check(change(signedQuery({ shop: 'a', timestamp: '1' }, SECRET)))).toBe('invalid');
  });
});

const SHOP = 'example-store.myshopify.com';
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

  it('may repeat a parameter and hold equals signs, as the links of shops do', () => {
    const own = { v: ['1', '2'], from: 'https://example.com/?a=1&b=2', 'utm=': '=' };
    expect(prove(signed(proxyValues(SHOP, NOW, '5', own)))).toMatchObject({
      kind: 'proved',
      request: {
        customerId: '5',
        parameters: new Map([
          ['v', '1,2'],
          ['from', 'https://example.com/?a=1&b=2'],
          ['utm=', '='],
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
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom('=', 'a=1&b=2', 'https://example.com/?a=1'),
  );
  const repeated = fc.array(value, { minLength: 2, maxLength: 3 });
  // A name that ends like one of Shopify's own is refused, and the library accepts it.
  const name = fc.stringMatching(/^[a-z]{1,8}$/).filter((one) => !/shop|timestamp/.test(one));
  const own = fc.dictionary(name, fc.oneof(value, repeated), { maxKeys: 4 });
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

  it.each([
    { l: 'logged_in_customer_id=2lz' },
    { l: 'logged_in_customer_id=2logged_in_customer_id' },
    { a: 'logged_in_', l: 'logged_in_customer_id=2lz' },
    { 'logged_in_customer_id=2lz': '' },
    { lz: 'logged_in_customer_id=2path_prefix=/apps/loyaltyshop=' },
    { a: ['logged_in_customer_id=2', 'l=1'], z: 'timestamp=1' },
    { a: '1', l: ['2', '='] },
  ])('is never another customer, however the signed text of %j is split', (shopper) => {
    const query = signed({ ...shopper, ...proxyValues(SHOP, NOW, '5') });
    const signature = /signature=\w+$/.exec(query)?.[0];
    const text = signedText(readQuery(query));
    const names = /logged_in_customer_id|customer_id|path_prefix|shop|timestamp|lz|[alz](?==)/g;
    const starts = [...text.matchAll(names)].map(({ index }) => index).filter((at) => at > 0);
    const readings = new Set<string | undefined>();
    for (let chosen = 0; chosen < 2 ** starts.length; chosen += 1) {
      const cuts = [0, ...starts.filter((_, bit) => (chosen >> bit) % 2 === 1)];
      const parts = cuts.map((at, index) => text.slice(at, cuts[index + 1]));
      const pairs = parts.map((part) => /([^=]*)=?(.*)/s.exec(part)?.slice(1) ?? []);
      const split = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
      const proof = prove(`${split}&${signature}`);
      if (proof.kind === 'proved') readings.add(proof.request.customerId);
    }
    expect([...readings].filter((id) => id !== '5')).toEqual([]);
  });
});
