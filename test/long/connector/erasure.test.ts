import { describe, expect, it } from 'vitest';
import { orderAt } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { foundIn, itemsOf, readRawItems } from '../../support/raw-ledger.ts';
import {
  type RunningConnector,
  runConnectors,
  SECOND_SHOP,
  SHOP,
} from '../../support/running-connector.ts';
import { openProgram, SECOND_SECRET } from '../../support/running-program.ts';
import { STORE_SECRET } from '../../support/store-and-connector.ts';

/*
 * An erasure is complete. Written from the promise alone: it looks at the raw items of the ledger's table, and at
 * what the loyalty service was sent. Every other way is tried in erase.test.ts and handle-task.test.ts of the core.
 */

const connectors = runConnectors();

const { quillane, tibbold } = persons;
const textsOf = ({ email, first_name, last_name, phone }: typeof quillane | typeof tibbold) => [
  ...[email, first_name, last_name, phone],
];

/** The assumption about the stated time: a run of each kind after so many days holds the next scan of the ledger. */
const SCANNED_AFTER_DAYS = [1, 7];

/** Time passes until the next scan of the ledger is over. */
async function nextScan(connector: RunningConnector): Promise<void> {
  for (const days of SCANNED_AFTER_DAYS) {
    connector.pass(days * 86_400);
    await connector.reconcile();
    await connector.reconcile({ mode: 'deep' });
    await connector.settle();
  }
}

type Changes = Parameters<typeof openProgram>[1];

/** Quillane has three orders here and one in the second shop, under the same number; Tibbold has one here. */
async function open(changes: Changes = {}) {
  const world = await openProgram(connectors, changes);
  const { store, connector } = world;
  const signUp = ({ first_name, last_name, email, phone }: typeof quillane | typeof tibbold) =>
    store.actions.createCustomer({ firstName: first_name, lastName: last_name, email, phone }).id;
  const [id, neighbour] = [signUp(quillane), signUp(tibbold)];
  const orders = [world.buy(id, 54.08), world.buy(id, 61.5), world.buy(id, 70.25)] as const;
  world.buy(neighbour, 20);
  await world.rest();
  const elsewhere = { ...quillane, id: Number(id) };
  const payload = orderAt(1, { fulfilledAfterDays: 1 }, { currency: 'EUR' }, elsewhere);
  const second = { shop: SECOND_SHOP, secret: SECOND_SECRET };
  await connector.deliver(['orders/create', payload, second]);

  /** No webhook tells of it in time: its body is on its way. */
  const quietly = <Value>(act: () => Value): Value => {
    const { disorder } = store;
    store.disorder = { ...disorder, drop: 1 };
    const value = act();
    store.disorder = disorder;
    return value;
  };
  connector.pass(600);
  const unknown = quietly(() => world.buy(id, 33));
  for (const orderId of orders) quietly(() => store.actions.tagOrder({ orderId, tags: ['gift'] }));
  connector.pass(3_600);

  const read = () => readRawItems(connector.aws.dynamoDb, connector.name);
  const body = (named: readonly string[]) => ({
    ...{ shop_id: 954889, shop_domain: SHOP, orders_to_redact: named.map(Number) },
    customer: { id: Number(id), email: quillane.email, phone: quillane.phone },
  });
  const opened = {
    ...{ ...world, id, orders, unknown },
    /** Which texts of the person the items of a shop hold. */
    held: async (person: typeof quillane | typeof tibbold, shop: string) =>
      foundIn(itemsOf(await read(), shop), textsOf(person)),
    /** In the items about one order. */
    heldOf: async (orderId: string) => {
      const items = itemsOf(await read(), SHOP).filter((item) => item.includes(orderId));
      return foundIn(items, textsOf(quillane));
    },
    /** As the store asks for it: its own data are gone, and the request names these orders only. */
    async redact(...named: readonly string[]): Promise<void> {
      quietly(() => store.actions.redactCustomer({ customerId: id }));
      await connector.deliver(['customers/redact', body(named), { secret: STORE_SECRET }]);
    },
    /** The webhook that was on its way, with the person in it: newer than what is known of the order. */
    late(orderId: string): Promise<void> {
      const bodies = store.deliveries
        .all()
        .filter(({ state, topic }) => state === 'dropped' && topic.startsWith('orders/'))
        .map(({ body }) => body)
        .filter((text) => text.includes(`"id":${orderId}`) && text.includes(quillane.email));
      const payload = Buffer.from(bodies.at(-1) ?? '');
      return connector.deliver(['orders/updated', payload, { secret: STORE_SECRET }]);
    },
  };
  // Its store knows no credentials of ours: no run may ask it.
  await connector.pauseShop(SECOND_SHOP);
  connector.pass(11);
  expect(await opened.held(quillane, SHOP)).toContain(quillane.email);
  expect(await opened.held(quillane, SECOND_SHOP)).toContain(quillane.email);
  return opened;
}

/** Nothing of the person is left in this shop, and everything of others is. */
async function expectErased({ held }: Awaited<ReturnType<typeof open>>): Promise<void> {
  expect(await held(quillane, SHOP)).toEqual([]);
  expect(await held(tibbold, SHOP)).toContain(tibbold.email);
  expect(await held(quillane, SECOND_SHOP)).toContain(quillane.email);
}

const ways = [
  ['who is known from sign-up', {}],
  ['who is known from orders only', { rules: { customers: 'with-orders' } }],
] as const satisfies readonly (readonly [string, Changes])[];

describe.each(ways)(
  'a customer %s, with three orders of which the redaction names one',
  (_, changes) => {
    it('is gone from that order at once, and from all of them after the next scan', async () => {
      const world = await open(changes);
      await world.redact(world.orders[0]);
      expect(await world.heldOf(world.orders[0])).toEqual([]);
      await nextScan(world.connector);
      await expectErased(world);
      expect(await world.connector.deadLetters()).toEqual([]);
    });
  },
);

describe('a customer who was redacted', () => {
  it('is not brought back by late webhooks, before or after the scan', async () => {
    const world = await open();
    await world.redact(world.orders[0]);
    await world.late(world.orders[1]);
    await nextScan(world.connector);
    await expectErased(world);
    world.connector.newCalls();
    for (const id of [...world.orders, world.unknown]) await world.late(id);
    await expectErased(world);
    const sent = world.connector.newCalls().map(({ body }) => JSON.stringify(body ?? ''));
    expect(foundIn(sent, textsOf(quillane))).toEqual([]);
    await nextScan(world.connector);
    await expectErased(world);
  });
});

// The test of the tests above: such a webhook counts.
it('a late webhook of a customer who was not redacted is applied', async () => {
  const world = await open();
  world.connector.newCalls();
  await world.late(world.unknown);
  expect(world.connector.newOperations()).toContain('sendOrder');
});

describe('a request to erase one of several shops', () => {
  it('tells nobody to delete the stack, which the other shops need', async () => {
    const connector = await connectors.open();
    const before = connector.output.lines().length;
    await connector.deliver(['shop/redact', { shop_id: 954889, shop_domain: SHOP }]);
    const items = itemsOf(await readRawItems(connector.aws.dynamoDb, connector.name), SHOP);
    const lines = connector.output
      .lines()
      .slice(before)
      .map((line) => JSON.stringify(line));
    const told = [...items, ...lines].filter((text) => text.includes('redact'));
    expect(told).not.toEqual([]);
    expect(
      told.filter((text) => /(?:delete|destroy|remove) the (?:whole )?stack/i.test(text)),
    ).toEqual([]);
  });
});
