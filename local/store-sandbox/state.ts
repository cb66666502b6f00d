import { discountStatus } from './model/discounts.ts';
import { financialStatus, fulfillmentStatus, orderTotals } from './model/order-totals.ts';
import type { StoreService } from './service.ts';

/** The whole state of the store, except the deliveries. */
export type State = ReturnType<typeof describeState>;

export function describeState({ world, subscriptions, faults, disorder }: StoreService) {
  const { rows, now, shop } = world;
  return {
    shop,
    now: now().toISOString(),
    orders: [...rows.orders.values()].map((order) => ({
      ...order,
      financialStatus: financialStatus(order),
      fulfillmentStatus: fulfillmentStatus(order),
      totals: orderTotals(order),
    })),
    products: [...rows.products.values()],
    discounts: [...rows.discounts.values()].map((discount) => ({
      ...discount,
      status: discountStatus(discount, now()),
    })),
    codes: [...rows.codes.values()],
    rollouts: [...rows.rollouts.values()],
    customers: [...rows.customers.values()],
    storeCreditAccounts: [...rows.storeCreditAccounts.values()],
    storeCreditTransactions: [...rows.storeCreditTransactions.values()],
    metafields: [...rows.metafields.values()],
    metafieldDefinitions: [...rows.metafieldDefinitions.values()],
    locations: [...rows.locations.values()],
    staff: [...rows.staff.values()],
    triggers: [...rows.triggers.values()],
    subscriptions: [...subscriptions.values()],
    disorder,
    faults: faults.list(),
  };
}
