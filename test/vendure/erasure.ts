import type { VendureEngine } from '../../local/vendure-engine/engine.ts';
import { VendureShop } from '../../local/vendure-engine/shop.ts';
import { type LocalStack, startLocalStack } from '../support/local-stack.ts';
import { foundIn, readRawItems } from '../support/raw-ledger.ts';
import { Check, type Say, withClockAhead } from './check.ts';
import { openMerchant } from './merchant.ts';

/** Names that occur in no other text. */
const quillane = {
  emailAddress: 'quillane.ostravik@example.com',
  firstName: 'Quillane',
  lastName: 'Ostravik',
  phoneNumber: '+15555550142',
};
const tibbold = { emailAddress: 'tibbold@example.com', firstName: 'Tibbold', lastName: 'Fenn' };

/** A customer is deleted: nothing of them may stay in the ledger, and nothing may bring them back. Gives the faults. */
export async function playErasure(engine: VendureEngine, say: Say): Promise<readonly string[]> {
  const port = String(engine.port);
  process.env.VENDURE_PORT = port;
  const stack = await startLocalStack({
    settings: 'test/fixtures/vendure-erasure.config.ts',
    environmentOf: (of, own) => withClockAhead(of, { ...own, VENDURE_PORT: port }),
  });
  const check = new Check(engine, say);
  try {
    await engine.start({ address: stack.webhookAddress, secret: stack.webhookSecret });
    await erase(engine, stack, check);
    await check.expectSound(stack);
    return check.faults;
  } finally {
    await engine.kill();
    await stack.stop();
  }
}

async function erase(engine: VendureEngine, stack: LocalStack, check: Check): Promise<void> {
  const shop = new VendureShop(engine.port);
  const merchant = openMerchant(shop);
  const told = async () => {
    await check.until('the plugin has sent everything', () => engine.unsent() === 0);
    await stack.settled();
  };
  const held = async (person: object) =>
    foundIn(
      await readRawItems(stack.dynamoDb, stack.outputs.LedgerTable ?? ''),
      Object.values(person),
    );
  const memberOf = (email: string) =>
    stack.loyalty.state().customers.find(({ Email }) => Email === email);

  await merchant.setUp();
  await merchant.addProduct('Mug', { MUG: 999 });
  const visitor = await merchant.register(quillane);
  const orders: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await merchant.buy(visitor, { goods: { MUG: 1 } });
    await merchant.ship(id);
    orders.push(id);
  }
  const other = await merchant.buy(await merchant.register(tibbold), { goods: { MUG: 2 } });
  await merchant.ship(other.id);
  await told();
  check.expect(`three orders were sent`, stack.loyalty.state().orders.length === 4);
  check.expect('the ledger holds the customer', (await held(quillane)).length > 0);
  check.expect('the member is active', memberOf(quillane.emailAddress)?.isActive === true);

  const { customers } = await shop.admin<{ customers: { items: { id: string }[] } }>(
    'query ($email: String!) { customers(options: { filter: { emailAddress: { eq: $email } } }) { items { id } } }',
    { email: quillane.emailAddress },
  );
  await merchant.deleteCustomer(customers.items[0]?.id ?? '');
  await told();
  for (const isDeep of [false, true]) await reconcile(stack, check, isDeep);
  await told();
  const left = await held(quillane);
  check.expect(
    `nothing of the deleted customer is in the ledger: ${left.length}`,
    left.length === 0,
  );
  check.expect(
    'the deleted member is inactive',
    memberOf(quillane.emailAddress)?.isActive === false,
  );
  check.expect('of others everything is', (await held(tibbold)).includes(tibbold.emailAddress));
  check.expect('others stay active', memberOf(tibbold.emailAddress)?.isActive === true);

  // The order keeps the customer in Vendure, and any later event of it is read with them.
  await merchant.refund(orders[0] ?? '', { amount: 100 });
  await told();
  await reconcile(stack, check, true);
  await told();
  const back = await held(quillane);
  check.expect(
    `a later refund does not bring the customer back: ${back.length}`,
    back.length === 0,
  );
  check.say('a customer was deleted');

  // The same person comes back: Vendure gives a new number, and it is a new customer.
  const again = await merchant.register(quillane);
  const { id } = await merchant.buy(again, { goods: { MUG: 1 } });
  await merchant.ship(id);
  await told();
  const sent = stack.loyalty.state().orders.some(({ OriginalId }) => OriginalId === id);
  check.expect('an order after the erasure is sent', sent);
}

async function reconcile(stack: LocalStack, check: Check, isDeep: boolean): Promise<void> {
  const { functions, description } = stack;
  const schedule = description.schedules.find(
    ({ input }) => JSON.stringify(input ?? '').includes('deep') === isDeep,
  );
  if (!schedule) throw new Error('reconcile is not scheduled');
  const result = await functions.runSchedule(schedule);
  check.expect(`reconcile returned: ${JSON.stringify(result)}`, result?.kind === 'returned');
  await stack.settled();
}
