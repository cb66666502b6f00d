import { describe, expect, it } from 'vitest';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openProgram } from '../../support/running-program.ts';

const connectors = runConnectors();

const CART = '11:20:1';

/** Two customers with 300 points each. */
async function open() {
  const program = await openProgram(connectors, { shops: [{ domain: SHOP }] });
  const buy = (name: string) => {
    const id = program.signUp(name);
    program.buy(id, 300);
    return id;
  };
  const [robin, sasha] = [buy('Robin'), buy('Sasha')];
  await program.rest();
  program.connector.newCalls();
  let clicks = 0;
  return {
    ...{ ...program, robin, sasha, buy },
    redeem(customer: string, rewardId = 1, clientKey = `click-of-test-${++clicks}`) {
      const body = { rewardId, clientKey, items: CART };
      return program.one.proxy(customer, 'redeem', {}, { body });
    },
    /** The points of Robin, and the redemptions and codes of both. */
    seen: () => [
      program.pointsOf(robin),
      program.spentBy(robin) + program.spentBy(sasha),
      program.codesOf(robin) + program.codesOf(sasha),
    ],
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
    expect(connector.loyalty.state().orders).toHaveLength(3);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

describe('while the service throttles shoppers', () => {
  it('a redemption is made once, no page calls before the time is over, and orders are sent all the same', async () => {
    const world = await open();
    const { connector, one, robin, sasha } = world;
    connector.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 600, count: 1 });
    const first = await world.redeem(robin, 1, 'click-of-robin');
    expect(first.status).toBeGreaterThanOrEqual(200);
    const calls = connector.newCalls();
    expect(calls.at(-1)?.status).toBe(429);
    connector.pass(11);
    world.buy('Kim');
    await world.store.deliveries.settled();
    for (let minute = 0; minute < 9; minute += 1) {
      await one.proxy(sasha, 'rewards', { items: CART });
      await world.redeem(sasha);
      expect(connector.newOperations()).toEqual([]);
      while ((await connector.work()) > 0);
      connector.newCalls();
      connector.pass(60);
    }
    expect(connector.loyalty.state().orders).toHaveLength(3);
    connector.pass(61);
    await world.rest();
    await world.redeem(robin, 1, 'click-of-robin');
    await world.rest();
    expect(world.seen()).toEqual([200, 1, 1]);
    expect(world.pointsOf(sasha)).toBe(300);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

// An anonymous visitor moved the tokens of the workers ahead by 200 ms with every request, for hours if they liked.
it('a visitor who asks for ever new prices takes a few seconds of callsPerSecond, by however many processes', async () => {
  const program = await openProgram(connectors, { shops: [{ domain: SHOP }], callsPerSecond: 5 });
  const { connector, one, other } = program;
  const began = Date.now();
  const answers = [];
  for (let price = 1; price <= 50; price += 1) {
    for (const [index, process] of [one, other].entries()) {
      const own = { items: `11:${price}.${index + 1}:1`, currency: 'EUR' };
      answers.push(await process.proxy('', 'points', own));
    }
  }
  // Of the clock that the test moves, no time has passed.
  expect(Date.now()).toBe(began);
  const isRefused = ({ status }: { status: number }) => status === 429;
  const calls = connector.newCalls().length;
  expect(calls).toBe(answers.filter(({ status }) => status === 200).length);
  // Half of what four seconds have, the free one, and the one that goes beyond.
  expect(calls).toBe(12);
  expect(answers.filter(isRefused)).toHaveLength(100 - calls);
  expect(answers.find(isRefused)?.headers['retry-after']).toBe('5');
  connector.pass(5);
  const own = { items: '11:99:1', currency: 'EUR' };
  expect((await one.proxy('', 'points', own)).status).toBe(200);
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
