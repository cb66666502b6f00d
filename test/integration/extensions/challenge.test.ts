import { describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { CART, openProgram, type Program } from '../../support/running-program.ts';

// The service only asks for the challenge: it would redeem without it.
const connectors = runConnectors({ challenge: 'asked', posCustomerId: 'email-or-document' });
let world: Program;

async function open() {
  world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
  const robin = await world.shopper('Robin');
  const start = (id: string, till = world.one) => till.till(id, 'challenge', { body: {} });
  const redeem = (id: string, answer?: unknown, till = world.one, click = world.click()) =>
    till.till(id, 'redeem', { body: { ...click, ...(answer !== undefined && { answer }) } });
  return { robin, start, redeem };
}

const refusalOf = (answer: {
  readonly status: number;
  readonly json: { error?: { code: string } };
}) => [answer.status, answer.json.error?.code];

describe('where the service asks for a challenge', () => {
  it('the right answer redeems once, and a used one does not work again', async () => {
    const { robin, start, redeem } = await open();
    const { json: view } = await world.one.till(robin, 'view', { query: `items=${CART}` });
    expect([view.points, view.needsChallenge]).toEqual([250, true]);
    expect(refusalOf(await redeem(robin))).toEqual([409, 'challenge-needed']);
    expect((await start(robin)).json).toEqual({ started: true });
    const pin = world.pinOf(robin);
    const [call] = world.loyalty.journal.entries({ operation: 'startChallenge' });
    expect(call?.answer).toMatchObject({ Code: pin });
    const click = world.click();
    const first = await redeem(robin, pin, world.one, click);
    expect([first.status, first.json.redemption?.state]).toEqual([200, 'ready']);
    // The same request again, also at another till, is the same redemption.
    for (const till of [world.one, world.other]) {
      const again = await redeem(robin, pin, till, click);
      expect([again.status, again.json.redemption?.id]).toEqual([200, first.json.redemption.id]);
    }
    const more = await redeem(robin, pin, world.other, world.click(3));
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
