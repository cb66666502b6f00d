import crypto, { createHmac } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkProof } from '../../../shared/rewards/balances/receive-points.ts';
import {
  checkProxySignature,
  type QueryPairs,
  signQuery,
} from '../../../shared/shopify/storefront-requests/caller.ts';
import { checkSignature } from '../../../shared/shopify/webhooks/topics.ts';

/** The lengths of what was compared, byte by byte in constant time, since the test began. */
let compared: (readonly [number, number])[];
const genuine = crypto.timingSafeEqual;

beforeEach(() => {
  compared = [];
  crypto.timingSafeEqual = (one, other) => {
    compared.push([one.byteLength, other.byteLength]);
    return genuine(one, other);
  };
  syncBuiltinESMExports();
});

afterEach(() => {
  crypto.timingSafeEqual = genuine;
  syncBuiltinESMExports();
});

const body = Buffer.from('{"id":1}');
const base64 = createHmac('sha256', 'secret').update(body).digest('base64');
const pairs: QueryPairs = [['shop', 'example-store.myshopify.com']];
const hex = signQuery(pairs, 'secret');

/** The same but for one character, at its beginning or at its end. */
const almost = (text: string) => [
  `${text.startsWith('x') ? 'y' : 'x'}${text.slice(1)}`,
  `${text.slice(0, -2)}${text.endsWith('x=') ? 'y=' : 'x='}`,
];

describe('what proves a sender is compared in constant time', () => {
  it('the signature of a webhook: all of it, however much of it was guessed', () => {
    for (const given of [base64, ...almost(base64)]) {
      compared = [];
      const check = checkSignature(body, given, { current: 'secret' });
      expect(check).toBe(given === base64 ? 'current' : 'invalid');
      expect(compared).toEqual([[44, 44]]);
    }
    // A wrong length is no secret: every genuine signature has the same.
    expect(checkSignature(body, base64.slice(1), { current: 'secret' })).toBe('invalid');
  });

  it('the signature of a proxied request, in the same way', () => {
    for (const given of [hex, ...almost(hex)]) {
      compared = [];
      const check = checkProxySignature([...pairs, ['signature', given]], { current: 'secret' });
      expect(check).toBe(given === hex ? 'current' : 'invalid');
      expect(compared).toEqual([[64, 64]]);
    }
  });

  it('the token of a point event: all of it, however much of it was guessed', () => {
    const tokens = { current: 'a'.repeat(43), previous: 'b'.repeat(43) };
    for (const token of [tokens.previous, `${'a'.repeat(42)}b`, 'c'.repeat(43)]) {
      for (const given of [
        { header: token, token: undefined },
        { header: undefined, token },
      ]) {
        compared = [];
        checkProof(given, tokens);
        expect(compared).toEqual([
          [43, 43],
          [43, 43],
        ]);
      }
    }
  });
});
