import { CASHBACK, openRedeeming, type Redeeming, ROBIN } from '../../support/redeem-world.ts';
import type { Scenario } from './explore.ts';
import { createWatch, type Scheduler } from './scheduler.ts';

export interface CreditStory {
  /** Worker invocations that the search interleaves; later ones run when all else has ended. */
  readonly workers: number;
  /** The store executes the first call without an answer, at any moment before the second look at the account. */
  readonly isLate?: boolean;
}

const START = 1_000;
/** Longer than the wait before the first look after an unclear call, and between it and the second. */
const [LOOK, LOOK_AGAIN] = [31_000, 601_000];

/** One customer turns cashback into store credit in a tab, and workers finish what is left. */
export function creditScenario(story: CreditStory) {
  return (scheduler: Scheduler): Scenario => {
    const world = openRedeeming({ rewards: [CASHBACK] });
    const { loyalty, store, queue, clock } = world;
    if (story.isLate) store.creditFates.push('late');
    const begun = new Set(['tab']);
    let isLanded = false;

    async function runWorker(process: string): Promise<void> {
      const isWaiting = () => queue.size > queue.hidden;
      await scheduler.call(process, 'begins', async () => {}, { when: isWaiting });
      begun.add(process);
      await world.work(watchAs(scheduler, process));
    }

    const isLandable = () => story.isLate === true && store.creditFates.length === 0 && !isLanded;

    async function land(): Promise<void> {
      const execute = async () => {
        isLanded = true;
        store.landLate();
      };
      const options = { when: isLandable, canDie: false };
      await scheduler.call('store', 'executes the late credit', execute, options);
    }

    /** The platform ends a tab's function before the first pass is over, and a worker before the second is. */
    async function passTime(): Promise<void> {
      for (const [ms, over] of [
        [LOOK, ['tab']],
        [LOOK_AGAIN, begun],
      ] as const) {
        const pass = async () => {
          clock.ms += ms;
          for (const process of over) scheduler.kill(process);
        };
        const when = () => !scheduler.isCalling('loyalty') && (ms === LOOK || !isLandable());
        await scheduler.call('clock', `passes ${ms / 1000} s`, pass, { when, canDie: false });
      }
    }

    return {
      begin() {
        void world.redeem({ value: 12.5 }, watchAs(scheduler, 'tab'));
        for (let worker = 1; worker <= story.workers; worker += 1) {
          void runWorker(`worker-${worker}`);
        }
        void land();
        void passTime();
      },
      state: () => [
        [...world.ledger.entries],
        ...[queue.contents, world.dead.contents, clock.ms],
        ...[[...loyalty.balances], [...loyalty.redemptions]],
        ...[store.credits, store.creditFates, isLanded],
      ],
      async finish() {
        if (isLandable()) store.landLate();
        // An intent that never reached the queue is over after an hour.
        for (const ms of [3_600_000, 3_600_000]) {
          await world.drain();
          clock.ms += ms;
        }
        return judge(world);
      },
    };
  };
}

/** Paid and credited once, or neither; no person has to look. */
async function judge(world: Redeeming): Promise<readonly string[]> {
  const { loyalty, store, queue, dead } = world;
  const wrong: string[] = [];
  const check = (isRight: boolean, what: string) => {
    if (!isRight) wrong.push(what);
  };
  const states = (await world.kept()).map(({ state }) => state.at);
  const paid = START - (loyalty.balances.get(ROBIN) ?? 0);
  const times = loyalty.redemptions.size;
  check(queue.size === 0, `${queue.size} messages never end`);
  check(dead.size === 0, `${dead.size} dead letters need a person`);
  check(times <= 1 && paid === times * CASHBACK.points, `${times} redemptions cost ${paid}`);
  check(store.credits.length === times, `${store.credits.length} credits for ${times}`);
  check(
    states.filter((at) => at === 'credited').length === times,
    `the customer sees ${states.join(', ')} for ${times} redemptions`,
  );
  return wrong;
}

const watchAs = createWatch({
  constant: ['getRewardConfiguration', 'listAvailableRewards', 'readCreditShop'],
  readings: ['readMany', 'readCredits', 'updateRewardMetadata'],
  service: ['redeemRewardByKey'],
  unrepeatable: ['credit'],
});
