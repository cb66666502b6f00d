import { expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { openProgram, type Program } from '../../support/running-program.ts';

/** The service sends PINs as an SMS, and knows no phone number of these customers. */
const connectors = runConnectors({
  challenge: 'asked',
  challengeSentBy: 'sms',
  posCustomerId: 'email-or-document',
});
let world: Program;

it('a till asks for a phone number where the service lacks it; it goes to the service and nowhere else', async () => {
  world = await openProgram(connectors);
  const robin = await world.shopper('Robin');
  const phone = '+55 11 5550 0100';
  const typed = (body: object, till = world.one) => till.till(robin, 'challenge', { body });
  const sent = () =>
    world.loyalty.journal
      .entries({ operation: 'startChallenge' })
      .map(({ body }) => (body as { Phone?: string }).Phone);
  // A till that names a number before the service asks for it would choose who gets the PIN.
  const needed = await typed({ phone });
  expect([needed.status, needed.json.error]).toEqual([
    409,
    {
      ...{ code: 'contact-needed', asks: ['phone'], message: expect.any(String) },
      programMessage: 'Ask the customer for a phone number.',
    },
  ]);
  expect(sent()).toEqual([undefined]);
  expect((await typed({ phone }, world.other)).json).toEqual({ started: true });
  expect(sent()).toEqual([undefined, phone]);
  const body = { ...world.click(), answer: world.pinOf(robin) };
  expect((await world.one.till(robin, 'redeem', { body })).status).toBe(200);
  // The next transaction begins anew.
  const { json: next } = await typed({ phone });
  expect(next.error.code).toBe('contact-needed');
  expect(sent().at(-1)).toBeUndefined();
  const kept = [...world.connector.output.pieces, await world.connector.ledgerText()].join('\n');
  expect(kept).not.toMatch(/5550|Ask the customer/);
});
