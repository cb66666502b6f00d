import { describe, expect, it } from 'vitest';
import { readAudit } from '../../../scripts/connector/ground/session/audit-records.ts';
import { actionRequest } from '../../support/flow-action.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openProgram } from '../../support/running-program.ts';
import { STORE_SECRET } from '../../support/store-and-connector.ts';

const connectors = runConnectors({ pointsValidDays: 20 });

/** A customer with 250 points, in a shop with Shopify Flow. */
async function open() {
  const program = await openProgram(connectors, {
    ...{ shops: [{ domain: SHOP }], storefront: { flow: { mostPointsPerRun: 100 } } },
  });
  const robin = program.signUp();
  program.buy(robin, 250);
  await program.rest();
  const customer_id = Number(robin);
  const triggers = () =>
    program.store.state().triggers.map(({ handle, payload }) => ({ handle, payload }));
  const give = (points: number, runId: string, at = program.one) => {
    const properties = { customer_id: robin, points: `${points}.0`, reason: 'For Robin' };
    const run = { handle: 'loyalty-give-points', properties, runId };
    const request = actionRequest(run, { shop: SHOP, secret: STORE_SECRET });
    return at.send('example-store/flow/give-points', request);
  };
  return { ...program, robin, customer_id, triggers, give };
}

describe('a workflow of the store', () => {
  it('is started by changed points, a tier and a redeemed reward, each once', async () => {
    const { one, click, rest, robin, customer_id, triggers } = await open();
    const tier = { Tier: expect.stringMatching(/./), 'Previous tier': '' };
    expect(triggers()).toEqual([
      { handle: 'loyalty-points-changed', payload: { customer_id, Points: 250, Change: 250 } },
      { handle: 'loyalty-tier-changed', payload: { customer_id, ...tier } },
    ]);
    await one.proxy(robin, 'redeem', {}, { body: click(1) });
    await rest();
    const Code = expect.stringMatching(/^[A-Z0-9-]+$/);
    const link = /^https:\/\/example-store\.myshopify\.com\/discount\/[A-Z0-9-]+\?redirect=\/cart$/;
    const redeemed = {
      ...{ customer_id, Reward: expect.any(String), 'Points spent': 100 },
      ...{ Code, 'Use link': expect.stringMatching(link) },
    };
    const [, , ...later] = triggers();
    expect(later).toHaveLength(2);
    expect(later).toEqual(
      expect.arrayContaining([
        { handle: 'loyalty-reward-redeemed', payload: redeemed },
        { handle: 'loyalty-points-changed', payload: { customer_id, Points: 150, Change: -100 } },
      ]),
    );
  });

  it('is started once for points that expire soon, though nothing else changed', async () => {
    const { connector, customer_id, triggers, metafieldsOf, robin } = await open();
    const before = triggers().length;
    for (let day = 0; day < 9; day += 1) {
      connector.pass(86_400);
      await connector.reconcile();
      await connector.settle();
    }
    const at = metafieldsOf(robin)['loyalty.expires_at'];
    expect(triggers().slice(before)).toEqual([
      {
        handle: 'loyalty-points-expiring',
        payload: { customer_id, 'Expiring points': 250, 'Expires at': `${at}Z` },
      },
    ]);
  });

  it('gives points once by two functions, and is recorded once for `history`', async () => {
    const { connector, give, other, robin, pointsOf, rest, metafieldsOf } = await open();
    connector.confidential.addPersonal({ note: 'For Robin' });
    const answers = await Promise.all([give(50, 'run-1'), give(50, 'run-1', other)]);
    expect(answers.map(({ status, json }) => [status, json])).toEqual([
      [200, { given: 50 }],
      [200, { given: 50 }],
    ]);
    expect((await give(101, 'run-2')).json.error.code).toBe('too-many-points');
    expect(pointsOf(robin)).toBe(300);
    await rest();
    expect(metafieldsOf(robin)).toMatchObject({ 'loyalty.points': '300' });
    const { dynamoDb: client } = connector.aws;
    const { table } = connector.deployment;
    const settings = { client, table, pause: async () => {}, random: Math.random };
    const day = 86_400_000;
    const [since, until] = [new Date(Date.now() - day), new Date(Date.now() + day)];
    const records = [];
    for await (const one of readAudit(settings, { since, until })) records.push(one);
    expect(records).toMatchObject([
      {
        ...{ who: `workflow of ${SHOP}`, claims: 'a workflow', command: 'give-points' },
        arguments: { shop: SHOP, customer: robin, points: '50' },
        end: { result: 'finished', counts: { points: 50 } },
      },
    ]);
  });

  it('is told that the shop is paused, and its repetition gives the points afterwards', async () => {
    const { connector, give, robin, pointsOf } = await open();
    await connector.pauseShop();
    connector.pass(11);
    const paused = await give(50, 'run-1');
    expect([paused.status, paused.json.error.code]).toEqual([503, 'shop-paused']);
    await connector.resumeShop();
    connector.pass(11);
    expect((await give(50, 'run-1')).status).toBe(200);
    expect((await give(50, 'run-1')).status).toBe(200);
    expect(pointsOf(robin)).toBe(300);
  });
});
