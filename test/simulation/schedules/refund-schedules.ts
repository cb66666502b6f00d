import { amountHeld } from '../../../local/harness/held-order.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { lineOf, simpleOrder } from '../../fixtures/order-spec.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import { SHOP } from '../../support/in-process-connector.ts';
import { connectorScenario, type Plot, workerOf, wrongIn } from './connector-scenario.ts';

export interface RefundStory {
  /** How many of five units of 10.00 are given back after each change. */
  readonly takenBack: readonly number[];
  /** How many units the last change adds. */
  readonly added?: number;
  /** The last change cancels the order. */
  readonly isCancelled?: boolean;
  /** Invocations that the search interleaves; later ones run when all else has ended. */
  readonly workers: number;
}

export const ID = '5512345678901';
export const UNIT = 10;
export const UNITS = 5;

/**
 * A completed order was sent; then refunds follow, whose webhooks arrive in any order, and workers take what
 * has arrived. What the service holds must be what the store says, with the points that it is worth.
 */
export const refundScenario = (story: RefundStory) =>
  connectorScenario((connector) => refundPlot(story, connector), {
    assumptions: { raiseAfterPartialCancel: 'send-gross' },
  });

type Connector = Parameters<Parameters<typeof connectorScenario>[0]>[0];

function refundPlot(
  { takenBack, added = 0, isCancelled = false, workers }: RefundStory,
  { store, loyalty, dead, ...connector }: Connector,
): Plot & { readonly happen: (index: number) => Promise<void> } {
  const moments = [0, ...takenBack].map((taken, index) => {
    const isLast = index === takenBack.length;
    return orderAt(index, taken, isCancelled && isLast, isLast ? UNITS + added : UNITS);
  });
  let changes = 0;
  const change = (index: number) => {
    changes = index;
    store.putOrder(SHOP, (moments[index] ?? moments[0])?.order ?? storeOrder());
  };
  const deliver = (index: number) =>
    connector.deliver({
      ...{ topic: 'orders/updated', payload: moments[index]?.payload },
      webhookId: `change-${index}`,
    });
  const happen = async (index: number): Promise<void> => {
    change(index);
    await deliver(index);
  };
  const later = [...moments.keys()].slice(1);
  return {
    happen,
    async prepare() {
      await happen(0);
      await connector.work('orders');
    },
    outside: [
      {
        process: 'store',
        steps: later.map((index) => ({ what: 'changes', act: () => change(index) })),
      },
      // Each change sends a webhook, which may arrive after those of later changes.
      ...later.map((index) => ({
        process: `webhook-${index}`,
        steps: [{ what: 'arrives', act: () => deliver(index), when: () => changes >= index }],
      })),
    ],
    inside: Array.from({ length: workers }, (_, index) =>
      workerOf(connector, 'orders', `worker-${index + 1}`),
    ),
    state: () => changes,
    judge() {
      const held = loyalty.rows.orders.get(ID);
      const left = isCancelled ? 0 : (UNITS + added - (takenBack.at(-1) ?? 0)) * UNIT;
      const amount = held && amountHeld(held);
      const points = [...loyalty.rows.points.values()].reduce(
        (sum, { pointsHundredths }) => sum + pointsHundredths,
        0,
      );
      return wrongIn([
        [dead.size === 0, `${dead.size} dead letters need a person`],
        [!isCancelled || held?.IsCancelledOrReturned === true, 'it is not cancelled'],
        [isCancelled || amount === left, `the service holds ${amount} and not ${left}`],
        [points === left * 100, `${points / 100} points for ${left}`],
      ]);
    },
  };
}

export function orderAt(second: number, takenBack: number, isCancelled = false, quantity = UNITS) {
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  const line = lineOf(UNIT * 100, { quantity, takenBack });
  const spec = { ...simpleOrder, fulfilledAfterDays: 1, lines: [line] };
  const changes = { updated_at, ...(isCancelled && { cancelled_at: updated_at }) };
  return { payload: buildOrder(spec, changes).payload, order: storeOrder(spec, changes) };
}
