import { amountHeld } from '../../local/harness/held-order.ts';
import type { VendureEngine } from '../../local/vendure-engine/engine.ts';
import { runCommand } from '../support/connector-command.ts';
import type { LocalStack } from '../support/local-stack.ts';
import type { Say } from './check.ts';
import { type OperatedShop, openOperatedShop } from './operated-shop.ts';

/** Placed before the connector is there. */
const PAST = 1000;
/** Of the same kinds in the same order, with the plugin. */
const LATER = 40;
/** With the one that the shop began with. */
const FOUND = PAST + 1;
const MANY = FOUND.toLocaleString('en-US');

/**
 * A shop that has a past: its orders are placed before the connector is there, and a backfill brings them. Then some of
 * the same orders come by events: both ways must end in the same state. Gives the faults.
 */
export async function playPast(
  folder: string,
  engine: VendureEngine,
  say: Say,
): Promise<readonly string[]> {
  const shop = await openOperatedShop(folder, engine, say);
  try {
    await shop.placeMany('past', PAST);
    say(`${PAST} orders are placed, without the connector`);
    await shop.withStack('live', async (stack) => {
      await backfill(shop, stack);
      await tell(shop, stack);
      await shop.check.expectSound(stack);
    });
  } finally {
    await shop.close();
  }
  return shop.check.faults;
}

/** Killed in the middle, and continued by the same command. */
async function backfill(shop: OperatedShop, stack: LocalStack): Promise<void> {
  const { check, command, project } = shop;
  await command('backfill products --yes', 0, '3 products are on the queue');
  await command('backfill discounts --yes', 0, '2 codes are on the queue');
  const words = 'backfill orders --since 30d --rate 1000';
  await command(words, 0, `Found ${MANY} orders`, 'Nothing is done before you agree.');
  const begins = Date.now();
  const killed = await runCommand([...words.split(' '), '--yes'], {
    folder: project,
    death: check.until('some are sent', () => stack.loyalty.state().orders.length > 0),
  });
  check.expect(`the backfill was killed: ${killed.code}`, killed.code === null);
  await command('backfill status', 0, 'stopped or running');
  await command(`${words} --yes`, 0, `${MANY} orders are on the queue`, 'Resuming');
  await command(`${words} --yes`, 0, 'Nothing was sent: this backfill finished');
  await stack.settled();
  const seconds = Math.round((Date.now() - begins) / 1000);
  const what = `a backfill of ${FOUND} orders, killed once, in ${seconds} s`;
  await check.compare(stack, what, 'buyers');
}

/** The same orders as events: what the service holds of them must be the same. */
async function tell(shop: OperatedShop, stack: LocalStack): Promise<void> {
  const { check, engine } = shop;
  await engine.kill();
  await shop.placeMany('later', LATER, stack);
  await shop.startEngine(stack);
  await check.compare(stack, `${LATER} of the same orders came as events`, 'buyers');
  const held = new Map(stack.loyalty.state().orders.map((one) => [one.OriginalId, one]));
  const ids = engine.query<{ id: number }>(
    `SELECT "order".id FROM "order" JOIN customer ON customer.id = customerId
     WHERE customer.firstName IN ('past', 'later') ORDER BY "order".id`,
  );
  const stateOf = (index: number) => {
    const one = held.get(String(ids[index]?.id));
    return JSON.stringify(
      one && [amountHeld(one), one.IsCompleted, one.IsCancelledOrReturned, one.OrderStatus],
    );
  };
  for (let n = 0; n < LATER; n += 1) {
    const [backfilled, told] = [stateOf(n), stateOf(PAST + n)];
    check.expect(`order ${n} is ${backfilled}, by events ${told}`, backfilled === told);
  }
}
