import { openRedeeming, type Redeeming, ROBIN } from '../../support/redeem-world.ts';
import type { Scenario } from './explore.ts';
import { createWatch, type Scheduler } from './scheduler.ts';

export interface TakeBackStory {
  /** Worker invocations that the search interleaves; later ones run when all else has ended. */
  readonly workers: number;
  /** How long the clock passes, at any moment at which no call to the service is under way. */
  readonly passes: readonly number[];
  /** The customer orders with the code, at any moment; its event is heard until it is settled. */
  readonly orders?: boolean;
  /** The service does not cancel. */
  readonly refuses?: boolean;
}

const CODE = 'FIVE-1';
const START = 1_000;
const COST = 100;
const LONGEST_WORKER_MS = 240_000;

/** One customer takes a reward back whose code is ready, while workers run and an order may use the code. */
export function takeBackScenario(story: TakeBackStory) {
  return (scheduler: Scheduler): Scenario => {
    const world = openRedeeming({ rewards: [{ id: 1, points: COST }] });
    const { loyalty, store, queue, clock } = world;
    let isHeard = false;
    const workers = Array.from({ length: story.workers }, (_, index) => `worker-${index + 1}`);
    if (story.refuses) {
      const rejected = { kind: 'business-error', class: 'rejected', code: 75, fields: [] };
      loyalty.cancelRedemption = async () => ({ ...rejected, message: 'no' }) as never;
    }

    async function runWorker(process: string): Promise<void> {
      const isWaiting = () => queue.size > queue.hidden;
      await scheduler.call(process, 'begins', async () => {}, { when: isWaiting });
      await world.work(watchAs(scheduler, process));
    }

    /** In a checkout that may have been open before: the store takes the code also when it is deleted. */
    async function order(): Promise<void> {
      const place = async () => world.placeOrder(CODE);
      await scheduler.call('store', 'takes an order', place, { canDie: false });
      await world.hearOrder(CODE, watchAs(scheduler, 'orders'));
      isHeard = true;
    }

    async function passTime(): Promise<void> {
      for (const ms of story.passes) {
        const pass = async () => {
          clock.ms += ms;
          const over = ms > LONGEST_WORKER_MS ? ['tab', 'orders', ...workers] : ['tab'];
          for (const process of over) scheduler.kill(process);
        };
        const when = () => !scheduler.isCalling('loyalty');
        await scheduler.call('clock', `passes ${ms / 1000} s`, pass, { when, canDie: false });
      }
    }

    return {
      async begin() {
        await world.redeem();
        await world.drain();
        void world.takeBack(undefined, undefined, watchAs(scheduler, 'tab'));
        for (const worker of workers) void runWorker(worker);
        if (story.orders) void order();
        void passTime();
      },
      state: () => [
        [...world.ledger.entries],
        ...[queue.contents, world.dead.contents, clock.ms],
        ...[[...loyalty.balances], [...loyalty.redemptions], [...loyalty.changes]],
        ...[[...store.codes], store.orders, isHeard],
      ],
      async finish() {
        // A take back that never reached the queue is over after an hour.
        for (const ms of [3_600_000, 3_600_000]) {
          // The message of a worker that died comes again.
          if (store.orders.length > 0 && !isHeard) await world.hearOrder(CODE);
          await world.drain();
          clock.ms += ms;
        }
        return judge(world, story);
      },
    };
  };
}

/** Code usable and points spent, or code gone and points back; where an order used it, code gone and points spent. */
async function judge(world: Redeeming, { refuses }: TakeBackStory): Promise<readonly string[]> {
  const { loyalty, store, queue, dead } = world;
  const wrong: string[] = [];
  const check = (isRight: boolean, what: string) => {
    if (!isRight) wrong.push(what);
  };
  const [{ state: { at = '' } = {} } = {}] = await world.kept();
  const points = loyalty.balances.get(ROBIN);
  const usable = [...store.codes.values()].filter(({ used }) => used === 0).length;
  const isOrdered = store.orders.length > 0;
  check(queue.size === 0, `${queue.size} messages never end`);
  check(dead.size === 0, `${dead.size} dead letters need a person`);
  check(isOrdered === (at === 'used'), `it ends ${at}, ordered: ${isOrdered}`);
  check(['ready', 'used', 'cancelled'].includes(at), `it stays ${at}`);
  check(!refuses || at !== 'cancelled', 'it is cancelled against the service');
  const isBack = at === 'cancelled';
  check(points === (isBack ? START : START - COST), `it ends ${at} with ${points} points`);
  check(usable === (at === 'ready' ? 1 : 0), `it ends ${at} with ${usable} usable codes`);
  return wrong;
}

const watchAs = createWatch({
  readings: ['readMany', 'findCode', 'readUses', 'readOrderCodes'],
  service: ['cancelRedemption', 'changePoints'],
});
