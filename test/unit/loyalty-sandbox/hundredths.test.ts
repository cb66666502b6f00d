import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromHundredths,
  largestAmount,
  productInHundredths,
  scaleDown,
  scaleUp,
  toHundredths,
} from '../../../local/loyalty-sandbox/program/hundredths.ts';

describe('hundredths', () => {
  it.each([
    [0.29, 100, 2900],
    [1.15, 100, 11_500],
    [64.9, 0.05, 324],
    [1e-7, 1e7, 100],
    [1e21, 0, 0],
    [-0.019, 1, -1],
    [5e-324, 1, 0],
  ])('multiplies %d by %d in decimal', (a, b, hundredths) => {
    expect(productInHundredths(a, b)).toBe(hundredths);
  });

  it('counts the largest amount exactly at every allowed setting', () => {
    const fromOrder = productInHundredths(largestAmount, 100);
    const fromChange = scaleDown(toHundredths(largestAmount), 0.0001);
    expect(fromOrder).toBe(largestAmount * 100 * 100);
    for (const amount of [fromOrder, scaleUp(fromOrder, 100), fromChange]) {
      expect(Number.isSafeInteger(amount)).toBe(true);
      expect(Number.isSafeInteger(amount * 9)).toBe(true);
    }
    expect(Number.isSafeInteger(toHundredths(largestAmount) * 90_000)).toBe(true);
  });

  it('keeps every amount of two decimals exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e11, max: 1e11 }), (hundredths) => {
        expect(toHundredths(fromHundredths(hundredths))).toBe(hundredths);
      }),
    );
  });

  it('never gains by going there and back', () => {
    const rate = fc.integer({ min: 1, max: 10_000 }).map((n) => n / 10_000);
    fc.assert(
      fc.property(fc.nat(1e9), rate, (hundredths, factor) => {
        expect(scaleUp(scaleDown(hundredths, factor), factor)).toBeLessThanOrEqual(hundredths);
        expect(scaleDown(scaleUp(hundredths, factor), factor)).toBeLessThanOrEqual(hundredths);
      }),
    );
  });
});
