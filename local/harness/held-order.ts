import { type ServiceOrder, toThousandths } from '../../shared/core/ledger/ledger.ts';
import type { KnownBefore } from '../../shared/core/mapping/wanted-state.ts';
import { fromHundredths, toHundredths } from '../loyalty-sandbox/program/hundredths.ts';
import { refundedOf } from '../loyalty-sandbox/program/order-points.ts';
import type { OrderRow } from '../loyalty-sandbox/program/rows.ts';

type Held = Pick<OrderRow, 'IsCompleted' | 'OrderCompletedDate' | 'OrderTotal' | 'partialCancels'>;

/** What the mapping would know of an order that the loyalty service holds. */
export function knownFrom(held: Held | undefined): KnownBefore {
  const completedAt = held?.IsCompleted ? held.OrderCompletedDate : null;
  const service: ServiceOrder | undefined = held && {
    ...(completedAt !== null && { completedAt }),
    total: toThousandths(held.OrderTotal),
    products: [],
    taken: toThousandths(fromHundredths(refundedOf(held))),
  };
  return { known: held !== undefined, remembered: undefined, service };
}

/** What is left of its total after the partial cancels. */
export function amountHeld(held: Pick<OrderRow, 'OrderTotal' | 'partialCancels'>): number {
  return fromHundredths(toHundredths(held.OrderTotal) - refundedOf(held));
}
