import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type HurriedStack,
  numbered,
  type Planned,
  startHurriedStack,
} from '../../support/hurried-stack.ts';
import { isRedeem, type OutsideCall } from '../../support/outside-line.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';

/** What the shopper's function calls in a new process, from the rewards to the code. */
const SHOP_STEPS = [
  'GetSecretValue webhook',
  'BatchGetItem customer',
  'BatchGetItem control',
  'GetSecretValue loyalty',
  'GET /Customer/*',
  'GET /RewardConfigurations',
  'POST /Tiers/available',
  'POST /POS/rewards/available',
  'GET /Customer/*/points',
  'GET /RewardConfigurations/*',
  'GET /RewardConfigurations/* 2',
  'BatchGetItem redemption',
  'POST /POS/rewards/available 2',
  'GET /RewardConfigurations/* 3',
  'BatchGetItem redemption 2',
  'PutItem redemption intended',
  'SendMessage',
  'PutItem redemption calling',
  'POST /POS/rewards/*/redeem',
  'GET /Rewards/*',
  'PutItem redemption redeemed',
  'GetSecretValue store',
  'discountCodeBasicCreate',
  'PutItem reward-code',
  'PutItem redemption ready',
];
/** On a busy machine a call may be repeated, and one that was not answered in time is asked about. */
const BUSY_STEPS = ['codeDiscountNodeByCode'];
/** From here on the worker has the redemption, even if the function dies. */
const STORED = SHOP_STEPS.indexOf('SendMessage');

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
/** These name no customer: the next call for any customer is disturbed. */
const NAMELESS_STEPS = ['ChangeMessageVisibilityBatch', 'GetSecretValue loyalty', 'GET /Rewards/*'];

/** Enough for three rewards: nothing but the connector prevents spending twice. */
const EARNED = 300;
const COST = 100;

let world: HurriedStack;
let shop: ReturnType<typeof openShoppers>;
beforeAll(async () => {
  world = await startHurriedStack({ settings: 'local/harness/storefront.config.ts' });
  shop = openShoppers(world.stack);
}, 180_000);
afterAll(() => world?.stop(), 60_000);

