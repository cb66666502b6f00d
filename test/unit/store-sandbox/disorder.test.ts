import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../local/sandbox-kit/seeded-random.ts';
import { inOrder, planDelivery } from '../../../local/store-sandbox/delivery/disorder.ts';
import { Outbox } from '../../../local/store-sandbox/delivery/outbox.ts';

function drain<Item>(outbox: Outbox<Item>): Item[] {
  const items: Item[] = [];
  for (let item = outbox.take(true); item !== undefined; item = outbox.take(true)) items.push(item);
  return items;
}

describe('the outbox', () => {
  it('keeps the order where nothing may be overtaken, and lets everything go at once', () => {
    const outbox = new Outbox<number>();
    for (const n of [1, 2, 3]) outbox.add(n, 0);
    expect([outbox.take(false), outbox.take(false), outbox.take(false)]).toEqual([1, 2, 3]);
  });

  it('never loses one, and lets none be overtaken by more than it may', () => {
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

  it('gives the same order however early the deliveries are taken', () => {
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
  it('is plain without disorder', () => {
    const random = seededRandom(7);
    for (let i = 0; i < 100; i += 1) {
      expect(planDelivery(inOrder, random)).toEqual([
        { overtakenBy: 0, delayMs: 0, dropped: false, secret: 'current', isCopy: false },
      ]);
    }
  });

  it('draws each kind of disorder as often as asked, and independently of the others', () => {
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
