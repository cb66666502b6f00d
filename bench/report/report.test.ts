import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Figure } from '../bench.ts';
import { figureRow, isMet, putFigures, toJson } from './report.ts';
import { compare, ratiosOf, spreadOf } from './statistics.ts';

const run = { at: '2026-10-09T12:00:00.000Z', machine: 'two cores', quick: false };

const cold: Figure = compare(
  {
    key: 'receiver.cold',
    unit: 'ms',
    note: 'three processes',
    bar: { limit: 1.5, of: 'ratio' },
  },
  { connector: [40, 44, 90], floor: [30, 32, 60] },
  (ms) => ms,
);

describe('the statistics of the bench', () => {
  it('compute median and quartiles in any order', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, low: 2, high: 4 });
    expect(spreadOf([2, 1])).toEqual({ median: 1.5, low: 1.25, high: 1.75 });
    expect(spreadOf([7])).toEqual({ median: 7, low: 7, high: 7 });
    expect(() => spreadOf([])).toThrow('nothing was measured');
  });

  it('compare round by round, so that a slow moment of the machine does not change the ratio', () => {
    expect(ratiosOf([2, 20, 200], [1, 10, 100])).toEqual([2, 2, 2]);
    expect(() => ratiosOf([1, 2], [1])).toThrow('do not pair');
    // The last round was twice as slow for both.
    expect(cold.ratio?.median).toBeCloseTo(44 / 32);
    expect(cold).toMatchObject({ value: 44, floor: 32 });
  });
});

describe('a bar', () => {
  it('is met at its limit and below it', () => {
    const at = (value: number) => isMet({ value }, { limit: 1.5, of: 'value' });
    expect([at(1.5), at(1.51)]).toEqual([true, false]);
  });

  it('on a ratio fails without a ratio', () => {
    expect(isMet(cold, { limit: 1.5, of: 'ratio' })).toBe(true);
    expect(isMet(cold, { limit: 1.3, of: 'ratio' })).toBe(false);
    expect(() => isMet({ value: 1 }, { limit: 2, of: 'ratio' })).toThrow('ratio');
  });
});

describe('the report of the bench', () => {
  const figures: readonly Figure[] = [
    cold,
    { key: 'worker.calls', value: 0.59, unit: 'calls per change' },
  ];

  it('shows both, the ratio, its spread, the bar and whether it is met', () => {
    expect(figureRow(cold)).toEqual([
      'receiver.cold',
      '44 ms',
      '32',
      '1.38 ×',
      '1.35 to 1.44',
      '≤ 1.5 ×',
      'yes',
    ]);
    const missed: Figure = { ...cold, bar: { limit: 1.2, of: 'ratio' } };
    expect(figureRow(missed).at(-1)).toBe('NO');
  });

  it('writes every figure into its JSON by its key', () => {
    const json = JSON.parse(toJson(run, figures));
    expect(Object.keys(json.figures)).toEqual(figures.map(({ key }) => key));
    expect(json.figures['receiver.cold']).toMatchObject({ value: 44, unit: 'ms', met: true });
    expect(json).toMatchObject(run);
  });

  it('replaces only the text between the marks of the page', () => {
    const mark = '<!-- figures: written by npm run bench -- --write-docs -->';
    const page = `before\n${mark}\nstale\n<!-- end of figures -->\nafter`;
    const written = putFigures(page, run, figures);
    expect(written).toMatch(/^before\n/);
    expect(written).toMatch(/\nafter$/);
    expect(written).not.toContain('stale');
    expect(written).toContain('| receiver.cold | 44 ms | 32 |');
    const twin = { ...cold, key: 'receiver.cold.cpu' };
    expect(putFigures(page, run, [...figures, twin])).toContain(
      '- `receiver.cold`, `receiver.cold.cpu`: three processes\n',
    );
    expect(putFigures(written, run, figures)).toBe(written);
    expect(() => putFigures('no marks', run, figures)).toThrow('lost its marks');
  });

  it('finds its marks in the page that it is for', () => {
    const page = readFileSync('docs/performance.md', 'utf8');
    expect(putFigures(page, run, figures)).toContain('| receiver.cold | 44 ms |');
  });
});
