import { buildOrder } from '../../fixtures/order-payload.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';

/** A completed order with taxes, which do not count: its amount came about in several steps. */
export const { payload: orderPayload } = buildOrder({
  ...{ ...simpleOrder, taxPercent: 19, taxesIncluded: true, fulfilledAfterDays: 1 },
});
