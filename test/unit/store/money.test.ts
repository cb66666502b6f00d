import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  minorDigits,
  readAmount,
  share,
  smallest,
  subtract,
  sum,
  toJsonNumber,
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
