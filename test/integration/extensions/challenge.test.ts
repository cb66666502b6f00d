import { afterEach, describe, expect, it } from 'vitest';
import { CART, type ExtensionWorld, openExtensions } from '../../support/extension-world.ts';
import { runConnectors } from '../../support/running-connector.ts';

// The service only asks for the challenge: it would redeem without it.
const connectors = runConnectors({ challenge: 'asked', posCustomerId: 'email-or-document' });
let world: ExtensionWorld;
afterEach(() => world.stop());

async function open() {
  world = await openExtensions(connectors, { readsPerMinute: 1_000 });
  const robin = await world.shopper('Robin');
  const start = (id: string, till = world.one) => till.till(id, 'challenge', { body: {} });
  const redeem = (id: string, answer?: unknown, till = world.one, click = world.click()) =>
    till.till(id, 'redeem', { body: { ...click, ...(answer !== undefined && { answer }) } });
  const calls = (operation: string) => world.loyalty.journal.entries({ operation }).length;
  return { robin, start, redeem, calls };
}

async function expectNothingSpent(id: string) {
  await world.rest();
  expect([world.pointsOf(id), world.spentBy(id), world.codesOf(id)]).toEqual([250, 0, 0]);
  expect(world.loyalty.journal.entries({ operation: 'redeemRewardByKey' })).toEqual([]);
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
    expect((await start(robin)).status).toBe(200);
    const pin = world.pinOf(robin);
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
  });

  it('answers that come at the same moment are limited too', async () => {
    const { robin, start, calls } = await open();
    await start(robin);
    const pin = Number(world.pinOf(robin));
    const tills = [world.one, world.other, world.start(), world.start()];
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const answer = String((pin + 1 + index) % 10_000).padStart(4, '0');
        return tills[index % 4]?.till(
          robin,
          'redeem',
          { body: { ...world.click(), answer } },
          `70${index}`,
        );
      }),
    );
    expect(calls('validateChallenge')).toBeLessThanOrEqual(10);
    await expectNothingSpent(robin);
  });

  it('no PIN is in the output, the ledger or an answer, though the service tells it', async () => {
    const { robin, start, redeem } = await open();
    const started = await start(robin);
    const pin = world.pinOf(robin);
    const [call] = world.loyalty.journal.entries({ operation: 'startChallenge' });
    expect(call?.answer).toMatchObject({ Code: pin });
    await redeem(robin, pin);
    const kept = [...world.connector.output.pieces, await world.connector.ledgerText()].join('\n');
    expect(kept).not.toMatch(new RegExp(`["' :=]${pin}["' ,}]`));
    expect(started.json).toEqual({ started: true });
  });
});
