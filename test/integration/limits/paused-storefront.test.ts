import { describe, expect, it } from 'vitest';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openProgram } from '../../support/running-program.ts';

const connectors = runConnectors();

const CART = '11:20:1';

/** A customer with 300 points. */
async function open() {
  const program = await openProgram(connectors, { shops: [{ domain: SHOP }] });
  const buy = (name: string) => {
    const id = program.signUp(name);
    program.buy(id, 300);
    return id;
  };
  const robin = buy('Robin');
  await program.rest();
  program.connector.newCalls();
  let clicks = 0;
  return {
    ...{ ...program, robin, buy },
    redeem(customer: string) {
      const body = { rewardId: 1, clientKey: `click-of-test-${++clicks}`, items: CART };
      return program.one.proxy(customer, 'redeem', {}, { body });
    },
    seen: () => [program.pointsOf(robin), program.spentBy(robin), program.codesOf(robin)],
  };
}

describe('while an operator has paused the shop', () => {
  it('shoppers, point events and reconcile make no call; afterwards all of it happens once', async () => {
    const world = await open();
    const { connector, one, robin } = world;
    await connector.pauseShop();
    connector.pass(11);
    world.buy('Kim');
    await world.store.deliveries.settled();
    const answers = [
      await one.proxy(robin, 'points'),
      await one.proxy(robin, 'rewards', { items: CART }),
      await world.redeem(robin),
    ];
    expect(answers.map(({ status }) => status).filter((status) => status === 500)).toEqual([]);
    expect(answers.at(-1)?.status).toBe(503);
    await connector.reconcile({ mode: 'deep' });
    for (let hour = 0; hour < 30; hour += 1) {
      while ((await connector.work()) > 0);
      connector.pass(3_600);
    }
    expect(connector.newOperations()).toEqual([]);
    expect(world.seen()).toEqual([300, 0, 0]);

    await connector.resumeShop();
    connector.pass(11);
    await world.rest();
    const { status, json } = await world.redeem(robin);
    expect([status, json.redemption.state]).toEqual([200, 'ready']);
    await world.rest();
    expect(world.seen()).toEqual([200, 1, 1]);
    expect(connector.loyalty.state().orders).toHaveLength(2);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

it('a deep scan that is throttled asks the service no more until the time is over', async () => {
  const world = await open();
  const { connector } = world;
  for (const name of ['Kim', 'Lou', 'Max', 'Noa']) world.buy(name);
  await world.rest();
  // Orders that changed within the last day are not read.
  connector.pass(3 * 86_400);
  connector.newCalls();
  const operation = 'getOrder';
  connector.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 600, count: 1, operation });
  const statuses = () =>
    connector
      .newCalls()
      .filter((call) => call.operation === operation)
      .map(({ status }) => status);
  await connector.reconcile({ mode: 'deep' });
  expect(statuses()).toEqual([429]);
  connector.pass(300);
  await connector.reconcile({ mode: 'deep' });
  expect(connector.newCalls()).toEqual([]);
  connector.pass(301);
  await connector.reconcile({ mode: 'deep' });
  expect(statuses()).toContain(200);
});
