import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outbox } from '../../../local/store-sandbox/delivery/sender.ts';
import { parseSearch } from '../../../local/store-sandbox/graphql/search-query.ts';

describe('the outbox', () => {
  it('never loses a delivery, and keeps the limit of overtaking', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(8), { maxLength: 40 }), (lateness) => {
        const outbox = new Outbox<number>();
        const left: number[] = [];
        lateness.forEach((by, i) => {
          outbox.add(i, by);
          for (let item = outbox.take(false); item !== undefined; item = outbox.take(false))
            left.push(item);
        });
        for (let item = outbox.take(true); item !== undefined; item = outbox.take(true))
          left.push(item);
        expect([...left].sort((a, b) => a - b)).toEqual(lateness.map((_, i) => i));
        left.forEach((item, place) => {
          const overtakenBy = left.slice(0, place).filter((other) => other > item).length;
          expect(overtakenBy).toBeLessThanOrEqual(lateness[item] ?? 0);
        });
      }),
    );
  });
});

const row: Readonly<Record<string, string | number | readonly string[]>> = {
  id: 50,
  name: ['#1001', '1001'],
  status: 'open',
  updated_at: '2026-10-05T09:00:00Z',
  text: ['#1001', 'robin@example.com'],
  title: 'Linen Shirt',
};
const fits = (query: string) => parseSearch(query)((field) => row[field]);

describe('a search', () => {
  it.each([
    '',
    '  ',
    'id:50',
    'id:>49 id:<51',
    'id:>=50 AND id:<=50',
    'status:OPEN',
    'status:closed OR id:50',
    "updated_at:>='2026-10-05T11:00:00+02:00'",
    'updated_at:<"2026-10-05T09:00:01Z"',
    'title:"linen shirt"',
    'title:lin*',
    '#1001',
    '"robin@example.com"',
    'something_unknown:5',
    'id:*',
  ])('finds the row with %j', (query) => {
    expect(fits(query)).toBe(true);
  });

  it.each([
    'id:51',
    'id:>50',
    'status:open AND id:51',
    'status:closed OR id:51',
    "updated_at:>'2026-10-05T09:00:00Z'",
    'nobody@example.com',
    'title:shirt',
  ])('does not find it with %j', (query) => {
    expect(fits(query)).toBe(false);
  });

  it.each(['"open', "'", ':', 'a:', 'OR OR', 'AND', '\\'])('survives %j', (query) => {
    expect(typeof fits(query)).toBe('boolean');
  });

  it.each(['-id:50', 'NOT id:50', '(id:50 OR id:51)'])('refuses %j', (query) => {
    expect(() => fits(query)).toThrow('searches without');
  });

  it('reads operators inside quotes as text', () => {
    const code = 'A "quoted" (code) OR not\\';
    const query = `"${code.replace(/["\\]/g, '\\$&')}"`;
    const match = parseSearch(query);
    expect(match((field) => (field === 'text' ? code : undefined))).toBe(true);
    expect(match((field) => (field === 'text' ? 'not' : undefined))).toBe(false);
  });
});
