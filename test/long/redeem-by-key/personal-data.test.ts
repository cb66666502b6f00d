import { afterEach, describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { isCodeMade, isRedeem, once } from '../../support/treatments.ts';
import { expectAllOrNothing, expectSpentOnce } from './laws.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld;
afterEach(() => world.stop());

describe('an open redemption', () => {
  it('is repeated with the same body after the e-mail address changed', async () => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const shop = await world.startStorefront(once(isRedeem, 'lost'));
    await shop.redeem(robin, world.click());
    const email = 'robin.elsewhere@example.com';
    world.connector.confidential.addPersonal({ customer: { email } });
    world.store.actions.updateCustomer({ customerId: robin.id, email });
    await world.callLoyalty('POST', '/Customer/upsert', { OriginalId: robin.id, Email: email });
    const worker = await world.rest();
    await expectSpentOnce(world, robin);
    const [first, ...later] = world.callsOf('redeemRewardByKey').map(({ body }) => body);
    expect(worker.calls.filter(isRedeem).length).toBeGreaterThan(0);
    for (const body of later) expect(body).toEqual(first);
  });

  it.each([
    ['whose spending has no answer', once(isRedeem, 'lost')],
    ['whose spending never arrived', once(isRedeem, 'unsent')],
    ['whose code is not made yet', once(isCodeMade, 'unsent')],
  ] as const)('%s ends before the customer is redacted', async (_, treat) => {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const shop = await world.startStorefront(treat);
    await shop.redeem(robin, world.click());
    world.store.actions.redactCustomer({ customerId: robin.id });
    await world.store.deliveries.settled();
    for (let round = 0; round < 20; round += 1) {
      await world.connector.work();
      await world.workFor(1);
    }
    await world.connector.settle();
    await world.rest();
    await world.connector.settle();
    expectAllOrNothing(world, robin, 'after the redaction');
    expect([150, 250]).toContain(world.pointsOf(robin));
    expect(await world.deadLetters()).toBe(0);
    expect(await world.connector.deadLetters()).toEqual([]);
    const ledger = await world.connector.ledgerText();
    expect(ledger).not.toContain(robin.email);
    for (const { code } of world.codesOf(robin)) expect(ledger).not.toContain(code);
  });
});
