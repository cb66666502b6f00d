import { describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { CART, openProgram } from '../../support/running-program.ts';

describe('where the service asks for a challenge', () => {
  // It only asks for it: it would redeem without it.
  const connectors = runConnectors({ challenge: 'asked', posCustomerId: 'email-or-document' });

  it('the right answer redeems once, and a used one does not work again', async () => {
    const world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
    const robin = await world.shopper('Robin');
    const redeem = (answer?: unknown, till = world.one, click = world.click()) =>
      till.till(robin, 'redeem', { body: { ...click, ...(answer !== undefined && { answer }) } });
    const { json: view } = await world.one.till(robin, 'view', { query: `items=${CART}` });
    expect([view.points, view.needsChallenge]).toEqual([250, true]);
    const early = await redeem();
    expect([early.status, early.json.error.code]).toEqual([409, 'challenge-needed']);
    const started = await world.one.till(robin, 'challenge', { body: {} });
    expect(started.json).toEqual({ started: true });
    const pin = world.pinOf(robin);
    const [call] = world.loyalty.journal.entries({ operation: 'startChallenge' });
    expect(call?.answer).toMatchObject({ Code: pin });
    const click = world.click();
    const first = await redeem(pin, world.one, click);
    expect([first.status, first.json.redemption?.state]).toEqual([200, 'ready']);
    // The same request again, also at another till, is the same redemption.
    for (const till of [world.one, world.other]) {
      const again = await redeem(pin, till, click);
      expect([again.status, again.json.redemption?.id]).toEqual([200, first.json.redemption.id]);
    }
    const more = await redeem(pin, world.other, world.click(3));
    expect(more.status).toBe(409);
    await world.rest();
    expect([world.pointsOf(robin), world.spentBy(robin), world.codesOf(robin)]).toEqual([
      150, 1, 1,
    ]);
    // Nor does anything of ours tell the PIN, though the service told it to us.
    const kept = [...world.connector.output.pieces, await world.connector.ledgerText()].join('\n');
    expect(kept).not.toMatch(new RegExp(`["' :=]${pin}["' ,}]`));
  });
});
