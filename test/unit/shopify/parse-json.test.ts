import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../shared/shopify/webhooks/topics.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

function problemOf(body: Uint8Array | string): string {
  const result = parseJson(body);
  return result.kind === 'fault' ? result.fault.problem : 'none';
}

describe('parseJson', () => {
  it('keeps every digit of integers beyond 2^53 in any place', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 10n ** 25n }), (id) => {
        const text = `{"id":${id},"list":[ ${id} ,\n${id}],"in":{"a" : ${id}},"minus":-${id}}`;
        const exact = String(id);
        expect(parseJson(text)).toEqual({
          kind: 'parsed',
          value: { id: exact, list: [exact, exact], in: { a: exact }, minus: `-${exact}` },
        });
      }),
    );
  });

  it('agrees with JSON.parse on everything else', () => {
    const noLongInteger = fc.json().filter((text) => !/\d{16}/.test(text));
    fc.assert(
      fc.property(noLongInteger, (text) => {
        const value: unknown = JSON.parse(text);
        expect(parseJson(text)).toEqual({ kind: 'parsed', value });
        const beside = parseJson(`[1234567890123456789,${text}]`);
        expect(beside).toEqual({ kind: 'parsed', value: ['1234567890123456789', value] });
      }),
    );
  });

  it('leaves long fractions and exponents numbers', () => {
    const text = '[0.1234567890123456789, 1234567890123456789e2, 9007199254740991]';
    expect(parseJson(text)).toEqual({ kind: 'parsed', value: JSON.parse(text) });
  });

  it('returns a value for a body of only brackets, with and without long ids', () => {
    const depth = 200_000;
    const bomb = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(parseJson(bomb).kind).toBe('parsed');
    expect(problemOf(`[1234567890123456789,${bomb}]`)).toBe('is nested too deeply');
  });

  it('reads a __proto__ key as an ordinary property', () => {
    const result = parseJson('{"__proto__":{"polluted":true,"id":1234567890123456789}}');
    expect(result.kind === 'parsed' && (result.value as { polluted?: true }).polluted).toBe(
      undefined,
    );
    expect(({} as { polluted?: true }).polluted).toBe(undefined);
  });

  it.each([
    ['nothing', '', 'is empty'],
    ['blanks', ' \n', 'is empty'],
    ['invalid UTF-8', bytes(0x7b, 0xff, 0xfe, 0x7d), 'is not UTF-8 text'],
    ['half a character', bytes(0x22, 0xe2, 0x82), 'is not UTF-8 text'],
    ['another format', '<order/>', 'is not JSON'],
  ])('names the fault of %s', (_, body, problem) => {
    expect(problemOf(body)).toContain(problem);
  });

  it('reads text in any script from bytes', () => {
    const value = { name: 'Žofie Ünal 測試 😀' };
    expect(parseJson(new TextEncoder().encode(JSON.stringify(value)))).toEqual({
      kind: 'parsed',
      value,
    });
  });

  it('never quotes a body that was cut off at any place', () => {
    const text = JSON.stringify({ email: 'robin.sample@example.com', name: 'Robin Sample' });
    for (let end = 1; end < text.length; end += 1) {
      const problem = problemOf(text.slice(0, end));
      expect(problem).toMatch(/^is not JSON(?: \(position \d+\))?$/);
    }
  });
});
