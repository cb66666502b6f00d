import { amountHeld } from '../../../local/harness/held-order.ts';
import { changeControl, wentLive } from '../../../shared/core/calls/shop-pause.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { type openConnector, SHOP } from '../../support/in-process-connector.ts';
import { connectorScenario, workerOf, wrongIn } from './connector-scenario.ts';
import { orderAt } from './refund-schedules.ts';

/** Under which id the other integration sends an order. */
const ELSEWHERE = '1001';
const WORTH = 50;
const REFUNDED = 20;

/**
 * An order is placed, and later refunded, around go-live. Another integration may send it before it is switched off,
 * a worker may have it in hand at any of these moments, and its webhooks may arrive before or after. In the end it
 * counts once, and what the store says.
 */
export const goLiveScenario = connectorScenario((connector) => {
  const { store, loyalty, clock, ledger, dead } = connector;
  connector.changeMode('observe');
  const [placed, refunded] = [orderAt(1, 0), orderAt(2, REFUNDED / 10)];
  const at = { placed: false, polled: false, off: false, live: false, refunded: false };
  const deliver = ({ payload }: ReturnType<typeof orderAt>, webhookId: string) =>
    connector.deliver({ topic: 'orders/updated', payload, webhookId });
  return {
    // The scheduled run of an observed shop, which comes within the hour.
    prepare: () => connector.reconcile(),
    outside: [
      {
        process: 'store',
        steps: [
          {
            what: 'has an order',
            act: async () => {
              at.placed = true;
              store.putOrder(SHOP, placed.order);
              await deliver(placed, 'placed');
            },
          },
          {
            what: 'refunds a part',
            // What the other integration does with a refund is not ours to promise.
            when: () => at.live,
            act: async () => {
              at.refunded = true;
              store.putOrder(SHOP, refunded.order);
              await deliver(refunded, 'refunded');
            },
          },
        ],
      },
      {
        process: 'other integration',
        steps: [
          {
            what: 'polls',
            act: () => {
              at.polled = at.placed;
            },
          },
          {
            what: 'sends',
            act: async () => {
              if (at.polled) await sendElsewhere(loyalty, placed.order, WORTH);
            },
          },
          {
            what: 'is switched off',
            act: () => {
              at.off = true;
            },
          },
        ],
      },
      {
        process: 'operator',
        steps: [
          { what: 'deploys', act: () => connector.changeMode('live') },
          {
            what: 'goes live',
            when: () => at.off,
            act: async () => {
              at.live = true;
              await changeControl(ledger, SHOP, (one) => wentLive(one, 0, new Date(clock.ms)));
            },
          },
        ],
      },
    ],
    inside: [1, 2].map((number) => workerOf(connector, 'orders', `worker-${number}`)),
    state: () => Object.values(at),
    async settle() {
      await connector.drain();
      clock.ms += 3_600_000;
      await connector.reconcile({ deep: true });
    },
    judge() {
      const held = [...loyalty.rows.orders.values()];
      const left = WORTH - REFUNDED;
      const sum = held.reduce((total, one) => total + amountHeld(one), 0);
      const points = [...loyalty.rows.points.values()].reduce(
        (total, { pointsHundredths }) => total + pointsHundredths,
        0,
      );
      return wrongIn([
        [dead.size === 0, `${dead.size} dead letters need a person`],
        [held.length === 1, `the service holds ${held.length} orders for one`],
        [sum === left, `the service holds ${sum} and not ${left}`],
        [points === left * 100, `${points / 100} points for ${left}`],
      ]);
    },
  };
});

/** What another integration does. */
export async function sendElsewhere(
  { client }: Pick<ReturnType<typeof openConnector>['loyalty'], 'client'>,
  { placedAt, fulfilledAt, updatedAt, customer }: StoreOrder,
  OrderTotal: number,
): Promise<void> {
  const sent = await client.sendOrder({
    OriginalId: ELSEWHERE,
    OrderPlacementDate: placedAt,
    OrderCompletedDate: fulfilledAt ?? placedAt,
    OrderCancelledDate: null,
    ...{ OrderStatus: 'paid', IsCancelledOrReturned: false, IsCompleted: true },
    ...{ OrderTotal, UpdatedDate: updatedAt },
    Customer: { OriginalId: customer?.id ?? '', Email: 'someone@example.com' },
  });
  if (sent.kind !== 'success') throw new Error('the service did not take the order');
}
