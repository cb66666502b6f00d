import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Disturbance, startDisturbedStack } from '../../support/disturbed-stack.ts';
import type { OutsideCall } from '../../support/outside-line.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';
import { isRedeem } from '../../support/treatments.ts';

/** What the worker calls to complete a redemption whose first process was killed before it spent. */
const WORKER_STEPS = [
  'BatchGetItem redemption',
  'PutItem redemption calling',
  'POST /POS/rewards/*/redeem',
  'PutItem redemption redeemed',
  'discountCodeBasicCreate',
  'PutItem reward-code',
  'PutItem redemption ready',
];
/** These name no customer: the next call of any customer is disturbed. */
const NAMELESS_STEPS = ['ChangeMessageVisibilityBatch', 'GetSecretValue loyalty'];

/** Enough for three rewards: nothing but the connector prevents spending twice. */
const EARNED = 300;
const COST = 100;

/** Instead of the 24 minutes after which a killed worker's messages return to their queue. */
const VISIBILITY_SECONDS = 20;

let world: Awaited<ReturnType<typeof startDisturbedStack>>;
let shop: ReturnType<typeof openShoppers>;
beforeAll(async () => {
  world = await startDisturbedStack();
  shop = openShoppers(world.stack);
  await world.stack.sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: world.stack.outputs.BalancesQueueUrl,
      Attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) },
    }),
  );
}, 180_000);
afterAll(() => world?.stop(), 60_000);

/** What a call is for, by the names in its body. */
function stepOf({ name, body }: OutsideCall): string {
  const [, secret] = /"SecretId":"[^"]*\/(\w+)"/.exec(body) ?? [];
  const [, kind] = /"entity":\{"S":"[^"|]*\|([\w-]+)\|/.exec(body) ?? [];
  const history = JSON.parse(/"o":\{"S":("(?:[^"\\]|\\.)*")/.exec(body)?.[1] ?? '"[]"');
  const [, outcome] = JSON.parse(history).at(-1) ?? [];
  return [name, secret, kind, kind === 'redemption' && outcome].filter(Boolean).join(' ');
}

/** The second `x` becomes `x 2`. */
function stepsOf(calls: readonly OutsideCall[]): string[] {
  const seen = new Map<string, number>();
  return calls.map(stepOf).map((step) => {
    const count = (seen.get(step) ?? 0) + 1;
    seen.set(step, count);
    return count === 1 ? step : `${step} ${count}`;
  });
}

/** In a new process: the rewards, then one click. Returns whether it was answered, and what was called. */
async function visit(shopper: Shopper) {
  const { calls } = world.lines.shop;
  await world.kill('shop');
  const from = calls.length;
  const { rewards } = await shop.askUntilAnswered(shopper, 'rewards');
  expect(rewards).toContainEqual(expect.objectContaining({ id: 1, redeemable: true }));
  const answer = await shop.ask(shopper, 'redeem', shopper.click);
  return { isAnswered: answer !== undefined, steps: stepsOf(calls.slice(from)) };
}

function isAbout(shopper: Shopper, { body, path }: OutsideCall): boolean {
  const text = body + decodeURIComponent(path);
  if (text.includes(shopper.id) || text.includes(shopper.email)) return true;
  if (!text.includes('|reward-code|')) return false;
  const [redemption] = shop.look().redemptionsOf(shopper);
  const code = redemption?.ExternalCode.toLowerCase();
  return code !== undefined && text.includes(`|reward-code|${code}"`);
}

interface Walk {
  readonly shopper: Shopper;
  /** Sets what will happen to the redemption, right before the visit. */
  readonly disturb: () => readonly Disturbance[];
  /** Nothing is stored yet: the page asks the shopper to press again. */
  readonly mayPressAgain: boolean;
}

