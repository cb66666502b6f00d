import type { LoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import type { OrderRow, StoreRows } from '../../../local/store-sandbox/model/rows.ts';

/**
 * What is left of what the customer paid: goods less refunds. Right only for orders without taxes, shipping, tips and
 * gift cards, which the tests here do not make.
 */
export function keptAmount({ transactions }: Pick<OrderRow, 'transactions'>): number {
  const sum = (...kinds: readonly string[]) =>
    transactions
      .filter(({ kind, status }) => status === 'success' && kinds.includes(kind))
      .reduce((total, { minor }) => total + minor, 0);
  return (sum('sale', 'capture') - sum('refund')) / 100;
}

/** One point for each unit of the currency; none until the order is shipped, and none after its cancellation. */
const pointsOf = (order: OrderRow): number =>
  order.cancelledAt !== null || order.fulfillments.length === 0 ? 0 : keptAmount(order);

type Points = Readonly<Record<string, number>>;

/** What each customer of the store must have, if these orders count. */
export function wantedPoints(
  { customers, orders }: Pick<StoreRows, 'customers' | 'orders'>,
  counts: (order: OrderRow) => boolean,
): Points {
  const wanted = new Map([...customers.values()].map(({ id }) => [id, 0]));
  for (const order of orders.values()) {
    if (order.customerId === null || !counts(order)) continue;
    wanted.set(order.customerId, (wanted.get(order.customerId) ?? 0) + pointsOf(order));
  }
  return Object.fromEntries(wanted);
}

/** What each customer of the store has in the loyalty service. */
export function heldPoints(
  { customers }: Pick<StoreRows, 'customers'>,
  loyalty: Pick<LoyaltySandbox, 'state'>,
): Points {
  const held = new Map(loyalty.state().customers.map((one) => [one.OriginalId, one.points]));
  return Object.fromEntries([...customers.values()].map(({ id }) => [id, held.get(id) ?? 0]));
}
