import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { defaultRules } from '../../../../shared/config/mapping-settings.ts';
import { mapOrder, rulesRevision } from '../../../../shared/core/mapping/map-order.ts';
import { idempotencyKey } from '../../../../shared/core/mapping/wanted-state.ts';
import { orderAt, orderLife, storeOrderOf } from '../../../fixtures/order-life.ts';
import { neverSent } from '../../../fixtures/store-entities.ts';

/**
 * If the second value changes, the mapping sends the same order differently. Raise the number in
 * rules-revision.ts, so that the next deep walk does not send all orders again, and write both values here.
 */
it('the same orders are mapped the same, or the revision of the rules changes', () => {
  const line = { priceCents: 5990, quantity: 2, discountCents: 590 };
  const others = [
    orderAt(1, { taxPercent: 20, taxesIncluded: true, fulfilledAfterDays: 2 }),
    orderAt(2, { taxPercent: 8, shippingCents: 900, tipCents: 300, fulfilledAfterDays: 1 }),
    orderAt(3, { amountRefundedCents: 1000, fulfilledAfterDays: 1 }),
    orderAt(4, { lines: [{ product: 1, takenBack: 1, ...line }], fulfilledAfterDays: 1 }),
    orderAt(5, { cancelledAfterDays: 1 }),
  ];
  const rules = { ...defaultRules, pendingOrders: 'send' } as const;
  const keys = [...orderLife.map(({ payload }) => payload), ...others].map((payload) => {
    const mapped = mapOrder(storeOrderOf(payload), rules, neverSent);
    return mapped.kind === 'wanted' ? idempotencyKey(mapped.wanted) : mapped.kind;
  });
  const hash = createHash('sha256').update(keys.join()).digest('base64url');
  expect([rulesRevision(defaultRules), hash]).toEqual([
    'ar6IeQRpboZO',
    'm2saHYJPhXlkk8ilsn4nkWDkfbAM4ogwZ90TC-C0XEc',
  ]);
});
