import { describe, expect, it } from 'vitest';
import { pointEvent } from '../../fixtures/point-event.ts';
import { askLoyalty } from '../../support/ask-loyalty.ts';
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

const named = (Customer: object) => pointEvent({ EventDate: new Date().toISOString(), Customer });

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

  it.each(['first', 'last'])(
    'is not the balance of a shopper whose address another member has, who came %s',
    async (came) => {
      const { connector, points, loyalty, ...program } = await openProgram(connectors);
      const other = { OriginalId: 'till-0042', Name: 'Wilmot', Email: EMAIL.toUpperCase() };
      connector.confidential.addPersonal({
        customer: { first_name: 'Wilmot', email: other.Email },
      });
      const enrol = () => askLoyalty(loyalty, 'POST', '/Customer/upsert', other);
      if (came === 'first') await enrol();
      const robin = program.signUp();
      program.buy(robin, 64.9);
      await program.settle();
      await points.forward();
      await connector.settle();
      if (came === 'last') await enrol();
      await program.give(other.OriginalId, 777);
      expect(await points.forward(withId(null))).toEqual([200]);
      await connector.settle();
      expect(program.metafieldsOf(robin)).toMatchObject({ 'loyalty.points': '64.9' });
    },
  );

  it('of nobody is tried for an hour, and then kept with its reason; a replay finds the customer', async () => {
    // The store tells nothing of the customer who signs up later.
    const { connector, points, ...program } = await openProgram(connectors, {
      disorder: { drop: 1 },
    });
    connector.confidential.addPersonal({ customer: { email: EMAIL } });
    await points.post('Point_Add', named({ Id: null, Email: EMAIL }));
    await connector.work();
    connector.pass(50 * 60);
    await connector.work();
    expect(await connector.waiting()).toBe(1);
    await connector.settle();
    const [letter] = await connector.deadLetters();
    expect(letter?.attributes).toMatchObject({ reason: 'unmappable' });
    expect(letter?.attributes.why).toContain('neither the loyalty service nor the store');
    const id = program.signUp();
    const member = { OriginalId: id, Name: 'Robin Sampleson', Email: EMAIL };
    await askLoyalty(program.loyalty, 'POST', '/Customer/upsert', member);
    const gift = { Points: 310, OperationType: 0, Reason: 'A gift', ChangeKey: 'gift' };
    await askLoyalty(program.loyalty, 'POST', `/Customer/${id}/points`, gift);
    await points.replay(letter?.body ?? '');
    await connector.settle();
    expect(program.metafieldsOf(id)).toMatchObject({ 'loyalty.points': '310' });
  });
});
