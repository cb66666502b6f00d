import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import { Journal } from '../../../local/loyalty-sandbox/journal.ts';
import { RateLimit } from '../../../local/loyalty-sandbox/service.ts';
import { Faults } from '../../../local/sandbox-kit/faults.ts';
import { html } from '../../../local/sandbox-kit/pages/html.ts';
import { seededRandom } from '../../../local/sandbox-kit/seeded-random.ts';
import { Tables } from '../../../local/sandbox-kit/tables.ts';

describe('a fault rule from outside', () => {
  const operations = ['sendOrder', 'getCustomer'] as const;

  it('never throws, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (value) => {
        expect(['rule', 'wrong']).toContain(readFaultRule(value, operations).kind);
      }),
    );
    const kind = fc.constantFrom('latency', 'outage', 'http-429', '__proto__', 'toString');
    fc.assert(
      fc.property(fc.record({ kind, ms: fc.anything(), count: fc.anything() }), (value) => {
        expect(['rule', 'wrong']).toContain(readFaultRule(value, operations).kind);
      }),
    );
  });

  it.each([
    [{ kind: 'latency' }, 'ms is missing'],
    [{ kind: 'latency', ms: 1.5 }, 'ms must be'],
    [{ kind: 'business-error' }, 'code is missing'],
    [{ kind: 'business-error', code: 121 }, 'code must be a whole number from 0 to 120'],
    [{ kind: 'not-json', status: 404 }, 'status must be 200 or 502'],
    [{ kind: 'http-500', ms: 1 }, 'ms is not a member of http-500'],
    [{ kind: 'outage', count: 1 }, 'count is not a member of outage'],
    [
      { kind: 'http-500', operation: 'toString' },
      'operation must be * or one of sendOrder, getCustomer',
    ],
    [{ kind: 'http-500', probability: Number.NaN }, 'probability must be'],
    [{ kind: 'explosion' }, 'kind must be one of latency'],
    [[], 'JSON object'],
  ])('%j is refused in words', (value, words) => {
    const reading = readFaultRule(value, operations);
    expect(reading.kind === 'wrong' && reading.problems.join(' ')).toContain(words);
  });

  it('throws in code with all that is wrong', () => {
    const faults = new Faults(
      () => 0,
      (rule) => readFaultRule(rule, operations),
    );
    expect(() => faults.add({ kind: 'latency', ms: -1, count: 0 })).toThrow(/ms must.*count must/);
  });
});

describe('the bound of the journal', () => {
  it('keeps the latest calls, in order, and counts the others', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.nat(60),
        fc.nat(60),
        (limit, before, after) => {
          const tables = new Tables();
          const add = (journal: Journal, times: number) => {
            for (let i = 0; i < times; i++) {
              journal.add({ at: '', method: 'GET', path: '/', durationMs: 0 });
            }
          };
          add(new Journal(tables, 1000), before);
          const journal = new Journal(tables, limit);
          add(journal, after);
          const kept = Math.min(limit, before + after);
          const numbers = journal.entries().map(({ n }) => n);
          expect(numbers).toEqual(
            Array.from({ length: kept }, (_, i) => before + after - kept + i + 1),
          );
          expect(journal.dropped).toBe(before + after - kept);
          journal.clear();
          expect([journal.size, journal.dropped]).toEqual([0, 0]);
        },
      ),
    );
  });
});

describe('the rate limit', () => {
  it('never lets more pass than a full second and what has flowed in since', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), pauses, (perSecond, waits) => {
        const limit = new RateLimit(perSecond);
        let nowMs = 0;
        let passed = 0;
        for (const wait of waits) {
          nowMs += wait;
          const afterSeconds = limit.take(nowMs);
          if (afterSeconds === undefined) passed++;
          else expect(afterSeconds).toBeGreaterThanOrEqual(1);
          expect(passed).toBeLessThanOrEqual(perSecond + (nowMs / 1000) * perSecond + 1e-6);
        }
      }),
    );
  });

  it('is off at 0, and lets a call pass after the time it stated', () => {
    const off = new RateLimit(0);
    for (let i = 0; i < 1000; i++) expect(off.take(0)).toBeUndefined();
    const slow = new RateLimit(0.1);
    expect(slow.take(0)).toBeUndefined();
    expect(slow.take(0)).toBe(10);
    expect(slow.take(10_000)).toBeUndefined();
  });
});

describe('HTML', () => {
  it('never lets text out of its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { text: page } = html`<p title="${text}">${[text]}</p>`;
        const [, title = '', content = ''] = /^<p title="([^"]*)">([^<]*)<\/p>$/s.exec(page) ?? [];
        const decoded = (part: string) =>
          part
            .replaceAll('&lt;', '<')
            .replaceAll('&gt;', '>')
            .replaceAll('&quot;', '"')
            .replaceAll('&#39;', "'")
            .replaceAll('&amp;', '&');
        expect([decoded(title), decoded(content)]).toEqual([text, text]);
        expect(title).not.toMatch(/['<>]/);
      }),
    );
  });
});

describe('seeded randomness', () => {
  it('is the same for the same seed and stays from 0 up to 1', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const [one, other] = [seededRandom(seed), seededRandom(seed)];
        for (let i = 0; i < 50; i++) {
          const value = one();
          expect(other()).toBe(value);
          expect(value >= 0 && value < 1).toBe(true);
        }
      }),
    );
  });

  it('is even, for neighbouring seeds and in one run', () => {
    const evenness = (values: readonly number[]) => {
      const counts = Array<number>(10).fill(0);
      for (const value of values)
        counts[Math.floor(value * 10)] = (counts[Math.floor(value * 10)] ?? 0) + 1;
      return Math.max(...counts) / Math.min(...counts);
    };
    const random = seededRandom(42);
    expect(evenness(Array.from({ length: 20_000 }, random))).toBeLessThan(1.2);
    expect(
      evenness(Array.from({ length: 20_000 }, (_, seed) => seededRandom(seed)())),
    ).toBeLessThan(1.2);
  });
});
