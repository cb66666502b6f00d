import { afterEach, describe, expect, it } from 'vitest';
import { openBalances } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openStorefront } from '../../support/running-storefront.ts';
import { openStoreAndConnector } from '../../support/store-and-connector.ts';

const connectors = runConnectors();
let stop: (() => Promise<void>) | undefined;
afterEach(async () => stop?.());

async function open(scopes?: readonly string[]) {
  const both = await openStoreAndConnector(connectors, {
    seed: 7,
    ...(scopes && { store: { scopes } }),
  });
  stop = both.stop;
  const balances = await openBalances(both.connector);
  return { ...both, balances };
}

type World = Awaited<ReturnType<typeof open>>;

let persons = 0;

/** A paid and fulfilled order of a new customer; gives the customer's id. */
async function buy({ store, connector }: World, price = 64.9, customerId?: string) {
  persons += 1;
  const id =
    customerId ??
    store.actions.createCustomer({
      firstName: 'Robin',
      lastName: 'Sampleson',
      email: `robin-${persons}@example.com`,
    }).id;
  const order = store.actions.placeOrder({
    customerId: id,
    lines: [{ title: 'Kettle', price, quantity: 1 }],
    payment: 'paid',
  });
  store.actions.fulfilOrder({ orderId: order.id });
  await store.deliveries.settled();
  await connector.settle();
  return id;
}

/** What a theme would see of the customer. */
function metafieldsOf({ store }: World, customerId: string): Record<string, string> {
  const own = store
    .state()
    .metafields.filter(({ ownerGid }) => ownerGid === `gid://shopify/Customer/${customerId}`);
  return Object.fromEntries(own.map(({ namespace, key, value }) => [`${namespace}.${key}`, value]));
}

/** What the service holds by its newest event, delivered or not. */
function balanceIn({ connector }: World, customerId: string): string {
  const payloads = connector.loyalty.events
    .all()
    .map(({ payload }) => payload as { Customer: object; PointsBalance: object });
  const own = payloads.findLast(
    ({ Customer }) => 'Id' in Customer && Customer.Id === customerId,
  )?.PointsBalance;
  return own && 'PointsBalance' in own ? String(own.PointsBalance) : 'none';
}

describe('an order in the store', () => {
  it('makes points, the event comes back, and the customer’s metafields hold the balance', async () => {
    const world = await open();
    const customer = await buy(world);
    expect(await world.balances.forward()).toEqual([200]);
    await world.balances.settle();
    const first = balanceIn(world, customer);
    expect(Number(first)).toBeGreaterThan(0);
    expect(metafieldsOf(world, customer)).toMatchObject({ 'loyalty.points': first });
    expect(metafieldsOf(world, customer)['loyalty.tier']).toBeTruthy();

    await buy(world, 10, customer);
    await world.balances.forward();
    await world.balances.settle();
    expect(Number(balanceIn(world, customer))).toBeGreaterThan(Number(first));
    expect(metafieldsOf(world, customer)['loyalty.points']).toBe(balanceIn(world, customer));
  });

  it('is corrected in the night when the event of its points was lost', async () => {
    const world = await open();
    const customer = await buy(world);
    await world.balances.forward();
    await world.balances.settle();
    const lost = world.connector.loyalty.events.all().length;
    await buy(world, 10, customer);
    expect(world.connector.loyalty.events.all().length).toBeGreaterThan(lost);
    const unmet = await buy(world, 7);
    world.connector.pass(24 * 3_600);
    await world.balances.repair();
    await world.balances.settle();
    for (const id of [customer, unmet]) {
      expect(metafieldsOf(world, id)['loyalty.points']).toBe(balanceIn(world, id));
    }
    const repaired = world.connector.output
      .lines()
      .filter(({ message, topic }) => message === 'applied' && topic === 'repair');
    expect(repaired.length).toBeGreaterThan(0);
  });

  it('reaches the metafields at the first visit of a customer from before the connector', async () => {
    const world = await open();
    const customer = await buy(world);
    // No event of these points is ever delivered.
    const storefront = openStorefront(world.connector);
    const { json } = await storefront.get('me', customer);
    expect(json).toMatchObject({ points: Number(balanceIn(world, customer)) });
    await world.balances.settle();
    expect(metafieldsOf(world, customer)['loyalty.points']).toBe(balanceIn(world, customer));
  });

  it('leaves nothing of the person on the queue but the id', async () => {
    const world = await open();
    await buy(world);
    await world.balances.forward();
    const [body = ''] = await world.balances.peek();
    expect(world.connector.confidential.disclosedIn([body])).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({ v: 1, kind: 'balance' });
    expect(JSON.parse(body).points).toMatch(/^[\d.]+$/);
    await world.balances.settle();
    expect(await world.connector.ledgerText()).toContain('"customer|');
  });
});
