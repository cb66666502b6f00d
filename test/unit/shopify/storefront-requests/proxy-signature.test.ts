import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkProxySignature,
  readQuery,
  signedText,
  signQuery,
} from '../../../../shared/shopify/storefront-requests/caller.ts';
import { encode, signedQuery } from '../../../support/running-storefront.ts';

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
