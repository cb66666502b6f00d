import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Disturbance, startDisturbedStack, stepOf } from '../../support/disturbed-stack.ts';
import { isRedeem, type OutsideCall } from '../../support/outside-line.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';

/**
 * From the service's answer on, for the shopper's function as for the worker. Not after the mark of the call: the second
 * look at the account is ten minutes later (test/unit/core/redeem/crashes.test.ts kills there, too).
 */
const STEPS = [
  'PutItem redemption crediting',
  'storeCreditConfiguration',
  'storeCreditAccountCredit',
  'PutItem redemption credited',
];

const EARNED = 300;
/** For 80 points: what the order earned is enough for three of them. */
const CASHBACK = { rewardId: 8, value: 4 };
const COST = 80;
/** Instead of the 24 minutes after which a killed worker's messages return. */
const VISIBILITY_SECONDS = 40;
const PATIENCE = { timeout: 600_000, interval: 1_000 };

let world: Awaited<ReturnType<typeof startDisturbedStack>>;
let shop: ReturnType<typeof openShoppers>;
beforeAll(async () => {
  world = await startDisturbedStack('test/fixtures/store-credit.config.ts');
  shop = openShoppers(world.stack);
  await world.stack.sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: world.stack.outputs.BalancesQueueUrl,
      Attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) },
    }),
  );
}, 180_000);
afterAll(() => world?.stop(), 60_000);

function creditsOf({ id }: Shopper) {
  const { storeCreditAccounts, storeCreditTransactions } = world.stack.store.state();
  const own = storeCreditAccounts.filter(({ customerId }) => customerId === id);
  return storeCreditTransactions.filter((one) => own.some(({ id }) => id === one.accountId));
}

function killAfter(of: 'shop' | 'worker', step: string, shopper: Shopper): Disturbance {
  const isIt = (call: OutsideCall) => stepOf(call) === step && call.body.includes(shopper.id);
  return world.disturb(of, isIt, 'killed-after');
}

const redeem = (shopper: Shopper) =>
  shop.askUntilAnswered(shopper, 'redeem', { ...shopper.click, ...CASHBACK });

it('cashback becomes one credit, wherever redeeming it loses its process', async () => {
  const all = (['shop', 'worker'] as const).flatMap((of) =>
    STEPS.map((step) => {
      const shopper = shop.newShopper(`${of}: killed after ${step}`);
      shop.buy(shopper, EARNED);
      return { of, step, shopper };
    }),
  );
  const everyone = all.map(({ shopper }) => shopper);
  await shop.expectPoints(everyone, EARNED);

  // One after the other: a worker that is killed has others in its batch, which would wait for the second look.
  for (const { of, step, shopper } of all) {
    const planned = [
      killAfter(of, step, shopper),
      // The worker has it only where the shopper's function has died.
      ...(of === 'worker' ? [world.disturb('shop', isRedeem, 'killed-before')] : []),
    ];
    await redeem(shopper);
    const isOver = () => planned.every(({ met }) => met) && creditsOf(shopper).length > 0;
    await expect.poll(isOver, { ...PATIENCE, message: shopper.title }).toBe(true);
  }

  await shop.expectPoints(everyone, EARNED - COST);
  for (const shopper of everyone) {
    // The same click again changes nothing.
    const { redemption } = await redeem(shopper);
    const credited = { state: 'credited', value: CASHBACK.value, code: null };
    expect(redemption, shopper.title).toMatchObject(credited);
    expect(creditsOf(shopper), shopper.title).toMatchObject([{ kind: 'credit', minor: 400 }]);
  }
  await shop.expectPoints(everyone, EARNED - COST);
  expect(await shop.deadLetters()).toBe(0);
}, 1_800_000);
