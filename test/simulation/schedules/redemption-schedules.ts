import type { BalanceEvent } from '../../../shared/core/events/event.ts';
import { ledgerKeyText, type PastOutcome } from '../../../shared/core/ledger/ledger.ts';
import { redemptionsKey } from '../../../shared/rewards/redeem/redemption-record.ts';
import {
  CASHBACK,
  openRedeeming,
  type Redeeming,
  ROBIN,
  SHOP,
} from '../../support/redeem-world.ts';
import type { Scenario } from './explore.ts';
import { createWatch, type Scheduler } from './scheduler.ts';

export interface RedemptionStory {
  /** A tab redeems the same reward with a click of its own. */
  readonly tabs: number;
  /** Worker invocations that the search interleaves; later ones run when all else has ended. */
  readonly workers: number;
  /** The service reports a change of the balance only after all else has ended. */
  readonly eventsAfterwards?: boolean;
  /** How long the clock passes, at any moment at which no call to the service is under way. */
  readonly passes: readonly number[];
  /** The store takes no code. */
  readonly storeRefuses?: boolean;
  /** The reward is cashback that becomes store credit. */
  readonly credits?: boolean;
}

const START = 1_000;
const COST = 100;

/** By then a call to the store has arrived, or never does. */
const LATEST_ARRIVAL_MS = 600_000;

/** The platform ends a function of the storefront sooner than the shortest pass, and a worker before the longest. */
const LONGEST_WORKER_MS = 240_000;

/**
 * One customer redeems one reward in several tabs; the service reports each change of the balance by a point
 * event; workers finish what is left.
 */
export function redemptionScenario(story: RedemptionStory) {
  return (scheduler: Scheduler): Scenario => {
    const rewards = [story.credits ? CASHBACK : { id: 1, points: COST }];
    const world = openRedeeming({ rewards });
    const { loyalty, store, balances, queue, clock } = world;
    if (story.storeRefuses) store.before = () => ({ kind: 'refused', code: 'INVALID' });
    let reported = 0;

    const tabs = Array.from({ length: story.tabs }, (_, index) => `tab-${index + 1}`);
    const workers = Array.from({ length: story.workers }, (_, index) => `worker-${index + 1}`);

    const isWaiting = () => queue.size > queue.hidden;
    const changes = () =>
      [...loyalty.redemptions.values()].reduce((sum, one) => sum + (one.isCancelled ? 2 : 1), 0);

    async function runWorker(process: string): Promise<void> {
      await scheduler.call(process, 'begins', async () => {}, { when: isWaiting });
      await world.work(watchAs(scheduler, process));
    }

    /** The service repeats an event until it is taken, so its sender cannot die. */
    async function reportChanges(): Promise<void> {
      for (;;) {
        await scheduler.call('service', 'reports a balance', async () => report(), {
          when: () => changes() > reported,
          canDie: false,
        });
      }
    }

    async function report(): Promise<void> {
      reported += 1;
      const at = new Date(clock.ms + reported).toISOString();
      const event: BalanceEvent = {
        ...{ kind: 'balance', shop: SHOP, id: ROBIN, topic: 'Point_Removed' },
        ...{ deliveryId: `point-${reported}/${at}`, receivedAt: at },
      };
      await world.events.send(event);
    }

    async function passTime(): Promise<void> {
      for (const ms of story.passes) {
        const pass = async () => {
          clock.ms += ms;
          const over = ms > LONGEST_WORKER_MS ? [...tabs, ...workers] : tabs;
          for (const process of over) scheduler.kill(process);
        };
        const when = () =>
          !scheduler.isCalling('loyalty') &&
          (ms < LATEST_ARRIVAL_MS || !scheduler.isCalling('store'));
        await scheduler.call('clock', `passes ${ms / 1000} s`, pass, { when, canDie: false });
      }
    }

    return {
      begin() {
        for (const tab of tabs) {
          const click = { clientKey: `click-of-${tab}`, ...(story.credits && { value: 10 }) };
          void world.redeem(click, watchAs(scheduler, tab));
        }
        for (const worker of workers) void runWorker(worker);
        if (!story.eventsAfterwards) void reportChanges();
        void passTime();
      },
      state: () => [
        [...world.ledger.entries],
        ...[queue.contents, world.dead.contents, clock.ms, reported],
        ...[[...loyalty.balances], [...loyalty.redemptions]],
        ...[[...store.codes], store.credits, [...balances.customers]],
      ],
      async finish() {
        // An intent that never reached the queue is over after an hour.
        for (const ms of [3_600_000, 3_600_000]) {
          while (changes() > reported) await report();
          await world.drain();
          clock.ms += ms;
        }
        return judge(world);
      },
    };
  };
}

/** Points spent once, never a code without points, never points without a code or their return. */
async function judge({ loyalty, store, queue, dead, balances, ledger, kept }: Redeeming) {
  const wrong: string[] = [];
  const check = (isRight: boolean, what: string) => {
    if (!isRight) wrong.push(what);
  };
  const live = [...loyalty.redemptions.values()].filter(({ isCancelled }) => !isCancelled);
  const balance = loyalty.balances.get(ROBIN);
  const states = (await kept()).map(({ state }) => state.at);
  const book = ledger.entries.get(ledgerKeyText(redemptionsKey({ shop: SHOP, customerId: ROBIN })));
  check(!beginsTwice(book?.outcomes ?? []), 'a click began a redemption beside an open one');
  check(queue.size === 0, `${queue.size} messages never end`);
  check(dead.size === 0, `${dead.size} dead letters need a person`);
  check(balance === START - live.length * COST, `${live.length} redemptions leave ${balance}`);
  const given = store.codes.size + store.credits.length;
  check(given === live.length, `${given} codes or credits for ${live.length}`);
  check(
    states.filter((at) => at === 'ready' || at === 'credited').length === live.length,
    `the customer sees ${states.join(', ')} for ${live.length} redemptions`,
  );
  check(
    states.every((at) => ENDS.has(at)),
    `redemptions stay open: ${states.join(', ')}`,
  );
  const shown = balances.customers.get(ROBIN)?.points;
  const isShown = loyalty.redemptions.size === 0 || shown === String(balance);
  check(isShown, `the store shows ${shown} points of ${balance}`);
  return wrong;
}

const ENDS: ReadonlySet<string> = new Set([
  ...['ready', 'credited', 'cancelled', 'refused', 'not-sent'],
]);

/** By the history of the redemption record, in which each line names a redemption. */
function beginsTwice(lines: readonly PastOutcome[]): boolean {
  const open = new Set<string>();
  return lines.some(({ topic, outcome }) => {
    if (ENDS.has(outcome)) open.delete(topic);
    else open.add(topic);
    return open.size > 1;
  });
}

const watchAs = createWatch({
  constant: ['getRewardConfiguration', 'listAvailableRewards', 'getCustomer', 'readCreditShop'],
  readings: ['readMany', 'findCode', 'getCustomerPoints', 'updateRewardMetadata', 'readCredits'],
  service: ['redeemRewardByKey', 'cancelRedemption'],
  store: ['credit'],
});
