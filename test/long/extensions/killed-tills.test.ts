import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ExtensionWorld, openExtensions } from '../../support/extension-world.ts';
import type { Treat } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { at, once } from '../../support/treatments.ts';

const connectors = runConnectors({ challenge: 'asked', posCustomerId: 'email-or-document' });
let world: ExtensionWorld;
beforeAll(async () => {
  world = await openExtensions(connectors, { readsPerMinute: 1_000 });
});
afterAll(() => world.stop());

let shoppers = 0;

/** A till redeems with the right answer over this line, and another one sends the same request again. */
async function redeemTwice(treat: Treat) {
  const robin = await world.shopper(`Robin${++shoppers}`);
  await world.other.till(robin, 'challenge', { body: {} });
  const body = { ...world.click(), answer: world.pinOf(robin) };
  const first = await world.startOnLine(treat);
  const request = first.till(robin, 'redeem', { body }).catch(() => undefined);
  await Promise.race([request, first.line.death]);
  const again = await world.other.till(robin, 'redeem', { body });
  return { robin, body, again, calls: first.line.calls };
}

async function expectOnce(robin: string, when: string) {
  await world.rest();
  const found = [world.pointsOf(robin), world.spentBy(robin), world.codesOf(robin)];
  expect(found, when).toEqual([150, 1, 1]);
  expect(await world.balances.deadLetters(), when).toEqual([]);
}

it.each(['killed-before', 'killed-after', 'lost', 'unsent'] as const)(
  'a till whose function is %s at any of its calls redeems once',
  async (treatment) => {
    const { calls, robin: unharmed } = await redeemTwice(() => 'pass');
    await expectOnce(unharmed, 'nothing happens');
    expect(calls.length).toBeGreaterThan(6);
    for (let index = 0; index < calls.length; index += 1) {
      const { robin, body, again } = await redeemTwice(once(at(index), treatment));
      const when = `${treatment} at call ${index}, ${calls[index]?.name}: ${again.answerText}`;
      expect(again.status, when).not.toBe(500);
      if (again.status !== 200) {
        // The customer is asked for another answer, and the same click goes on.
        expect([409, 503], when).toContain(again.status);
        world.connector.pass(61);
        await world.other.till(robin, 'challenge', { body: {} });
        const answer = world.pinOf(robin) || body.answer;
        const last = await world.other.till(robin, 'redeem', { body: { ...body, answer } });
        expect(last.status, `${when}, then ${last.answerText}`).toBe(200);
      }
      await expectOnce(robin, when);
    }
  },
  300_000,
);
