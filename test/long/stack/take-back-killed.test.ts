import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Disturbance,
  startDisturbedStack,
  stepOf,
  stepsOf,
} from '../../support/disturbed-stack.ts';
import type { OutsideCall } from '../../support/outside-line.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';

/** What the shopper's function calls to take a reward back. */
const SHOP_STEPS = ['BatchGetItem redemption', 'PutItem redemption returning', 'SendMessage'];

/** What the worker calls, from the message to the points. */
const WORKER_STEPS = [
  'PutItem redemption returning',
  'nodes',
  'discountCodeDelete',
  'nodes 2',
  'PutItem redemption returning 2',
  'nodes 3',
  'codeDiscountNodeByCode',
  'customer',
  'PutItem redemption cancelling',
  'DELETE /POS/rewards/*',
  'PutItem redemption cancelled',
  'codeDiscountNodeByCode 2',
];

/** What the worker of orders calls for a late order with the code, and then the worker of redemptions. */
const ORDER_STEPS = ['PutItem redemption owing', 'SendMessage'];
const OWING_STEPS = ['POST /Customer/*/points', 'PutItem redemption used'];

const EARNED = 300;
const COST = 100;
/** An order of 45, less the code's 5. */
const BOUGHT = 40;
/** Instead of the 24 minutes after which a killed worker's messages return. */
const VISIBILITY_SECONDS = 40;
const PATIENCE = { timeout: 600_000, interval: 1_000 };

let world: Awaited<ReturnType<typeof startDisturbedStack>>;
let shop: ReturnType<typeof openShoppers>;
beforeAll(async () => {
  world = await startDisturbedStack();
  shop = openShoppers(world.stack);
  const { BalancesQueueUrl, OrdersQueueUrl } = world.stack.outputs;
  for (const QueueUrl of [BalancesQueueUrl, OrdersQueueUrl]) {
    const Attributes = { VisibilityTimeout: String(VISIBILITY_SECONDS) };
    await world.stack.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  }
}, 180_000);
afterAll(() => world?.stop(), 60_000);

interface Reward {
  readonly shopper: Shopper;
  /** The connector's id of the redemption, the service's, and the store's of the discount. */
  readonly id: string;
  readonly redeemedRewardId: number;
  readonly code: string;
  readonly discountId: string;
}

async function rewardOf(shopper: Shopper): Promise<Reward> {
  const { redemptions } = await shop.askUntilAnswered(shopper, 'redemptions');
  const { id, code } = redemptions[0];
  const [redemption] = shop.look().redemptionsOf(shopper);
  const row = world.stack.store.state().codes.find((one) => one.code === code);
  return {
    ...{ shopper, id, code },
    redeemedRewardId: redemption?.RewardId ?? 0,
    discountId: row?.discountId ?? '',
  };
}

function isAbout({ shopper, id, code, discountId, redeemedRewardId }: Reward, call: OutsideCall) {
  const { body, path, service } = call;
  const text = body + decodeURIComponent(path);
  if (service === 'loyalty' && path.endsWith(`/rewards/${redeemedRewardId}`)) return true;
  const names = [shopper.id, shopper.email, id, `"${code}"`, `/${discountId}"`];
  return names.some((name) => text.includes(name));
}

/** The function is killed after it made this call for this shopper. */
function killAfter(of: 'shop' | 'worker' | 'orders', step: string, reward: Reward): Disturbance {
  const { calls } = world.lines[of];
  const from = calls.length;
  const isIt = (call: OutsideCall) => {
    if (!isAbout(reward, call) || !step.startsWith(stepOf(call))) return false;
    return stepsOf(calls.slice(from).filter((one) => isAbout(reward, one))).at(-1) === step;
  };
  return world.disturb(of, isIt, 'killed-after');
}

const takeBack = ({ shopper, id }: Reward) =>
  shop.askUntilAnswered(shopper, 'take-back', { redemptionId: id });

