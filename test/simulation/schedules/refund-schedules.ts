import { amountHeld } from '../../../local/harness/held-order.ts';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { type LineSpec, simpleOrder } from '../../fixtures/order-spec.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import type { Scenario } from './explore.ts';
import type { Scheduler } from './scheduler.ts';
import { createWatch } from './watch-calls.ts';

export interface RefundStory {
  /** How many of five units of 10.00 are given back after each change. */
  readonly takenBack: readonly number[];
  /** The last change cancels the order. */
  readonly isCancelled?: boolean;
  /** Invocations that the search interleaves; later ones run when all else has ended. */
  readonly workers: number;
}

const ID = '5512345678901';
const UNIT = 10;
const UNITS = 5;
const LINE: LineSpec = {
  ...{ product: 1, priceCents: UNIT * 100, quantity: UNITS, discountCents: 0, takenBack: 0 },
};
/** Longer than the visibility time-out of the queue, and than a late call may take. */
const PASS_MS = 31_000;

/**
 * A completed order was sent; then refunds follow, whose webhooks arrive in any order, and workers take what
 * has arrived. What the service holds must be what the store says, with the points that it is worth.
 */
export function refundScenario(story: RefundStory) {
  return (scheduler: Scheduler): Scenario => {
    const connector = openConnector();
    const { clock, queues, loyalty, dead, store } = connector;
    const payloads: unknown[] = [];
    const moments = story.takenBack.map((takenBack, index) => {
      const isLast = index === story.takenBack.length - 1;
      return orderAt(index + 1, takenBack, isLast && story.isCancelled === true);
    });
    const workers = Array.from({ length: story.workers }, (_, index) => `worker-${index + 1}`);

    async function begin(): Promise<void> {
      change(orderAt(0, 0, false));
      await deliver(0);
      await connector.work('orders');
      void liveInStore();
      for (const worker of workers) void runWorker(worker);
      void passTime();
    }

    /** Each change sends a webhook, which may arrive after those of later changes. */
    async function liveInStore(): Promise<void> {
      for (const [index, moment] of moments.entries()) {
        await scheduler.call('store', 'changes', async () => change(moment), { canDie: false });
        const process = `webhook-${index + 1}`;
        void scheduler.call(process, 'arrives', () => deliver(index + 1), { canDie: false });
      }
    }

    function change(moment: Moment): void {
      payloads.push(moment.payload);
      store.putOrder(SHOP, moment.order);
    }

    const deliver = (index: number) =>
      connector.deliver({
        topic: 'orders/updated',
        payload: payloads[index],
        webhookId: `change-${index}`,
      });

    async function runWorker(process: string): Promise<void> {
      const when = () => queues.orders.size > queues.orders.hidden;
      await scheduler.call(process, 'begins', async () => {}, { when, canDie: false });
      await connector.work('orders', { watch: watchAs(scheduler, process) });
    }

    /** Once: what a dead worker had becomes visible again. No worker lives so long. */
    async function passTime(): Promise<void> {
      const pass = async () => {
        clock.ms += PASS_MS;
      };
      const when = () => !scheduler.isCalling('loyalty') && scheduler.isIdle(workers);
      await scheduler.call('clock', 'passes', pass, { when, canDie: false });
    }

    return {
      begin,
      state: () => [
        [...connector.ledger.entries],
        ...[queues.orders.contents, dead.contents, clock.ms, payloads.length],
        ...[[...loyalty.rows.orders.values()], [...loyalty.rows.points.values()]],
      ],
      async finish() {
        await connector.drain();
        const held = loyalty.rows.orders.get(ID);
        const left = story.isCancelled ? 0 : (UNITS - (story.takenBack.at(-1) ?? 0)) * UNIT;
        const wrong: string[] = [];
        if (dead.size > 0) wrong.push(`${dead.size} dead letters need a person`);
        if (story.isCancelled && !held?.IsCancelledOrReturned) wrong.push('it is not cancelled');
        if (!story.isCancelled && (!held || amountHeld(held) !== left)) {
          wrong.push(`the service holds ${held && amountHeld(held)} and not ${left}`);
        }
        const points = [...loyalty.rows.points.values()].reduce(
          (sum, { pointsHundredths }) => sum + pointsHundredths,
          0,
        );
        if (points !== left * 100) wrong.push(`${points / 100} points for ${left}`);
        return wrong;
      },
    };
  };
}

type Moment = ReturnType<typeof orderAt>;

function orderAt(second: number, takenBack: number, isCancelled: boolean) {
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  const spec = { ...simpleOrder, fulfilledAfterDays: 1, lines: [{ ...LINE, takenBack }] };
  const changes = { updated_at, ...(isCancelled && { cancelled_at: updated_at }) };
  return { payload: buildOrder(spec, changes).payload, order: storeOrder(spec, changes) };
}

const watchAs = createWatch({
  readings: ['readMany', 'readOrder', 'getOrder'],
  service: ['sendOrder', 'partiallyCancelPosOrder', 'cancelPosOrder'],
});
