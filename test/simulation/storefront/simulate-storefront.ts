import { storefrontOf } from '../../../functions/wiring.ts';
import type { PartialSettings } from '../../../local/loyalty-sandbox/settings.ts';
import { runBatch } from '../../../shared/core/batch/run-batch.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { repairBalances } from '../../../shared/rewards/balances/repair-balances.ts';
import { createMembers } from '../../../shared/rewards/redeem/own-member.ts';
import { settleStorefront } from '../../../shared/rewards/redeem/settle-storefront.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';
import { createMemoryQueueDepth } from '../../support/memory-queue.ts';
import { type Chance, joined } from '../kernel/chance.ts';
import { Kernel } from '../kernel/kernel.ts';
import { resultOf, type SimulationResult, type SimulationSettings } from '../simulate.ts';
import { connector, SHOP } from '../world/connector.ts';
import { LoyaltyService } from '../world/loyalty-service.ts';
import { WakingOperator } from '../world/operator.ts';
import { eventQueueOf, ledgerOf, runScheduled } from '../world/process-world.ts';
import { Queues } from '../world/queues.ts';
import { WatchedTelemetry } from '../world/watched-telemetry.ts';
import { type StartFunction, Workers } from '../world/workers.ts';
import { CodeOrders } from './code-orders.ts';
import { PointEvents } from './point-events.ts';
import { Redactions } from './redactions.ts';
import { RewardShop, type ShopCustomer } from './reward-shop.ts';
import { Shoppers, type StorefrontWorld } from './shoppers.ts';
import { Shopping } from './shopping.ts';
import { StorefrontOracles } from './storefront-oracles.ts';

const { customerIdIn, posCustomerId } = storefrontOf(connector);

/** The function that writes balances and finishes redemptions. */
function startBalanceWorker({ loyalty, shop, telemetry, kernel }: StorefrontWorld): StartFunction {
  return (process, failed, pauses) => {
    const line = {
      loyalty: loyalty.clientOf(process, failed),
      breaker: pauses.guard(SHOP, createCircuitBreaker()),
    };
    const named = { shop: SHOP, telemetry, now: kernel.now, posCustomerId };
    const source = { ...line, members: createMembers({ ...line, ...named }) };
    return (batch, { asking, ...invocation }) => {
      const store = shop.askedBy(process, asking);
      const world = {
        ...invocation,
        pauses,
        store,
        customers: store,
        balances: store,
        shops: new Map([[SHOP, source]]),
        retentionDays: connector.orderRetentionDays,
        customerIdIn,
      };
      return runBatch(batch, world, settleStorefront);
    };
  };
}

