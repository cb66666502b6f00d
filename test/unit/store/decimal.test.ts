import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, decimalOf, divide, round, textOf, times } from '../../../shared/store/money.ts';

/** Exact for the quotients of these tests; big.js rounds a quotient once more. */
const Exact = Big();
Exact.DP = 60;

const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e18, max: 1e18 }),
  fc.integer(),
  fc.constantFrom(0, -0, 1e-7, 0.005, -0.005, 1e21, 0.1 + 0.2),
);
const texts = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.stringMatching(/^\d{1,12}$/))
  .map(([whole, fraction]) => `${whole}.${fraction}`);
const values = fc.oneof(numbers, texts);
const digits = fc.integer({ min: 0, max: 9 });
/** big.js keeps the sign of zero. */
const plain = (value: Big) => (value.eq(0) ? '0' : value.toFixed());

describe('decimals are those of big.js', () => {
  it('in sums, products and the shortest text', () => {
    fc.assert(
      fc.property(values, values, (one, other) => {
        const [a, b] = [decimalOf(one), decimalOf(other)];
        expect(textOf(a)).toBe(plain(new Big(one)));
        expect(textOf(add(a, b))).toBe(plain(new Big(one).plus(other)));
        expect(textOf(times(a, b))).toBe(plain(new Big(one).times(other)));
      }),
    );
  });

  it('rounded half up, away from zero', () => {
    fc.assert(
      fc.property(values, digits, (value, kept) => {
        expect(textOf(round(decimalOf(value), kept))).toBe(
          plain(new Big(value).round(kept, Big.roundHalfUp)),
        );
      }),
    );
    expect(textOf(round(decimalOf('-0.125'), 2))).toBe('-0.13');
  });

  it('in quotients', () => {
    fc.assert(
      fc.property(texts, texts, digits, (one, other, kept) => {
        fc.pre(!new Big(other).eq(0));
        const wanted = new Exact(one).div(other).round(kept, Big.roundHalfUp);
        expect(textOf(divide(decimalOf(one), decimalOf(other), kept))).toBe(plain(wanted));
      }),
    );
  });

  it.each(['', 'x', '1,5', '0x1', Number.NaN, Number.POSITIVE_INFINITY])('not of %s', (value) => {
    expect(() => decimalOf(value)).toThrow(RangeError);
  });
});
