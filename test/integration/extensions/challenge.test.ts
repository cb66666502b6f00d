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
  const sasha = await world.shopper('Sasha');
  const start = (id: string, till = world.one) => till.till(id, 'challenge', { body: {} });
  const redeem = (id: string, answer?: unknown, till = world.one, click = world.click()) =>
    till.till(id, 'redeem', { body: { ...click, ...(answer !== undefined && { answer }) } });
  const calls = (operation: string) => world.loyalty.journal.entries({ operation }).length;
  const wrongFor = (id: string) => String((Number(world.pinOf(id)) + 1) % 10_000).padStart(4, '0');
  return { robin, sasha, start, redeem, calls, wrongFor };
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

  it('nothing is spent without an answer, or with another than the right one', async () => {
    const { robin, sasha, start, redeem, wrongFor } = await open();
    const anything = [
      '0000',
      '1',
      '',
      ' ',
      '%',
      'true',
      'x'.repeat(100_000),
      null,
      true,
      [],
      {},
      0,
    ];
    for (const answer of anything.slice(0, 3)) {
      const early = await redeem(robin, answer);
      expect(early.status, `${answer} before a challenge`).toBeGreaterThanOrEqual(400);
    }
    await start(robin);
    await start(sasha);
    if (world.pinOf(robin) === world.pinOf(sasha)) throw new Error('choose another seed');
    expect(refusalOf(await redeem(sasha, world.pinOf(robin)))).toEqual([409, 'challenge-wrong']);
    expect(refusalOf(await redeem(robin, wrongFor(robin)))).toEqual([409, 'challenge-wrong']);
    expect(refusalOf(await redeem(robin))).toEqual([409, 'challenge-needed']);
    for (const answer of anything.slice(3)) {
      const { status } = await redeem(robin, answer);
      expect([400, 409, 429], JSON.stringify(answer).slice(0, 20)).toContain(status);
    }
    await expectNothingSpent(robin);
    await expectNothingSpent(sasha);
  });

  it('answers are tried a few times only, over two functions, new challenges and other staff', async () => {
    const { robin, sasha, start, redeem, calls, wrongFor } = await open();
    const statuses: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      for (const till of [world.one, world.other]) {
        await till.till(robin, 'challenge', { body: {} }, `60${round}`);
        const body = { ...world.click(), answer: wrongFor(robin) };
        statuses.push((await till.till(robin, 'redeem', { body }, `60${round}`)).status);
      }
    }
    // Of 10 000 PINs; each challenge is a message to the customer too.
    expect(calls('validateChallenge')).toBeLessThanOrEqual(10);
    expect(calls('startChallenge')).toBeLessThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
    expect((await redeem(robin, world.pinOf(robin), world.start())).status).toBe(429);
    await expectNothingSpent(robin);

    // No other customer is kept from it, and this one only for a while.
    await start(sasha);
    expect((await redeem(sasha, world.pinOf(sasha))).status).toBe(200);
    world.connector.pass(3_601);
    await start(robin, world.other);
    expect((await redeem(robin, world.pinOf(robin), world.other)).status).toBe(200);
    expect([world.pointsOf(robin), world.pointsOf(sasha)]).toEqual([150, 150]);
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

  it('a customer redeems in the account without it', async () => {
    const { robin } = await open();
    const { status } = await world.one.account(robin, 'redeem', { body: world.click() });
    expect([status, world.pointsOf(robin)]).toEqual([200, 150]);
  });

  it('one transaction id goes with both calls, through any function, and its PIN redeems once', async () => {
    const { robin, sasha, start, redeem } = await open();
    const bodiesOf = (operation: string) =>
      world.loyalty.journal.entries({ operation }).map(({ body }) => body);
    await start(robin, world.one);
    await start(robin, world.other);
    await start(sasha);
    const pin = world.pinOf(robin);
    // At once, for two rewards: the service would accept the PIN for both.
    const answers = await Promise.all(
      [1, 3].map((id, n) => redeem(robin, pin, n ? world.one : world.other, world.click(id))),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const [first, second, third] = bodiesOf('startChallenge') as { TransactionId: string }[];
    expect(first?.TransactionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toEqual(first);
    expect(third?.TransactionId).not.toBe(first?.TransactionId);
    for (const body of bodiesOf('validateChallenge')) {
      expect(body).toEqual({ ...first, Code: pin });
    }
    await world.rest();
    expect([world.spentBy(robin), world.codesOf(robin)]).toEqual([1, 1]);
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
