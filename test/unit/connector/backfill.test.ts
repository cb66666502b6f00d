import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createPace,
  estimate,
  leftOf,
  longSpan,
} from '../../../scripts/connector/backfill/pace.ts';
import { packEntries } from '../../../shared/aws/sqs-event-queue.ts';

describe('what is left of a backfill', () => {
  it('is all that the store counts, while none was begun', () => {
    expect(leftOf(25, undefined)).toBe(25);
  });

  it('is less what was sent and what could not be read', () => {
    const begun = { kind: 'orders', total: 30, sent: 20, unreadable: 1 } as const;
    expect(leftOf(31, begun)).toBe(9);
    expect(leftOf(5, { kind: 'orders', sent: 20, unreadable: 0 })).toBe(0);
  });

  it('of discounts goes by the codes in the file, not by the discounts in the store', () => {
    const begun = { kind: 'discounts', total: 5_000, sent: 1_000, unreadable: 0 } as const;
    expect(leftOf(3, begun)).toBe(4_000);
    expect(leftOf(3, { kind: 'discounts', sent: 0, unreadable: 0 })).toBe(3);
  });
});

describe('the pace of a backfill', () => {
  it('never exceeds its rate by more than one window, however its sends are timed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.record({ lateMs: fc.nat({ max: 5_000 }), count: fc.nat({ max: 100 }) })),
        (rate, sends) => {
          const pace = createPace(rate);
          let nowMs = 0;
          let sent = 0;
          let last = 0;
          for (const { lateMs, count } of sends) {
            nowMs += lateMs;
            nowMs += pace.before(count, nowMs);
            expect(sent - last).toBeLessThanOrEqual((rate * nowMs) / 1000 + 0.001);
            sent += count;
            last = count;
          }
        },
      ),
    );
  });

  it('does not make up for time in which nothing could be sent', () => {
    const pace = createPace(10);
    expect(pace.before(10, 0)).toBe(0);
    expect(pace.before(10, 60_000)).toBe(0);
    expect(pace.before(10, 60_000)).toBe(1_000);
  });

  it('sends a second’s worth in one go, and never more than a hundred', () => {
    expect(createPace(1).window).toBe(1);
    expect(createPace(10).window).toBe(10);
    expect(createPace(1_000).window).toBe(100);
  });
});

describe('the estimate', () => {
  it('counts calls and time', () => {
    expect(estimate(100_000, 10)).toMatchObject({
      queueRequests: 10_000,
      loyaltyCalls: 100_000,
      seconds: 10_000,
    });
    expect(longSpan(10_000)).toBe('2 h 46 min');
    expect(longSpan(59)).toBe('59 s');
    expect(longSpan(3_600)).toBe('1 h');
    expect(longSpan(200_000)).toBe('2 d 7 h');
  });
});

describe('the requests to the queue', () => {
  it('hold ten messages and a megabyte at most, every message once and in order', () => {
    const anyEntries = fc.array(fc.integer({ min: 1, max: 999_999 }), { maxLength: 60 });
    fc.assert(
      fc.property(anyEntries, (sizes) => {
        const entries = sizes.map((length) => ({ MessageBody: { length } as unknown as string }));
        const packs = packEntries(entries);
        expect(packs.flat()).toEqual(entries);
        for (const pack of packs) {
          expect(pack.length).toBeGreaterThan(0);
          expect(pack.length).toBeLessThanOrEqual(10);
          const bytes = pack.reduce((sum, { MessageBody: { length } }) => sum + length, 0);
          expect(bytes).toBeLessThanOrEqual(1_000_000);
        }
      }),
    );
  });
});
