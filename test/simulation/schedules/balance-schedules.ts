import type { BalanceEvent } from '../../../shared/core/events/event.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { recallBalance } from '../../../shared/rewards/balances/point-balance.ts';
import { openRedeeming, ROBIN, SHOP } from '../../support/redeem-world.ts';
import { type Plot, playPlot, wrongIn } from './connector-scenario.ts';
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
    const head = { kind: 'balance', shop: SHOP, id: ROBIN } as const;
    const sent: BalanceEvent[] = [];
    let askedAt = 0;

    function change(index: number): void {
      // A second between two changes, by one clock.
      clock.ms += 1_000;
      const at = new Date(clock.ms).toISOString();
      loyalty.balances.set(ROBIN, points[index] ?? 0);
      sent.push({
        ...{ ...head, topic: 'Point_Update', deliveryId: `point-${index}/${at}`, receivedAt: at },
      });
    }

    async function arrive(index: number): Promise<void> {
      const event = sent[index];
      if (event) await events.send(event);
    }

    async function ask(): Promise<void> {
      askedAt = clock.ms;
      const receivedAt = new Date(clock.ms).toISOString();
      const request: BalanceEvent = { ...head, topic: 'repair', deliveryId: 'r', receivedAt };
      await events.send(request);
    }

    const plot: Plot = {
      outside: [
        {
          process: 'service',
          steps: [...points.keys()].map((at) => ({ what: 'changes', act: () => change(at) })),
        },
        ...[...points.keys()].map((at) => ({
          process: `event-${at + 1}`,
          steps: [{ what: 'arrives', act: () => arrive(at), when: () => sent.length > at }],
        })),
        ...(isAskedFor ? [{ process: 'the night', steps: [{ what: 'asks', act: ask }] }] : []),
      ],
      inside: Array.from({ length: workers }, (_, index) => ({
        process: `worker-${index + 1}`,
        when: () => queue.size > queue.hidden,
        run: (watch) => world.work(watch),
      })),
      state: () => [sent, askedAt],
      judge() {
        const shown = balances.customers.get(ROBIN)?.points;
        const last = String(points.at(-1));
        const entry = ledger.entries.get(
          ledgerKeyText({ shop: SHOP, kind: 'customer', id: ROBIN }),
        );
        const readAt = recallBalance(entry?.remembered) ? (entry?.version ?? 0) : 0;
        return wrongIn([
          [shown === last, `the store shows ${shown} points of ${last}`],
          [readAt >= askedAt, 'no reading answers the question of the night'],
          [queue.size === 0, `${queue.size} messages never end`],
          [dead.size === 0, `${dead.size} dead letters need a person`],
        ]);
      },
    };
    return playPlot(scheduler, plot, {
      ...{ clock, passMs: PASS_MS, watchAs, drain: () => world.drain() },
      state: () => [
        [...ledger.entries],
        ...[queue.contents, dead.contents],
        ...[[...loyalty.balances], [...balances.customers]],
      ],
    });
  };
}

const watchAs = createWatch({
  constant: ['getCustomer'],
  readings: ['readMany', 'getCustomerPoints'],
  service: [],
});
