import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../local/sandbox-kit/seeded-random.ts';
import { inOrder, planDelivery } from '../../../local/store-sandbox/delivery/disorder.ts';
import { Outbox } from '../../../local/store-sandbox/delivery/sender.ts';
import { parseSearch } from '../../../local/store-sandbox/graphql/search-query.ts';

function drain<Item>(outbox: Outbox<Item>): Item[] {
  const items: Item[] = [];
  for (let item = outbox.take(true); item !== undefined; item = outbox.take(true)) items.push(item);
  return items;
}

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
        left.push(...drain(outbox));
        expect([...left].sort((a, b) => a - b)).toEqual(lateness.map((_, i) => i));
        left.forEach((item, place) => {
          const overtakenBy = left.slice(0, place).filter((other) => other > item).length;
          expect(overtakenBy).toBeLessThanOrEqual(lateness[item] ?? 0);
        });
      }),
    );
  });

  it('gives the same order at any time of taking the deliveries', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(8), { maxLength: 40 }), (lateness) => {
        const [eager, patient] = [new Outbox<number>(), new Outbox<number>()];
        const left: number[] = [];
        lateness.forEach((by, i) => {
          eager.add(i, by);
          patient.add(i, by);
          for (let item = eager.take(false); item !== undefined; item = eager.take(false))
            left.push(item);
        });
        expect([...left, ...drain(eager)]).toEqual(drain(patient));
      }),
    );
  });
});

describe('the plan of a delivery', () => {
  it('draws each kind of disorder with its own probability, independently of the others', () => {
    const count = 4_000;
    const draw = (disorder: Partial<typeof inOrder>) => {
      const random = seededRandom(3);
      return Array.from({ length: count }, () => planDelivery({ ...inOrder, ...disorder }, random));
    };
    const plans = draw({ drop: 0.2, duplicate: 0.5, oldSecret: 0.1, delay: 0.3 });
    const share = (test: (plan: (typeof plans)[number]) => boolean) =>
      plans.filter(test).length / count;
    expect(share(([first]) => first?.dropped === true)).toBeCloseTo(0.2, 1);
    expect(share(({ length }) => length === 2)).toBeCloseTo(0.5, 1);
    expect(share(([first]) => first?.secret === 'previous')).toBeCloseTo(0.1, 1);
    expect(share(([first]) => (first?.delayMs ?? 0) > 0)).toBeCloseTo(0.3, 1);
    expect(draw({ drop: 0.2 }).map(([first]) => first?.dropped)).toEqual(
      plans.map(([first]) => first?.dropped),
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
    '-status:closed',
    'NOT status:closed',
    'status:closed OR id:50',
    '(status:closed OR id:50) AND name:1001',
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
    '-id:50',
    'status:open AND id:51',
    'status:closed OR id:51',
    '(status:open OR id:50) AND name:1002',
    "updated_at:>'2026-10-05T09:00:00Z'",
    'nobody@example.com',
    'title:shirt',
  ])('does not find it with %j', (query) => {
    expect(fits(query)).toBe(false);
  });

  it.each(['(((', ')', '"open', "'", ':', 'a:', '-', 'OR OR', 'AND', '\\'])(
    'survives %j',
    (query) => {
      expect(typeof fits(query)).toBe('boolean');
    },
  );

  it('reads operators inside quotes as text', () => {
    const code = 'A "quoted" (code) OR not\\';
    const query = `"${code.replace(/["\\]/g, '\\$&')}"`;
    const match = parseSearch(query);
    expect(match((field) => (field === 'text' ? code : undefined))).toBe(true);
    expect(match((field) => (field === 'text' ? 'not' : undefined))).toBe(false);
  });
});
