import { describe, expect, it } from 'vitest';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openProgram, type Program, type SandboxPayload } from '../../support/running-program.ts';

const connectors = runConnectors();

/** A customer who bought for so much. */
async function open(price = 64.9) {
  const program = await openProgram(connectors, { shops: [{ domain: SHOP }] });
  const customer = program.signUp();
  program.buy(customer, price);
  await program.settle();
  return { program, customer };
}

/** What the service holds by its newest event, delivered or not. */
function balanceIn({ loyalty }: Program, customerId: string): string {
  const payloads = loyalty.events
    .all()
    .map(({ payload }) => payload as { Customer: object; PointsBalance: object });
  const own = payloads.findLast(
    ({ Customer }) => 'Id' in Customer && Customer.Id === customerId,
  )?.PointsBalance;
  return own && 'PointsBalance' in own ? String(own.PointsBalance) : 'none';
}

describe('an order in the store', () => {
  it('makes points, the event comes back, and the customer’s metafields hold the balance', async () => {
    const { program, customer } = await open();
    expect(await program.points.forward()).toEqual([200]);
    await program.connector.settle();
    const tier = expect.stringMatching(/./);
    const first = { 'loyalty.points': '64.9', 'loyalty.tier': tier };
    expect(program.metafieldsOf(customer)).toMatchObject(first);
    program.buy(customer, 10);
    await program.rest();
    expect(balanceIn(program, customer)).toBe('74.9');
    expect(program.metafieldsOf(customer)).toMatchObject({ 'loyalty.points': '74.9' });
  });

  it('is corrected in the night when the event of its points was lost', async () => {
    const { program, customer } = await open();
    await program.rest();
    program.buy(customer, 10);
    const unmet = program.signUp('Sasha');
    program.buy(unmet, 7);
    await program.settle();
    program.connector.pass(24 * 3_600);
    await program.connector.reconcile();
    await program.connector.settle();
    for (const [id, points] of [
      [customer, '74.9'],
      [unmet, '7'],
    ] as const) {
      expect(balanceIn(program, id)).toBe(points);
      expect(program.metafieldsOf(id)).toMatchObject({ 'loyalty.points': points });
    }
    const repaired = program.connector.output
      .lines()
      .filter(({ message, topic }) => message === 'applied' && topic === 'repair');
    expect(repaired.length).toBeGreaterThan(0);
  });

  it('reaches the metafields at the first visit of a customer from before the connector', async () => {
    const { program, customer } = await open();
    // No event of these points is ever delivered.
    const { json } = await program.one.proxy(customer, 'me');
    expect(json).toMatchObject({ points: 64.9 });
    await program.connector.settle();
    expect(program.metafieldsOf(customer)).toMatchObject({ 'loyalty.points': '64.9' });
  });

  it('leaves nothing of the person on the queue but the id', async () => {
    const { program } = await open();
    const { points, connector } = program;
    await points.forward();
    const [body = ''] = await points.peek();
    expect(connector.confidential.disclosedIn([body])).toEqual([]);
    const names = ['deliveryId', 'id', 'kind', 'receivedAt', 'shop', 'topic', 'triggeredAt', 'v'];
    expect(Object.keys(JSON.parse(body)).toSorted()).toEqual(names);
    await connector.settle();
    expect(await connector.ledgerText()).toContain('"customer|');
  });
});

const EMAIL = 'robin.sampleson@example.com';

/** As on a platform where the Id is something else. */
const withId = (Id: string | null) => (payload: SandboxPayload) => ({
  ...payload,
  Customer: { ...payload.Customer, Id },
});

describe('a point event without the id of the store', () => {
  it.each([null, EMAIL])('reaches its customer by e-mail, with %s as Id', async (id) => {
    const { connector, points, ...program } = await openProgram(connectors);
    const robin = program.signUp();
    program.buy(robin, 64.9);
    await program.settle();
    expect(await points.forward(withId(id))).toEqual([200]);
    await connector.settle();
    expect(program.metafieldsOf(robin)).toMatchObject({ 'loyalty.points': '64.9' });
    expect(await connector.deadLetters()).toEqual([]);
    expect(connector.loyalty.journal.entries({ operation: 'getCustomer' })[0]).toMatchObject({
      path: `/v1/pvt/Customer/${encodeURIComponent(EMAIL)}`,
    });
  });
});
