import { describe, expect, it } from 'vitest';
import { runConnectors, SECOND_SHOP, SHOP } from '../../support/running-connector.ts';
import { openProgram, signedFor } from '../../support/running-program.ts';
import { proxyValues, signedQuery } from '../../support/signed-query.ts';
import { STORE_SECRET } from '../../support/store-and-connector.ts';

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

describe('an attacker at the address of the storefront', () => {
  it('gets nothing by a signature that is forged, expired, of the future or of another shop', async () => {
    const { connector, storefront, theirs } = await open();
    const { length } = connector.loyalty.journal.entries();
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000);
    const secret = STORE_SECRET;
    const other = connector.webhookSecret('second-store');
    const good = signedFor(theirs);
    const forged: readonly (readonly [string, string])[] = [
      ['example-store/me', good.replace(/signature=.*/, `signature=${'0'.repeat(64)}`)],
      ['example-store/me', good.replace(/&signature=.*/, '')],
      ['example-store/me', `${good}&extra=1`],
      ['example-store/me', `${good}&logged_in_customer_id=${theirs}`],
      ['example-store/me', signedQuery(proxyValues(SHOP, at(-92), theirs), secret)],
      ['example-store/me', signedQuery(proxyValues(SHOP, at(92), theirs), secret)],
      // Its own secret and its own shop, at our address; and our address with its shop's name.
      ['example-store/me', signedQuery(proxyValues(SECOND_SHOP, at(0), theirs), other)],
      ['example-store/me', signedQuery(proxyValues(SHOP, at(0), theirs), other)],
      ['example-store/me', signedQuery(proxyValues(SECOND_SHOP, at(0), theirs), secret)],
      ['second-store/me', good],
      ['nobody/me', good],
      ['', good],
    ];
    for (const [path, query] of forged) {
      const { status, answerText } = await storefront.send(path, { query });
      expect([path, query, status]).toEqual([path, query, 401]);
      expect(answerText).not.toContain('4321');
    }
    expect(connector.loyalty.journal.entries()).toHaveLength(length);
    expect((await storefront.send('example-store/me', { query: good })).status).toBe(200);
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
