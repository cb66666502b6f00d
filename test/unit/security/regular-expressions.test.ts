import { describe, expect, it } from 'vitest';
import { findExpressions, samplesOf } from '../../support/regular-expressions.ts';

/** Few characters first: an expression that takes exponential time must not be asked about many. */
const LENGTHS = [18, 24, 300, 6_000];
/**
 * What one pass over 6 000 characters takes is far below; what takes time by their square is far
 * above. The least of several measurements counts, so that a busy machine is not blamed on a text.
 */
const MOST_CPU_MS = 15;
const MEASUREMENTS = 3;

/** Texts that repeat what an expression repeats, reached by what it wants before, and fail at the end. */
function attacksOn(expression: RegExp, length: number): string[] {
  const samples = samplesOf(expression);
  const pumps = samples.flatMap((sample, at) => {
    const prefix = samples.slice(0, at).join('');
    const next = samples[at + 1] ?? '';
    const words = new Set([sample, sample + next, next + sample]);
    return [...words].flatMap((word) => {
      const pumped = word.repeat(Math.ceil(length / word.length));
      return [`${pumped}\u0000`, `${prefix}${pumped}\u0000`];
    });
  });
  return [...new Set(pumps)];
}

function cpuMs(expression: RegExp, text: string): number {
  const before = process.cpuUsage();
  if (expression.global) text.replaceAll(expression, '');
  else expression.exec(text);
  return process.cpuUsage(before).user / 1000;
}

/** The text that keeps the expression busy; undefined where none does. */
function findSlowText(expression: RegExp): string | undefined {
  for (const length of LENGTHS) {
    for (const text of attacksOn(expression, length)) {
      let least = Number.POSITIVE_INFINITY;
      for (let n = 0; n < MEASUREMENTS && least > MOST_CPU_MS; n += 1) {
        least = Math.min(least, cpuMs(expression, text));
      }
      if (least > MOST_CPU_MS) return `${JSON.stringify(text.slice(0, 60))}… of ${text.length}`;
    }
  }
  return undefined;
}

describe('regular expressions', () => {
  it.each([
    [/\/+$/, 'quadratic: a run of slashes is tried from each of them'],
    [/^(?:\w+\s?)*$/, 'exponential: two ways to take every character'],
    [/^gid:(?:a|a)*b/, 'exponential, behind a beginning'],
    [/\s+x\s+y/g, 'quadratic, wherever it stands'],
  ])('the search for slow ones finds %s', (expression) => {
    expect(findSlowText(expression)).toBeDefined();
  });

  it('take time by the length of what others wrote, never by its square', {
    timeout: 120_000,
  }, () => {
    const found = findExpressions(['shared', 'functions', 'widget']);
    expect(found.length).toBeGreaterThan(30);
    const slow = found.flatMap(({ place, expression }) => {
      const text = findSlowText(expression);
      return text === undefined ? [] : [`${place} ${expression} with ${text}`];
    });
    expect(slow).toEqual([]);
  });
});