/** From a checkout that was open before the code was deleted. */
function buyLate({ shopper, code }: Reward): void {
  const { actions } = world.stack.store;
  const { id: orderId } = actions.placeOrder({
    customerId: shopper.id,
    lines: [{ title: 'Kettle', price: 45, quantity: 1 }],
    payment: 'paid',
    taxes: [],
    discounts: [{ code, amount: 5 }],
  });
  actions.fulfilOrder({ orderId });
}

it('leaves the code and no points, or the points and no code, wherever taking back loses its process', async () => {
  const titles = [
    ...['undisturbed', 'used in the same second'],
    ...SHOP_STEPS.map((step) => `shop: killed after ${step}`),
    ...WORKER_STEPS.map((step) => `worker: killed after ${step}`),
    ...ORDER_STEPS.map((step) => `late order: orders killed after ${step}`),
    ...OWING_STEPS.map((step) => `late order: worker killed after ${step}`),
  ];
  const everyone = titles.map((title) => shop.newShopper(title));
  for (const shopper of everyone) shop.buy(shopper, EARNED);
  await shop.expectPoints(everyone, EARNED);
  for (const shopper of everyone) await shop.askUntilAnswered(shopper, 'redeem', shopper.click);
  await shop.expectCodes(everyone);
  await shop.expectPoints(everyone, EARNED - COST);

  const rewards = new Map<string, Reward>();
  for (const shopper of everyone) rewards.set(shopper.title, await rewardOf(shopper));
  const find = (title: string) => rewards.get(title) as Reward;
  const disturbances = WORKER_STEPS.map((step) =>
    killAfter('worker', step, find(`worker: killed after ${step}`)),
  );
  const usedAtOnce = find('used in the same second');
  for (const reward of rewards.values()) {
    const step = SHOP_STEPS.find((one) => reward.shopper.title === `shop: killed after ${one}`);
    if (step) disturbances.push(killAfter('shop', step, reward));
    const taken = takeBack(reward);
    if (reward === usedAtOnce) shop.buy(reward.shopper, 45, reward.code);
    const { redemption } = await taken;
    expect(['returning', 'cancelled', 'used'], reward.shopper.title).toContain(redemption.state);
  }

  const others = everyone.filter((one) => one !== usedAtOnce.shopper);
  await shop.expectPoints(others, EARNED);
  await shop.expectPoints([usedAtOnce.shopper], EARNED - COST + BOUGHT);
  const unmet = () => disturbances.filter(({ met }) => !met).length;
  expect(unmet()).toBe(0);
  const { redemptionsOf, codesOf } = shop.look();
  for (const shopper of others) {
    const cancelled = [{ configurationId: 1, canceledAt: expect.any(String) }];
    expect(redemptionsOf(shopper), shopper.title).toMatchObject(cancelled);
    expect(codesOf(shopper), shopper.title).toEqual([]);
  }

  const late = titles.filter((title) => title.startsWith('late order')).map(find);
  disturbances.push(
    ...ORDER_STEPS.map((step) =>
      killAfter('orders', step, find(`late order: orders killed after ${step}`)),
    ),
    ...OWING_STEPS.map((step) =>
      killAfter('worker', step, find(`late order: worker killed after ${step}`)),
    ),
  );
  for (const reward of late) buyLate(reward);
  await expect.poll(unmet, PATIENCE).toBe(0);
  await shop.expectPoints(
    late.map(({ shopper }) => shopper),
    EARNED - COST + BOUGHT,
  );
  for (const { shopper } of late) {
    const { redemptions } = await shop.askUntilAnswered(shopper, 'redemptions');
    expect(redemptions, shopper.title).toMatchObject([{ state: 'used' }]);
  }
  expect(await shop.deadLetters()).toBe(0);
  // Each function did all of this with the grants of its own role.
  expect(world.stack.problems).toEqual([]);
}, 1_800_000);
