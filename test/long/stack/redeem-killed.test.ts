import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../local/sandbox-kit/data-file.ts';
import type { FunctionDescription } from '../../../local/stack/template/describe-resources.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import {
  type Addresses,
  type Calls,
  isRedeem,
  type OutsideCall,
  type OutsideLine,
  openLine,
  type Treatment,
} from '../../support/outside-line.ts';
import { openShoppers, type Shopper } from '../../support/stack-shoppers.ts';

/** A part of a function's name in the template. */
const NAMES = { shop: 'StorefrontProxy', worker: 'BalancesSync' } as const;
type Disturbed = keyof typeof NAMES;

/** When the function's process ends; to be killed before a call is to be killed after the one before it. */
type Fault = 'killed-before' | 'killed-after';

interface Disturbance {
  readonly calls: Calls;
  readonly fault: Fault;
  /** The call that it met. */
  met?: OutsideCall;
}

/**
 * The local stack with a storefront. Every call of the function that answers shoppers and of the worker
 * that completes redemptions passes a line on which a disturbance waits for its call, once.
 */
async function startDisturbedStack(settings: string) {
  const targets: Record<Disturbed, Partial<Record<keyof Addresses, string>>> = {
    shop: {},
    worker: {},
  };
  const waiting: Record<Disturbed, Disturbance[]> = { shop: [], worker: [] };
  const open = (of: Disturbed) =>
    openLine(targets[of] as Addresses, (call) => {
      const found = waiting[of].find(({ met, calls }) => !met && calls(call));
      if (!found) return 'pass';
      found.met = call;
      return treat(found.fault, () => kill(of));
    });
  const lines: Record<Disturbed, OutsideLine> = {
    shop: await open('shop'),
    worker: await open('worker'),
  };

  let stack: LocalStack;
  async function kill(of: Disturbed): Promise<void> {
    const own = stack.functions.processes.filter((one) => one.of.name.includes(NAMES[of]));
    // The stack may not have noticed yet that one was killed before.
    for (const { pid } of own) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  }

  function environmentOf({ name: called }: FunctionDescription, own: Record<string, string>) {
    const of = (Object.keys(NAMES) as Disturbed[]).find((one) => called.includes(NAMES[one]));
    if (!of) return own;
    const { AWS_ENDPOINT_URL: aws = '', LOYALTY_SANDBOX_ADDRESS, STORE_SANDBOX_ADDRESS } = own;
    Object.assign(targets[of], {
      ledger: aws,
      queue: aws,
      secrets: aws,
      loyalty: LOYALTY_SANDBOX_ADDRESS,
      store: STORE_SANDBOX_ADDRESS,
    });
    const { addresses } = lines[of];
    return {
      ...own,
      AWS_ENDPOINT_URL_DYNAMODB: addresses.ledger,
      AWS_ENDPOINT_URL_SQS: addresses.queue,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: addresses.secrets,
      LOYALTY_SANDBOX_ADDRESS: addresses.loyalty,
      STORE_SANDBOX_ADDRESS: addresses.store,
    };
  }

  stack = await startLocalStack({
    settings,
    environmentOf,
  });
  return {
    stack,
    lines,
    kill,
    disturb(of: Disturbed, calls: Calls, fault: Fault): Disturbance {
      const disturbance = { calls, fault };
      waiting[of].push(disturbance);
      return disturbance;
    },
    /** They wait for no call any more. */
    forget(planned: readonly Disturbance[]): void {
      for (const of of Object.values(waiting)) {
        of.splice(0, of.length, ...of.filter((one) => !planned.includes(one)));
      }
    },
    async stop(): Promise<void> {
      await stack.stop();
      for (const line of Object.values(lines)) await line.close();
    },
  };
}

async function treat(fault: Fault, kill: () => Promise<void>): Promise<Treatment> {
  if (fault === 'killed-after') return { meanwhile: kill };
  await kill();
  return 'unsent';
}

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
/**
 * Of store credit: from the service's answer on, for the shopper's function as for the worker. Not after the mark of the
 * call: the second look at the account is ten minutes later (test/unit/core/redeem/crashes.test.ts kills there, too).
 */
const CREDIT_STEPS = [
  'PutItem redemption crediting',
  'storeCreditConfiguration',
  'storeCreditAccountCredit',
  'PutItem redemption credited',
];
/** For 80 points: what the order earned is enough for three of them. */
const CASHBACK = { rewardId: 8, value: 4 };
const CASHBACK_COST = 80;

/** These name no customer: the next call for any customer is disturbed. */
const NAMELESS_STEPS = ['ChangeMessageVisibilityBatch', 'GetSecretValue loyalty'];

/** Enough for three rewards: nothing but the connector prevents spending twice. */
const EARNED = 300;
const COST = 100;

/**
 * Instead of the 24 minutes after which a killed worker's messages return to their queue. Longer than the 30 seconds in
 * which a call may be under way: what returns earlier waits once more, the longer the more often it was received.
 */
const VISIBILITY_SECONDS = 40;

