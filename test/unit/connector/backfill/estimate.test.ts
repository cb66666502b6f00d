import { describe, expect, it } from 'vitest';
import { leftOf } from '../../../../scripts/connector/backfill/pace.ts';

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