/** The part of one scheduled run that compares balances. */
function repairNightly(run: number, world: StorefrontWorld): void {
  const { kernel, queues, ledger, loyalty, telemetry } = world;
  runScheduled(kernel, `reconcile ${run}`, async ({ process, deadline, pause }) => {
    const repaired = await repairBalances(SHOP, {
      ledger: ledgerOf(process, ledger),
      queue: eventQueueOf(process, queues),
      depth: createMemoryQueueDepth(queues.sources),
      loyalty: loyalty.clientOf(process, () => new Set()),
      breaker: createCircuitBreaker(),
      telemetry,
      now: kernel.now,
      pause,
      deadline,
      othersWait: false,
      takeTurn: (work) => work(),
    });
    return repaired ? `compares balances: ${JSON.stringify(repaired)}` : 'ends';
  });
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** After the time of the nightly comparison. */
const NIGHT_MS = 3.2 * 60 * MINUTE;

/** A log line with one of their names breaks a promise. */
const customers: readonly ShopCustomer[] = ['7001', '7002', '7003', '7004'].map((id) => ({
  id,
  email: `zqzq-${id}@example.com`,
  document: `0${id}0${id}1`,
  name: `Zqzq ${id}`,
}));

/**
 * One seed: customers redeem rewards and collect points under faults, then the faults end, and store,
 * ledger and service must agree. `events` is the number of steps.
 */
export async function simulateStorefront(settings: SimulationSettings): Promise<SimulationResult> {
  const kernel = new Kernel(settings);
  const { time, journal, chance } = kernel;
  const guesses = drawGuesses(chance);
  const queues = new Queues(kernel);
  const ledger = createMemoryLedger();
  const telemetry = new WatchedTelemetry(kernel);
  const loyalty = new LoyaltyService(kernel, guesses, clockDifference(chance));
  const shop = new RewardShop(kernel, customers);
  const world = { kernel, queues, ledger, loyalty, shop, telemetry };
  const pointEvents = new PointEvents(world, guesses.eventForm);
  const drain = () => pointEvents.deliveries.drain();
  const redactions = new Redactions(world);
  const oracles = new StorefrontOracles({ ...world, redacted: redactions.redacted });
  const workers = new Workers(
    { ...world, allowsLetter: (_reason, _delivery, entity) => oracles.allowsLetter(entity) },
    'balances',
    startBalanceWorker(world),
  );
  queues.onSent = () => workers.poke(time.now + 2);
  const waking = new WakingOperator(world);
  loyalty.onExecuted = (call) => {
    pointEvents.send();
    oracles.executed(call);
  };
  const shoppers = new Shoppers(world);
  const onShown = oracles.shown.bind(oracles);
  const redact = redactions.begin.bind(redactions);
  const codeOrders = new CodeOrders(world, ({ customer, code }) => {
    shopping.order(customer, `order-${code}`, 50, code);
  });
  const shopping = new Shopping({ ...world, shoppers, codeOrders, redact, onShown });
  let repairs = 0;

  // The last customer has bought nothing yet.
  for (const customer of customers.slice(0, -1)) shopping.buy(customer, 300);
  const steps = await live();
  // Faults continue for a while after the last step, an outage until its end.
  kernel.calmFrom = Math.max(time.now + chance(12) * 60 * MINUTE, kernel.troubleEndsAt);
  waking.wakeAfterFaults();
  await codeOrders.drain();
  await drain();
  if (pointEvents.deliveries.lost === 0) oracles.judgeBalances();
  else {
    await time.passUntil(Math.ceil((time.now - NIGHT_MS) / DAY) * DAY + NIGHT_MS);
    // The first run of the night may have to finish a comparison that broke off before.
    for (const _ of ['first run', 'second run']) {
      repair();
      await drain();
    }
    oracles.judgeBalances();
  }
  if (queues.size > 0) {
    const [{ kind, id } = { kind: '', id: '' }] = queues.waiting;
    journal.violation('in-flight', `${queues.size} messages never settle, as of ${kind} ${id}`);
  }
  if (codeOrders.isOpen) journal.violation('in-flight', 'an order with a code is never noted');
  for (const id of redactions.open) oracles.judgeOpenRedaction(id);
  const { redemptions, changeKeys } = loyalty.rows;
  const isBack = ({ canceledAt }: { readonly canceledAt: string | null }) => canceledAt !== null;
  journal.play('redemption', redemptions.size);
  journal.play('redemption cancelled', [...redemptions.values()].filter(isBack).length);
  journal.play('points taken again', changeKeys.size);
  journal.play('store credit', shop.credits.length);
  oracles.judgeRedemptions(shopping.clicks);
  telemetry.judgeDay(queues.size === 0);
  return resultOf(kernel, telemetry, pointEvents.deliveries, {
    steps,
    webhooks: pointEvents.made,
    accepted: 0,
    letters: queues.dead.balances.size,
  });

  /** The phase of changes and faults. */
  async function live(): Promise<readonly number[]> {
    const all = settings.steps ?? Array.from({ length: settings.events }, (_, index) => index);
    const hurry = chance(13);
    for (const step of all) {
      await time.passUntil(time.now + gapBefore(step, hurry));
      let draws = 0;
      const words = shopping.step(step, () => chance(joined(21, step), draws++));
      journal.note(step, () => words);
      if (chance(joined(22, step)) < 0.03) repair();
      waking.step(step);
    }
    return all;
  }

  function repair(): void {
    repairs += 1;
    journal.play('comparison of balances');
    repairNightly(repairs, world);
  }

  /** Often several steps in one second; some seeds pause for hours. */
  function gapBefore(step: number, hurry: number): number {
    const drawn = chance(joined(23, step));
    const size = chance(joined(24, step));
    if (drawn < 0.35) return size * 1_000;
    if (drawn < 0.9 - 0.3 * hurry) return size * 40_000;
    return size * (hurry < 0.3 ? 90 : 10) * MINUTE;
  }
}

/** In half of the seeds none; below the five minutes that the connector allows. */
function clockDifference(chance: Chance): number {
  const drawn = chance(52);
  return drawn < 0.5 ? 0 : Math.floor((drawn - 0.75) * 16 * MINUTE);
}

/** What the service's documentation leaves open: each seed has its own answers. */
function drawGuesses(chance: Chance) {
  let draws = 0;
  const oneOf = <const Value>(...values: readonly Value[]): Value =>
    values[Math.floor(chance(51, draws++) * values.length)] as Value;
  return {
    repeatedRedeem: oneOf('first-result', 'first-result', 'refuse', 'null-result'),
    spendingTopic: oneOf('Point_Add', 'Point_Removed'),
    eventForm: oneOf('wrapped', 'numbered-topic', 'bare'),
    eventCustomerId: oneOf('store-id', 'store-id', 'null', 'email', 'document'),
    posCustomerId: oneOf('any', 'email-or-document'),
    envelope: oneOf('A', 'B'),
    pointsValidDays: oneOf(365, 20),
    // With a limit per purchase there is no store credit.
    cashbackPercentOfPurchase: 100,
  } satisfies PartialSettings;
}
