import { describe, expect, it } from 'vitest';
import { pointEvent } from '../../fixtures/point-event.ts';
import type { SandboxPayload } from '../../support/running-balances.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openProgram } from '../../support/running-storefront.ts';

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
    const { connector, balances, ...program } = await openProgram(connectors);
    const robin = program.signUp();
    program.buy(robin, 64.9);
    await program.settle();
    expect(await balances.forward(withId(id))).toEqual([200]);
    await balances.settle();
    expect(program.metafieldsOf(robin)).toMatchObject({ 'loyalty.points': '64.9' });
    expect(await balances.deadLetters()).toEqual([]);
    expect(connector.loyalty.journal.entries({ operation: 'getCustomer' })[0]).toMatchObject({
      path: `/v1/pvt/Customer/${encodeURIComponent(EMAIL)}`,
    });
  });

  it('of nobody is tried for an hour, and then kept with its reason; a replay finds the customer', async () => {
    const { connector, balances, ...program } = await openProgram(connectors);
    connector.confidential.addPersonal({ customer: { email: EMAIL } });
    await balances.post('Point_Add', named({ Id: null, Email: EMAIL }));
    await balances.work();
    connector.pass(50 * 60);
    await balances.work();
    expect(await balances.waiting()).toBe(1);
    await balances.settle();
    const [letter] = await balances.deadLetters();
    expect(letter).toMatchObject({ reason: 'unmappable' });
    expect(letter?.why).toContain('neither the loyalty service nor the store');
    const id = program.signUp();
    await balances.replay(letter?.body ?? '');
    await balances.settle();
    expect(program.metafieldsOf(id)).toMatchObject({ 'loyalty.points': '310' });
  });
});