let world: Awaited<ReturnType<typeof startDisturbedStack>>;
let shop: ReturnType<typeof openShoppers>;
/** What they redeem; undefined is the first reward. */
let chosen: typeof CASHBACK | undefined;
function useStack(settings: string, reward?: typeof CASHBACK): void {
  beforeAll(async () => {
    world = await startDisturbedStack(settings);
    shop = openShoppers(world.stack);
    chosen = reward;
    everyone.length = 0;
    await world.stack.sqs.send(
      new SetQueueAttributesCommand({
        QueueUrl: world.stack.outputs.BalancesQueueUrl,
        Attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) },
      }),
    );
  }, 180_000);
  afterAll(() => world?.stop(), 60_000);
}

/** What a call is for, by the names in its body. */
function stepOf({ name, body }: OutsideCall): string {
  const [, secret] = /"SecretId":"[^"]*\/(\w+)"/.exec(body) ?? [];
  const [, kind] = /"entity":\{"S":"([\w-]+)\|/.exec(body) ?? [];
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

/** Without its number. */
const nameOf = (step: string) => step.replace(/ \d+$/, '');

/** In a new process: the rewards, then one click. Returns whether it was answered, and what was called. */
async function visit(shopper: Shopper) {
  const { calls } = world.lines.shop;
  await world.kill('shop');
  const from = calls.length;
  const { rewards } = await shop.askUntilAnswered(shopper, 'rewards');
  const { rewardId: id } = shopper.click;
  expect(rewards).toContainEqual(expect.objectContaining({ id, redeemable: true }));
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
  readonly disturb: (shopper: Shopper) => readonly Disturbance[];
  /** Nothing is stored yet: the page asks the shopper to press again. */
  readonly mayPressAgain: boolean;
}

/** The function that answers the shopper is killed after this step. */
function shopScan(step: string, mayPressAgain: boolean): Walk {
  const disturb = () => {
    const { calls } = world.lines.shop;
    const from = calls.length;
    const isIt = () => stepsOf(calls.slice(from)).at(-1) === step;
    return [world.disturb('shop', isIt, 'killed-after')];
  };
  return { shopper: newEarner(`shop: killed after ${step}`), disturb, mayPressAgain };
}

const killedBeforeSpending = () => world.disturb('shop', isRedeem, 'killed-before');

/** That function is killed before it spends, and the worker that continues after this step. */
function workerScan(step: string): Walk {
  const isNameless = NAMELESS_STEPS.includes(step);
  const disturb = (shopper: Shopper) => {
    const isIt = (call: OutsideCall) =>
      stepOf(call) === step && (isNameless || isAbout(shopper, call));
    return [killedBeforeSpending(), world.disturb('worker', isIt, 'killed-after')];
  };
  return { shopper: newEarner(`worker: killed after ${step}`), disturb, mayPressAgain: false };
}

const everyone: Shopper[] = [];

function newEarner(title: string): Shopper {
  const made = shop.newShopper(title);
  const shopper = { ...made, click: { ...made.click, ...chosen } };
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
async function walk({ shopper, disturb, mayPressAgain }: Walk): Promise<readonly Disturbance[]> {
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

describe('a reward', () => {
  useStack('local/harness/storefront.config.ts');

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

    const disturbances: Disturbance[] = [];
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
});

describe('cashback', () => {
  useStack('test/fixtures/store-credit.config.ts', CASHBACK);

  it('becomes one credit, wherever the redeeming loses its process', async () => {
    const walks = [
      ...CREDIT_STEPS.map(workerScan),
      ...CREDIT_STEPS.map((step) => shopScan(step, false)),
    ];
    await shop.expectPoints(everyone, EARNED);
    const creditsOf = ({ id }: Shopper) => {
      const { storeCreditAccounts, storeCreditTransactions } = world.stack.store.state();
      const own = storeCreditAccounts.filter(({ customerId }) => customerId === id);
      const ids = own.map((account) => account.id);
      return storeCreditTransactions.filter(({ accountId }) => ids.includes(accountId));
    };
    const spent = () => everyone.filter((one) => shop.look().redemptionsOf(one).length > 0);
    // One after the other: a worker that is killed has others in its batch, which would wait for the second look.
    for (const one of walks) {
      const planned = await walk(one);
      const isOver = () =>
        planned.every(({ met }) => met) && spent().every((other) => creditsOf(other).length > 0);
      await expect.poll(isOver, { timeout: 600_000, interval: 1_000 }).toBe(true);
    }
    // Until nothing is left to do; the same click again changes nothing.
    await shop.expectPoints(everyone, EARNED - CASHBACK_COST);
    for (const shopper of everyone) {
      const { redemption } = await shop.askUntilAnswered(shopper, 'redeem', shopper.click);
      const credited = { state: 'credited', value: CASHBACK.value, code: null };
      expect(redemption, shopper.title).toMatchObject(credited);
      expect(creditsOf(shopper), shopper.title).toMatchObject([{ kind: 'credit', minor: 400 }]);
      const redemptions = shop.look().redemptionsOf(shopper);
      expect(redemptions, shopper.title).toMatchObject([{ configurationId: 8, canceledAt: null }]);
    }
    await shop.expectPoints(everyone, EARNED - CASHBACK_COST);
    expect(await shop.deadLetters()).toBe(0);
    expect(world.stack.problems).toEqual([]);
  }, 1_800_000);
});
