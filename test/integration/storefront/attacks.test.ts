import { describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { openProgram, signedFor } from '../../support/running-program.ts';

const connectors = runConnectors();

/** A store in which one customer has bought enough for a reward, and another much more. */
async function open() {
  const program = await openProgram(connectors);
  const [mine, theirs] = [program.signUp('Robin'), program.signUp('Sasha')];
  program.buy(mine, 250);
  program.buy(theirs, 4321);
  await program.rest();
  return { ...program, storefront: program.one, mine, theirs };
}

const pointsSpent = ({ connector }: Awaited<ReturnType<typeof open>>) =>
  connector.loyalty.journal.entries().filter(({ operation }) => operation === 'redeemRewardByKey')
    .length;

describe('a shopper', () => {
  it('who redeems rewards that do not exist gets 404, then 429, and raises no alarm', async () => {
    const { storefront, connector, mine } = await open();
    // A service that fails for numbers it does not know.
    connector.loyalty.faults.add({ kind: 'http-500', operation: 'getRewardConfiguration' });
    const from = connector.output.lines().length;
    const statuses: number[] = [];
    for (let id = 900; id < 990 && statuses.at(-1) !== 429; id += 1) {
      const body = { rewardId: id, clientKey: `click-${id}`, items: '11:19.90:2' };
      const query = signedFor(mine);
      const path = 'example-store/redeem';
      const { status } = await storefront.send(path, { query, body });
      statuses.push(status);
    }
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    const lines = connector.output.lines().slice(from);
    expect(lines.filter((line) => 'unavailable' in line)).toEqual([]);
  });

  it('sees the own program and redeems a reward, which the store then has a code for', async () => {
    const world = await open();
    const { storefront, mine, store } = world;
    const me = await storefront.proxy(mine, 'me');
    expect([me.status, me.json.points, me.json.tier.name]).toEqual([200, 250, expect.any(String)]);
    const earned = await storefront.proxy('', 'points', { items: '11:19.90:2', currency: 'EUR' });
    expect(earned.json).toMatchObject({ points: 39.8, items: [{ id: '11', points: 39.8 }] });
    const items = '11:19.90:2';
    const rewards = await storefront.proxy(mine, 'rewards', { items });
    expect(rewards.json.points).toBe(250);
    expect(
      rewards.json.rewards.map(({ id, why }: { id: number; why: string }) => [id, why]),
    ).toEqual([
      ...[1, 2, 3, 4, 8].map((id) => [id, null]),
      ...[
        [9, 'product-conditions'],
        [10, 'not-online'],
        [5, 'other-tier'],
      ],
    ]);

    const body = { rewardId: 1, clientKey: 'click-0001', items };
    const query = signedFor(mine);
    const redeem = () => storefront.send('example-store/redeem', { query, body });
    const first = await redeem();
    expect(first.json.redemption).toMatchObject({
      rewardId: 1,
      state: 'ready',
      kind: 'fixed',
      value: 5,
    });
    // Captured and sent again, in a moment and after the window.
    expect(await redeem()).toEqual(first);
    expect(pointsSpent(world)).toBe(1);
    world.connector.pass(92);
    expect((await redeem()).status).toBe(401);
    expect(pointsSpent(world)).toBe(1);

    const codes = JSON.stringify(store.state());
    expect(codes).toContain(first.json.redemption.code);
    const listed = await storefront.proxy(mine, 'redemptions');
    expect(listed.json.redemptions).toEqual([first.json.redemption]);
    expect((await storefront.proxy(world.theirs, 'redemptions')).json).toEqual({ redemptions: [] });
  });
});

describe('a loyalty service that hangs', () => {
  it('holds no page: the balance is shown, and what only the service knows is not there', async () => {
    const { connector, storefront, mine } = await open();
    for (const operation of ['listTiers', 'listAvailableRewards'] as const) {
      connector.loyalty.faults.add({ kind: 'hang', operation });
    }
    const [me, rewards] = await Promise.all([
      storefront.proxy(mine, 'me'),
      storefront.proxy(mine, 'rewards'),
    ]);
    expect([me.status, me.json.points]).toEqual([200, 250]);
    expect([rewards.status, rewards.json.error.code]).toEqual([503, 'unavailable']);
  });
});
