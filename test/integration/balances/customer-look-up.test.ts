import { describe, expect, it } from 'vitest';
import { pointEvent } from '../../fixtures/point-event.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openProgram, type SandboxPayload } from '../../support/running-program.ts';

const connectors = runConnectors();
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
    await points.replay(letter?.body ?? '');
    await connector.settle();
    expect(program.metafieldsOf(id)).toMatchObject({ 'loyalty.points': '310' });
  });
});
