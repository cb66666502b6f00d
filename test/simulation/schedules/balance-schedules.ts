import { recallBalance } from '../../../shared/core/balances/point-balance.ts';
import type { BalanceEvent, BalanceRequest } from '../../../shared/core/events/event.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { openRedeeming, ROBIN, SHOP } from '../../support/redeem-world.ts';
import { wrongIn } from './connector-scenario.ts';
import type { Scenario } from './explore.ts';
import { createWatch, type Scheduler } from './scheduler.ts';

export interface BalanceStory {
  /** The points after each change. Each sends an event, which may arrive after those of later changes. */
  readonly points: readonly number[];
  /** The nightly comparison asks for the balance at any moment. */
  readonly isAskedFor?: boolean;
  readonly workers: number;
}

/** Longer than the visibility time-out: what a dead worker had is worked on again. */
const PASS_MS = 361_000;

/** The service changes a customer's points; what the store shows in the end must be the last of them. */
export function balanceScenario({ points, isAskedFor = false, workers }: BalanceStory) {
  return (scheduler: Scheduler): Scenario => {
    const world = openRedeeming();
    const { loyalty, queue, dead, clock, balances, ledger, events } = world;
    const names = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
    const head = { kind: 'balance', shop: SHOP, id: ROBIN } as const;
    let changes = 0;
    let askedAt = 0;

    function change(index: number): BalanceEvent {
      changes = index + 1;
      // A second between two changes, by one clock.
      clock.ms += 1_000;
      const at = new Date(clock.ms).toISOString();
      loyalty.balances.set(ROBIN, points[index] ?? 0);
      return {
        ...{ ...head, topic: 'Point_Update', deliveryId: `point-${index}/${at}`, eventDate: at },
        ...{ points: String(points[index]), cashback: '0', receivedAt: at },
      };
    }

    async function changePoints(): Promise<void> {
      for (const index of points.keys()) {
        const event = await scheduler.call(
          'service',
          'changes',
          async () => change(index),
          OUTSIDE,
        );
        void scheduler.call(`event-${index + 1}`, 'arrives', () => events.send(event), OUTSIDE);
      }
    }

    async function askFor(): Promise<void> {
      const ask = () => {
        askedAt = clock.ms;
        const receivedAt = new Date(clock.ms).toISOString();
        const request: BalanceRequest = { ...head, topic: 'repair', deliveryId: 'r', receivedAt };
        return events.send(request);
      };
      await scheduler.call('the night', 'asks', ask, OUTSIDE);
    }

    async function runWorker(process: string): Promise<void> {
      const when = () => queue.size > queue.hidden;
      await scheduler.call(process, 'begins', async () => {}, { when, canDie: false });
      await world.work(watchAs(scheduler, process));
    }

    async function passTime(): Promise<void> {
      const pass = async () => {
        clock.ms += PASS_MS;
      };
      const when = () => scheduler.isIdle(names);
      await scheduler.call('time', 'passes', pass, { when, canDie: false });
    }

    return {
      begin() {
        void changePoints();
        if (isAskedFor) void askFor();
        for (const name of names) void runWorker(name);
        void passTime();
      },
      state: () => [
        [...ledger.entries],
        ...[queue.contents, dead.contents, clock.ms, changes, askedAt],
        ...[[...loyalty.balances], [...balances.customers]],
      ],
      async finish() {
        await world.drain();
        const shown = balances.customers.get(ROBIN)?.points;
        const last = String(points.at(-1));
        const entry = ledger.entries.get(
          ledgerKeyText({ shop: SHOP, kind: 'customer', id: ROBIN }),
        );
        const readAt = recallBalance(entry?.remembered)?.readAt ?? 0;
        return wrongIn([
          [shown === last, `the store shows ${shown} points of ${last}`],
          [readAt >= askedAt, 'no reading answers the question of the night'],
          [queue.size === 0, `${queue.size} messages never end`],
          [dead.size === 0, `${dead.size} dead letters need a person`],
        ]);
      },
    };
  };
}

const OUTSIDE = { canDie: false };

const watchAs = createWatch({
  constant: ['getCustomer'],
  readings: ['readMany', 'getCustomerPoints'],
  service: [],
});