/** What a call is for, by the names in its body. */
function stepOf({ name, body }: OutsideCall): string {
  const [, secret] = /"SecretId":"[^"]*\/(\w+)"/.exec(body) ?? [];
  const [, kind] = /"entity":\{"S":"([\w-]+)\|/.exec(body) ?? [];
  const history = JSON.parse(/"o":\{"S":("(?:[^"\\]|\\.)*")/.exec(body)?.[1] ?? '"[]"');
  const [, outcome] = JSON.parse(history).at(-1) ?? [];
  return [name, secret, kind, kind === 'redemption' && outcome].filter(Boolean).join(' ');
}

const stepsOf = (calls: readonly OutsideCall[]) => numbered(calls.map(stepOf));

/** Without its number. */
const nameOf = (step: string) => step.replace(/ \d+$/, '');

/** In a new process: the rewards, then one click. Returns whether it was answered, and what was called. */
async function visit(shopper: Shopper) {
  const { calls } = world.lines.shop;
  world.kill('shop');
  const from = calls.length;
  const { rewards } = await shop.askUntilAnswered(shopper, 'rewards');
  expect(rewards).toContainEqual(expect.objectContaining({ id: 1, redeemable: true }));
  const answer = await shop.ask(shopper, 'redeem', shopper.click);
  return { isAnswered: answer !== undefined, steps: stepsOf(calls.slice(from)) };
}

function isAbout(shopper: Shopper, { body, path }: OutsideCall): boolean {
  const text = body + decodeURIComponent(path);
  if (text.includes(shopper.id) || text.includes(shopper.email)) return true;
  if (!text.includes('"reward-code|')) return false;
  const [redemption] = shop.look().redemptionsOf(shopper);
  const code = redemption?.ExternalCode.toLowerCase();
  return code !== undefined && text.includes(`|${code}"`);
}

interface Walk {
  readonly shopper: Shopper;
  /** Plans what will happen to the redemption, right before the visit; first what happens to the shopper's function. */
  readonly disturb: (shopper: Shopper) => readonly Planned[];
  /** Nothing is stored yet: the page asks the shopper to press again. */
  readonly mayPressAgain: boolean;
}

/** The function that answers the shopper is killed after this step. */
function shopScan(step: string, mayPressAgain: boolean): Walk {
  const disturb = () => {
    const { calls } = world.lines.shop;
    const from = calls.length;
    const isIt = () => stepsOf(calls.slice(from)).at(-1) === step;
    return [world.killAfter('shop', isIt)];
  };
  return { shopper: newEarner(`shop: killed after ${step}`), disturb, mayPressAgain };
}

const killedBeforeSpending = () =>
  world.plan('shop', isRedeem, () => {
    world.kill('shop');
    return 'unsent';
  });

/** That function is killed before it spends, and the worker that continues after this step. */
function workerScan(step: string): Walk {
  const isNameless = NAMELESS_STEPS.includes(step);
  const disturb = (shopper: Shopper) => {
    const isIt = (call: OutsideCall) =>
      stepOf(call) === step && (isNameless || isAbout(shopper, call));
    return [killedBeforeSpending(), world.killAfter('worker', isIt)];
  };
  return { shopper: newEarner(`worker: killed after ${step}`), disturb, mayPressAgain: false };
}

const everyone: Shopper[] = [];

function newEarner(title: string): Shopper {
  const shopper = shop.newShopper(title);
  everyone.push(shopper);
  shop.buy(shopper, EARNED);
  return shopper;
}

/** For a request that a busy machine broke off. */
async function another({ title }: Shopper): Promise<Shopper> {
  const shopper = newEarner(title);
  await expect.poll(() => shop.look().pointsOf(shopper), { timeout: 240_000 }).toBe(EARNED);
  return shopper;
}

/**
 * Until the shopper's function is killed at the planned call: on a busy machine a request may break off before it,
 * because another call was not answered in time. Returns what was planned.
 */
async function walk({ shopper, disturb, mayPressAgain }: Walk): Promise<readonly Planned[]> {
  const planned = disturb(shopper);
  const { isAnswered } = await visit(shopper);
  const isMet = () => planned[0]?.met !== undefined;
  if (!isAnswered && (mayPressAgain || !isMet())) {
    await shop.askUntilAnswered(shopper, 'redeem', shopper.click);
  }
  if (isMet()) return planned;
  world.forget(planned);
  return walk({ shopper: await another(shopper), disturb, mayPressAgain });
}

it('goes from an order over points, rewards, redemption and code to an order and its cancellation, wherever the redeeming loses its process', async () => {
  const calm = newEarner('undisturbed');
  const pilot = newEarner('worker: undisturbed');
  // The nameless first: each kill after them starts a worker that makes these calls.
  const walks = [
    ...[...NAMELESS_STEPS, ...WORKER_STEPS].map(workerScan),
    ...SHOP_STEPS.map((step, index) => shopScan(step, index < STORED)),
  ];
  await shop.expectPoints(everyone, EARNED);

  let visited = await visit(calm);
  for (let more = 0; more < 5 && !visited.isAnswered; more += 1) {
    visited = await visit(await another(calm));
  }
  expect(visited.steps).toEqual(expect.arrayContaining(SHOP_STEPS));
  const mayBeCalled = new Set([...SHOP_STEPS, ...BUSY_STEPS].map(nameOf));
  expect(visited.steps.map(nameOf).filter((name) => !mayBeCalled.has(name))).toEqual([]);

  killedBeforeSpending();
  await visit(pilot);
  const continued = () => {
    const steps = world.lines.worker.calls.filter((call) => isAbout(pilot, call)).map(stepOf);
    return [...new Set(steps.filter((step) => /redemption|reward|disc/.test(step)))];
  };
  await expect.poll(continued, { timeout: 240_000 }).toEqual(WORKER_STEPS);

  const disturbances: Planned[] = [];
  for (const one of walks) disturbances.push(...(await walk(one)));
  await shop.expectCodes(everyone);
  expect(disturbances.filter(({ met }) => !met)).toEqual([]);

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
}, 1_800_000);
