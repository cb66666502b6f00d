import { describe, expect, it } from 'vitest';
import { compareSides, heldIn } from '../../../scripts/connector/compare/compare-sides.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { transportFailure } from '../../../shared/loyalty/result.ts';
import { neverSent, rules, storeOrder } from '../../fixtures/store-entities.ts';

const order = storeOrder();
const mapped = mapOrder(order, rules, neverSent);
const assumptions = { readTotals: 'as-sent' } as const;

describe('the comparison of one order', () => {
  it.each([
    ['EUR', 12.5, '12.50'],
    ['BHD', 12.345, '12.345'],
    ['JPY', 1250, '1250'],
  ])('shows amounts with the decimals of their currency: %s', (currency, total, text) => {
    const held = { kind: 'order', order: { OriginalId: order.id, OrderTotal: total } } as const;
    const { rows } = compareSides(order.id, mapped, undefined, held, assumptions, currency);
    expect(rows.find(({ field }) => field === 'amount')?.service).toBe(text);
  });

  it.each([
    ['as it was sent', 'as-sent', 50],
    ['less what was taken back', 'less-partial-cancels', 30],
  ] as const)(
    'agrees after a refund where the service shows the total %s',
    (_, readTotals, total) => {
      const refunded = storeOrder({ amountRefundedCents: 2_000, fulfilledAfterDays: 1 });
      const entry = {
        ...{ version: 1, uncertain: false, outcomes: [], revision: 1, appliedKey: 'key' },
        amounts: { sent: { total: 50_000, products: [], completedAt: '' }, taken: 20_000 },
      };
      const held = {
        kind: 'order',
        order: { OriginalId: order.id, OrderTotal: total, IsCompleted: true, State: 2 },
      } as const;
      const back = mapOrder(refunded, rules, neverSent);
      const compared = compareSides(order.id, back, entry, held, { readTotals }, 'EUR');
      expect(compared.verdict).toBe('same');
      expect(compared.rows.find(({ field }) => field === 'amount')).toMatchObject({
        ...{ store: '30.00', ledger: '30.00', service: '30.00', differs: false },
      });
    },
  );

  it('takes HTTP 404 for an absent order', () => {
    const message = 'HTTP 404.';
    const getOrder = transportFailure('not-found', { mayHaveHappened: false, message });
    expect(heldIn({ getOrder })).toEqual({ kind: 'absent' });
  });
});
