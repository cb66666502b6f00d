import { mergedInto } from '../../../shared/core/ledger/entry.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { storeCoupon } from '../../fixtures/store-entities.ts';
import { SHOP } from '../../support/in-process-connector.ts';
import { connectorScenario, workerOf, wrongIn } from './connector-scenario.ts';
import { ID, orderAt } from './refund-schedules.ts';

/** A discount with one code is announced and deleted, while two workers fan it out and send its code. */
export const fanOutScenario = connectorScenario((connector) => {
  const { store, loyalty, dead } = connector;
  const { discountId } = storeCoupon();
  const admin_graphql_api_id = `gid://shopify/DiscountCodeNode/${discountId}`;
  const at = (second: number) => `2026-10-09T11:00:0${second}.000Z`;
  const deliver = (topic: string, dated: object) => () =>
    connector.deliver({
      ...{ topic, payload: { admin_graphql_api_id, ...dated }, webhookId: topic },
    });
  let isDeleted = false;
  return {
    async prepare() {
      store.putCoupon(SHOP, storeCoupon({ updatedAt: at(0) }));
      await deliver('discounts/create', { updated_at: at(0) })();
    },
    outside: [
      {
        process: 'store',
        steps: [
          {
            what: 'deletes',
            act() {
              isDeleted = true;
              store.remove(SHOP, 'discount', discountId);
            },
          },
          { what: 'sends', act: deliver('discounts/delete', { deleted_at: at(1) }) },
        ],
      },
    ],
    inside: [1, 2].map((n) => workerOf(connector, 'coupons', `worker-${n}`)),
    state: () => isDeleted,
    judge() {
      const active = [...loyalty.rows.coupons.values()].filter((row) => row.isActive);
      return wrongIn([
        [active.length === 0, 'its code is active, and no store has it'],
        [dead.size === 0, `${dead.size} dead letters need a person`],
      ]);
    },
  };
});

const [GONE, KEPT] = [7_001, 7_002];

/**
 * Two customers are merged while an order of the one who is gone is on its way, as it was before. Noted before the
 * order arrives, the merge must send it for the kept customer.
 */
export const mergeScenario = connectorScenario(
  (connector) => {
    const { store, loyalty, ledger, dead } = connector;
    const customerOf = (id: number) => ({ id, email: `${id}@example.com`, first_name: 'Robin' });
    const { payload, order } = orderAt(1, 0);
    const pending = { fulfillment_status: null, fulfillments: [] };
    const asOf = (id: number) => ({ ...payload, ...pending, customer: customerOf(id) });
    const record = { shop: SHOP, kind: 'customer', id: String(GONE) } as const;
    let wasNoted = false;
    return {
      async prepare() {
        const customer = order.customer && { ...order.customer, id: String(KEPT) };
        store.putOrder(SHOP, { ...order, customer, fulfillmentStatus: undefined });
      },
      outside: [
        {
          process: 'merge',
          steps: [
            {
              what: 'arrives',
              act: () =>
                connector.deliver({
                  topic: 'customers/merge',
                  payload: {
                    admin_graphql_api_customer_kept_id: `gid://shopify/Customer/${KEPT}`,
                    admin_graphql_api_customer_deleted_id: `gid://shopify/Customer/${GONE}`,
                    status: 'completed',
                  },
                }),
            },
          ],
        },
        {
          process: 'order',
          steps: [
            {
              what: 'arrives',
              act() {
                wasNoted = mergedInto(ledger.entries.get(ledgerKeyText(record))) !== undefined;
                return connector.deliver({ topic: 'orders/updated', payload: asOf(GONE) });
              },
            },
          ],
        },
      ],
      inside: [
        workerOf(connector, 'coupons', 'worker of merges'),
        workerOf(connector, 'orders', 'worker of orders'),
        workerOf(connector, 'orders', 'another worker of orders'),
      ],
      state: () => wasNoted,
      judge() {
        const held = loyalty.rows.orders.get(ID);
        const holder = held && loyalty.rows.customers.get(held.customerId)?.OriginalId;
        const isNoted = mergedInto(ledger.entries.get(ledgerKeyText(record))) === String(KEPT);
        return wrongIn([
          [isNoted, 'the merge is not noted'],
          [held !== undefined, 'the order was not sent'],
          [!wasNoted || holder === String(KEPT), `the order is sent for ${holder}`],
          [dead.size === 0, `${dead.size} dead letters need a person`],
        ]);
      },
    };
  },
  { rules: { customers: 'from-sign-up' } },
);
