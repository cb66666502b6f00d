import { describe, expect, it } from 'vitest';
import { parseMoment, perSecond, wholeNumber } from '../../../scripts/connector/arguments.ts';

const now = new Date('2026-10-09T12:00:00Z');
const iso = (text: string) => new Date(parseMoment(text, now)).toISOString();

describe('a moment on the command line', () => {
  it('is a span that ends now', () => {
    expect(iso('90m')).toBe('2026-10-09T10:30:00.000Z');
    expect(iso('2h')).toBe('2026-10-09T10:00:00.000Z');
    expect(iso('3d')).toBe('2026-10-06T12:00:00.000Z');
    expect(iso('1w')).toBe('2026-10-02T12:00:00.000Z');
  });

  it('is a date, in UTC wherever the operator sits, unless it says otherwise', () => {
    expect(iso('2026-10-05')).toBe('2026-10-05T00:00:00.000Z');
    expect(iso('2026-10-05T08:30')).toBe('2026-10-05T08:30:00.000Z');
    expect(iso('2026-10-05T08:30:00+02:00')).toBe('2026-10-05T06:30:00.000Z');
  });

  it.each(['', 'yesterday', '2', 'h', '-2h', '2h30m', '2026-13-01', '5/10/2026'])(
    'is never guessed: %j',
    (text) => expect(() => parseMoment(text, now)).toThrow('Give a duration such as'),
  );
});

describe('a whole number on the command line', () => {
  it('keeps within its bounds', () => {
    const parse = wholeNumber(1, 10);
    expect(parse('10')).toBe(10);
    for (const text of ['0', '11', '1.5', '1e1', ' 5', '-1', '']) {
      expect(() => parse(text), text).toThrow('from 1 to 10');
    }
  });
});

describe('a rate on the command line', () => {
  it('may say that it is a second that is meant', () => {
    expect(perSecond(100)('20/s')).toBe(20);
    expect(perSecond(100)('20')).toBe(20);
    for (const wrong of ['0', '0/s', '101/s', '1/m', '1.5', '', '-1', '/s']) {
      expect(() => perSecond(100)(wrong), wrong).toThrow('from 1/s to 100/s');
    }
  });
});
