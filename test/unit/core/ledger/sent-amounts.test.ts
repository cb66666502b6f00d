import { describe, expect, it } from 'vitest';
import { readAmounts } from '../../../../shared/core/ledger/sent-amounts.ts';

const sent = { total: 5000, products: [['7', 5000, 0]], completedAt: '2026-10-09T11:00:00Z' };
const step = { key: 'k', value: 100, products: [['7', 100]] };

describe('the amounts of a ledger entry', () => {
  it.each([
    [{ sent, taken: 0 }],
    [{ sent: { ...sent, rest: 'hash', products: [] }, taken: 100, step }],
    [{ sent, taken: 0, step: { ...step, products: [] } }],
  ])('are read as they were written: %j', (value) => {
    expect(readAmounts(value)).toBe(value);
  });

  // An amount that is misread takes points from a customer: then the service is asked instead.
  it.each([
    [undefined],
    [{ taken: 0 }],
    [{ sent }],
    [{ sent, taken: 0.5 }],
    [{ sent: { ...sent, total: '5000' }, taken: 0 }],
    [{ sent: { ...sent, completedAt: 7 }, taken: 0 }],
    [{ sent: { ...sent, rest: 7 }, taken: 0 }],
    [{ sent: { ...sent, products: {} }, taken: 0 }],
    [{ sent: { ...sent, products: ['7'] }, taken: 0 }],
    [{ sent: { ...sent, products: [['7', 5000]] }, taken: 0 }],
    [{ sent: { ...sent, products: [['7', 5000, 0.5]] }, taken: 0 }],
    [{ sent: { ...sent, products: [...sent.products, ['8', 'x', 0]] }, taken: 0 }],
    [{ sent, taken: 0, step: { ...step, key: 7 } }],
    [{ sent, taken: 0, step: { ...step, value: '100' } }],
    [{ sent, taken: 0, step: { ...step, products: [['7', 100, 0]] } }],
    [{ sent, taken: 0, step: { ...step, products: undefined } }],
  ])('are unknown in any other form: %j', (value) => {
    expect(readAmounts(value)).toBeUndefined();
  });
});