/** The function that answers the shopper is killed after this step. */
function shopWalk(step: string, mayPressAgain: boolean): Walk {
  const disturb = () => {
    const { calls } = world.lines.shop;
    const from = calls.length;
    const isIt = () => stepsOf(calls.slice(from)).at(-1) === step;
    return [world.disturb('shop', isIt, 'killed-after')];
  };
  return { shopper: shop.newShopper(`shop: killed after ${step}`), disturb, mayPressAgain };
}

/** That function is killed before it spends, and the worker that continues after this step. */
function workerWalk(step?: string): Walk {
  const shopper = shop.newShopper(`worker: killed after ${step}`);
  const isIt = (call: OutsideCall) =>
    stepOf(call) === step && (NAMELESS_STEPS.includes(step) || isAbout(shopper, call));
  const disturb = () => [
    world.disturb('shop', isRedeem, 'killed-before'),
    ...(step === undefined ? [] : [world.disturb('worker', isIt, 'killed-after')]),
  ];
  return { shopper, disturb, mayPressAgain: false };
}

it('goes from an order over points, rewards, redemption and code to an order and its cancellation, wherever the redeeming loses its process', async () => {
  const calm = shop.newShopper('undisturbed');
  shop.buy(calm, EARNED);
  await shop.expectPoints([calm], EARNED);
  const { isAnswered, steps } = await visit(calm);
  expect(isAnswered).toBe(true);
  const stored = steps.indexOf('SendMessage');
  expect(steps.indexOf('POST /POS/rewards/*/redeem')).toBeGreaterThan(stored);

  const pilot = workerWalk();
  const walks = [
    pilot,
    ...[...WORKER_STEPS, ...NAMELESS_STEPS].map((step) => workerWalk(step)),
    ...steps.map((step, index) => shopWalk(step, index < stored)),
  ];
  const everyone = walks.map(({ shopper }) => shopper);
  for (const shopper of everyone) shop.buy(shopper, EARNED);
  await shop.expectPoints(everyone, EARNED);

  const disturbances: Disturbance[] = [];
  for (const { shopper, disturb, mayPressAgain } of walks) {
    disturbances.push(...disturb());
    const visited = await visit(shopper);
    if (!visited.isAnswered && mayPressAgain) {
      await shop.askUntilAnswered(shopper, 'redeem', shopper.click);
    }
  }
  await shop.expectCodes(everyone);
  expect(disturbances.filter(({ met }) => !met)).toEqual([]);
  const continued = world.lines.worker.calls.filter((call) => isAbout(pilot.shopper, call));
  const redeeming = continued.map(stepOf).filter((step) => /redemption|reward|disc/.test(step));
  expect([...new Set(redeeming)]).toEqual(WORKER_STEPS);

  everyone.push(calm);
  await shop.expectPoints(everyone, EARNED - COST);
  // The same click again changes nothing.
  for (const shopper of everyone) await shop.askUntilAnswered(shopper, 'redeem', shopper.click);
  await shop.expectPoints(everyone, EARNED - COST);
  const { redemptionsOf, codesOf } = shop.look();
  for (const shopper of everyone) {
    const redemptions = redemptionsOf(shopper);
    expect(redemptions, shopper.title).toMatchObject([{ configurationId: 1, canceledAt: null }]);
    const code = redemptions[0]?.ExternalCode;
    const value = { kind: 'fixed', minor: 500, each: false };
    expect(codesOf(shopper), shopper.title).toEqual([{ code, value, usageLimit: 1 }]);
  }

  const orders = everyone.map((shopper) => shop.buy(shopper, 45, codesOf(shopper)[0]?.code));
  await shop.expectPoints(everyone, EARNED - COST + 40);
  const after = shop.look();
  expect(everyone.map((one) => after.redemptionsOf(one)[0]?.usedByOrderId)).toEqual(orders);
  for (const orderId of orders) world.stack.store.actions.cancelOrder({ orderId });
  await shop.expectPoints(everyone, EARNED - COST);
  expect(await shop.deadLetters()).toBe(0);
  // Each function did all of this with the grants of its own role.
  expect(world.stack.problems).toEqual([]);
}, 1_200_000);
