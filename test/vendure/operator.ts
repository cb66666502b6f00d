import type { VendureEngine } from '../../local/vendure-engine/engine.ts';
import type { PlacedOrder } from '../../local/vendure-engine/shopkeeper.ts';
import type { LocalStack } from '../support/local-stack.ts';
import { foundIn, readRawItems } from '../support/raw-ledger.ts';
import { person, type Say } from './check.ts';
import { DOMAIN, type OperatedShop, openOperatedShop } from './operated-shop.ts';

/** One of each kind, from before the connector. */
const BEFORE = 20;

/** From observing to a live shop, by an operator's commands. Gives the faults. */
export async function playOperator(
  folder: string,
  engine: VendureEngine,
  say: Say,
): Promise<readonly string[]> {
  const shop = await openOperatedShop(folder, engine, say);
  try {
    await shop.placeMany('before', BEFORE);
    shop.passHour();
    const order = await observe(shop);
    shop.passHour();
    say('observed, and nothing was sent');
    await shop.withStack('live', async (stack) => {
      await goLive(shop, stack);
      await bringThePast(shop, stack);
      await look(shop, order);
      await lookInVain(shop, order);
      await erase(shop, stack);
      await shop.check.expectSound(stack);
    });
  } finally {
    await shop.close();
  }
  return shop.check.faults;
}

/** Returns an order that is placed meanwhile. */
function observe({
  check,
  command,
  engine,
  merchant,
  withStack,
}: OperatedShop): Promise<PlacedOrder> {
  return withStack('observe', async (stack) => {
    const ann = await merchant.register(person('ann'));
    const order = await merchant.buy(ann, { goods: { MUG: 2 } });
    await merchant.ship(order.id);
    await check.until('the order was told', () => engine.unsent() === 0);
    await stack.settled();
    await command('status', 0, 'observed since', 'nothing is sent');
    await command('compare orders --since 1d', 3, '1 not sent yet', 'planned 16.79');
    await command('go-live --no-other', 2, `${DOMAIN} is observed: set mode: 'live'`);
    const { orders, products } = stack.loyalty.state();
    check.expect('nothing is sent while observing', orders.length + products.length === 0);
    return order;
  });
}

/** From between the orders of before and the one that was placed while it was observed. */
async function goLive({ check, command }: OperatedShop, stack: LocalStack): Promise<void> {
  const from = new Date(Date.now() - 90 * 60_000).toISOString();
  await command('status', 1, 'waits for go-live');
  await command(`go-live --no-other --from ${from}`, 0, 'Nothing is done before you agree.');
  // A busy machine may still have messages on the way when it ends.
  await command(`go-live --no-other --from ${from} --yes`, [0, 3], `${DOMAIN} goes live`);
  await stack.settled();
  const { orders } = stack.loyalty.state();
  check.expect(`only the order since then is sent: ${orders.length}`, orders.length === 1);
  check.say('it went live');
}

async function bringThePast({ check, command }: OperatedShop, stack: LocalStack): Promise<void> {
  await command('backfill orders --since 30d --rate 1000 --yes', 0, 'orders are on the queue');
  await check.compare(stack, 'and the orders from before, by a backfill', 'buyers');
}

const AGREE = 'Both sides were read just now and agree.';

/** What an operator asks of a shop that is in sync. */
async function look({ check, engine, command }: OperatedShop, { id }: PlacedOrder): Promise<void> {
  const [row] = engine.query<{ code: string }>('SELECT code FROM "order" WHERE id = ?', id);
  const code = row?.code ?? '';
  await command('status', 0, 'All clear.');
  await command('status --json', 0, '"kind": "ok"');
  await command('reconcile', 0, 'Store and ledger agree up to');
  await command('reconcile --deep', 0, 'orders as sent');
  await command('compare orders --since 30d', 0, 'orders agree');
  for (const name of [`order ${code}`, `order ${id}`, code]) {
    await command(`trace ${name}`, 0, `Order ${code} of ${DOMAIN}`, AGREE, 'grants 16.79 points');
  }
  await command('trace product Mug', 0, 'Its current state was sent', 'price 9.99');
  await command('trace coupon TENPCT', 0, AGREE, 'value 10');
  await command('trace customer ann@example.com', 0, 'the same e-mail address', `Order ${code}`);
  await command('redemptions show ann@example.com', 0, 'not shown');
  await command('trace order nothere', 1, 'There is no order "nothere"');
  await command('trace coupon NOPE', 1, 'There is no coupon');
  await command('trace product 99', 1, 'There is no product');
  await command('doctor --all', 0, 'can be read, with its orders', "the store's currency is EUR");
  await command('setup --yes', 0, "accepts the shop's signature and refuses a forged one");
  await command('webhooks check', 4, 'there is nothing to subscribe to');
  await command(`resend order ${code} --yes --wait`, 0);
  await command('dead-letters list', 0);
  check.say('all commands say that it is in sync');
}

/** The server does not answer: nothing may look well that was not read. */
async function lookInVain(
  { check, engine, command }: OperatedShop,
  { id }: PlacedOrder,
): Promise<void> {
  await engine.kill();
  const unread = 'The store could not be read (connection).';
  await command('doctor', 4, 'UNKNOWN', 'there is no connection to');
  await command('status', 4, 'UNKNOWN', 'there is no connection to');
  for (const name of [`order ${id}`, 'product 1', 'coupon TENPCT']) {
    await command(`trace ${name}`, 4, 'UNKNOWN', unread);
  }
  await command('compare orders --since 1d', 1, unread);
  await command('reconcile', 4, 'UNKNOWN', 'Not everything was compared');
  await command('backfill orders --since 1d', 1, unread);
  await command('setup --yes', 1, 'Set-up stopped at step 4, Vendure server.');
  check.say('without the server, no command says that it is well');
}

/** What somebody may ask about their data is answered, and erased, by their e-mail address. */
async function erase(
  { check, command, startEngine }: OperatedShop,
  stack: LocalStack,
): Promise<void> {
  const kept = async () =>
    foundIn(await readRawItems(stack.dynamoDb, stack.outputs.LedgerTable ?? ''), [
      'ann@example.com',
    ]);
  await startEngine(stack);
  check.expect('the ledger holds the customer', (await kept()).length > 0);
  await command('privacy show ann@example.com', 0, 'their account and orders', 'the member');
  // The first may leave a message on its way.
  await command('privacy erase ann@example.com --yes', [1, 3]);
  await stack.settled();
  await command('privacy erase ann@example.com --yes', 1, 'But Vendure has them still');
  const left = await kept();
  check.expect(`nothing of them is in the ledger: ${left.length}`, left.length === 0);
  check.say('a person was erased');
}
