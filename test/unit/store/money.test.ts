import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountKept } from '../../../shared/shopify/webhooks/order-amounts.ts';
import {
  add,
  decimalOf,
  divide,
  minorDigits,
  multiply,
  readAmount,
  round,
  share,
  smallest,
  subtract,
  sum,
  textOf,
  times,
  toJsonNumber,
  ZERO,
} from '../../../shared/store/money.ts';
import { amount } from '../../fixtures/store-entities.ts';

const cents = fc.integer({ min: -(10 ** 14), max: 10 ** 14 });
const ofCents = (value: number) => amount((value / 100).toFixed(2));

describe('an amount', () => {
  it.each([
    ['12.50', '12.5'],
    ['007', '7'],
    ['-0.00', '0'],
    [0.1, '0.1'],
    [199, '199'],
    [' 3.10 ', '3.1'],
  ])('has one form: %j is %s', (written, form) => {
    expect(readAmount(written)).toBe(form);
  });

  it.each([
    '',
    '1e9',
    '1e999999999',
    '0x10',
    '1,50',
    'NaN',
    '.5',
    '--1',
    Number.NaN,
    Infinity,
    null,
    {},
    true,
  ])('is never read from %j', (value) => {
    expect(readAmount(value)).toBe(undefined);
  });

  it('adds and subtracts exactly', () => {
    expect(sum([amount('0.1'), amount('0.2')])).toBe('0.3');
    fc.assert(
      fc.property(cents, cents, (one, other) => {
        expect(subtract(sum([ofCents(one), ofCents(other)]), ofCents(other))).toBe(ofCents(one));
      }),
    );
  });

  it('is compared as a number, not as a text', () => {
    expect(smallest(['100', '19.99', '20', '19.9'].map(amount))).toBe('19.9');
    expect(smallest([])).toBe(undefined);
  });

  it('is written to JSON as an exact decimal', () => {
    fc.assert(
      fc.property(cents, (value) => {
        expect(readAmount(JSON.stringify(toJsonNumber(ofCents(value))))).toBe(ofCents(value));
      }),
    );
  });

  it('is split in units of the currency, rounded half up', () => {
    expect(share(amount('10'), 1, 3, minorDigits('EUR'))).toBe('3.33');
    expect(share(amount('0.05'), 1, 2, minorDigits('EUR'))).toBe('0.03');
    expect(share(amount('10'), 1, 3, minorDigits('JPY'))).toBe('3');
    expect(share(amount('10'), 1, 3, minorDigits('KWD'))).toBe('3.333');
  });
});

it('a return without a refund is shared out of what the records of the store leave', () => {
  // The discounted shirt was removed by an edit; two were added for the full price, and one of these came back.
  const line = {
    // Three for 10, less 9.
    sold: { quantity: 3, worth: amount('21'), tax: amount('4.2') },
    kept: 1,
    takenBack: { quantity: 1, worth: amount('1'), tax: amount('0.2') },
  };
  expect(amountKept(line, 'EUR')).toEqual({ worth: '10', tax: '2' });
});

it('records of more than came back are not used', () => {
  const line = {
    sold: { quantity: 3, worth: amount('30'), tax: ZERO },
    kept: 2,
    takenBack: { quantity: 2, worth: amount('20'), tax: ZERO },
  };
  expect(amountKept(line, 'EUR')).toEqual({ worth: '20', tax: '0' });
});

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

/** Around the largest that is computed with doubles. */
const written = fc
  .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^\d{1,13}$/), fc.stringMatching(/^\d{0,3}$/))
  .map(([sign, whole, fraction]) =>
    amount(`${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`),
  );

describe('amounts are computed as big.js does', () => {
  it('in sums, differences, products and readings', () => {
    fc.assert(
      fc.property(fc.array(written), written, written, fc.integer(), (some, one, other, count) => {
        const all = some.reduce((total, value) => total.plus(value), new Big(0));
        expect(sum(some)).toBe(plain(all));
        expect(subtract(one, other)).toBe(plain(new Big(one).minus(other)));
        for (const factor of [count, count % 100, other]) {
          expect(multiply(one, factor)).toBe(plain(new Big(one).times(factor)));
        }
        expect(readAmount(`${one}${one.includes('.') ? '0' : '.0'}`)).toBe(plain(new Big(one)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('in shares', () => {
    const shown = fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map(ofCents);
    const any = fc.oneof(written, shown);
    fc.assert(
      fc.property(any, any, any, fc.constantFrom(0, 2, 3), (one, part, whole, kept) => {
        fc.pre(whole !== ZERO);
        const wanted = new Exact(one).times(part).div(whole).round(kept, Big.roundHalfUp);
        expect(share(one, part, whole, kept)).toBe(plain(wanted));
      }),
      { numRuns: 1_000 },
    );
    expect(() => share(amount('1'), '1' as typeof ZERO, ZERO, 2)).toThrow(RangeError);
  });
});
