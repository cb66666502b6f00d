import { describe, expect, it } from 'vitest';
import { askLoyalty } from '../../support/ask-loyalty.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { openProgram, type Program } from '../../support/running-program.ts';

const connectors = runConnectors({
  daysToWaitToGrantPoints: 2,
  posCustomerId: 'email-or-document',
});
let world: Program;

const DAYS = 86_400;
const UNKNOWN = {
  ...{ state: 'waiting', points: null, cashback: null, why: null },
  ...{ steps: [], counted: [] },
};

async function open() {
  world = await openProgram(connectors, { storefront: { readsPerMinute: 1_000 } });
  const robin = await world.shopper('Robin', 0);
  const buy = (customerId: string, price: number) =>
    world.store.actions.placeOrder({
      ...{ customerId, payment: 'paid', taxes: [] },
      lines: [{ title: 'Kettle', price, quantity: 1 }],
    }).id;
  const arrive = async () => {
    await world.store.deliveries.settled();
    while ((await world.connector.work()) > 0);
  };
  const ask = async (customer: string, id: string, at = world.one) => {
    const { status, json } = await at.account(customer, 'order', { query: `id=${id}` });
    return status === 200 ? json : status;
  };
  return { robin, buy, arrive, ask };
}

describe('what an order earns', () => {
  it('is waiting, and then as many points as it earns, also once they are given', async () => {
    const { robin, buy, arrive, ask } = await open();
    const id = buy(robin, 133.4);
    expect(await ask(robin, id)).toEqual(UNKNOWN);
    await arrive();
    expect(['waiting', 'earns']).toContain((await ask(robin, id)).state);
    world.store.actions.fulfilOrder({ orderId: id });
    await arrive();
    for (const at of [world.one, world.other]) {
      expect(await ask(robin, id, at)).toEqual({
        ...UNKNOWN,
        state: 'earns',
        points: 133.4,
        cashback: 6.67,
        counted: [{ amount: 133.4, at: expect.any(String) }],
      });
    }
    world.connector.pass(2 * DAYS + 60);
    await world.rest();
    for (const at of [world.one, world.other]) {
      expect(await ask(robin, id, at)).toMatchObject({ state: 'earns', points: 133.4, why: null });
    }
    expect(world.pointsOf(robin)).toBe(133.4);
    const till = await world.one.till(robin, 'order', { query: `id=${id}` });
    const proxy = await world.one.proxy(robin, 'order', { id });
    expect([till.json.state, proxy.json.state]).toEqual(['earns', 'earns']);
  });

  it('follows a refund to the point, before and after its points came', async () => {
    const { robin, arrive, ask } = await open();
    const buy = async (prices: readonly number[]) => {
      const order = world.store.actions.placeOrder({
        ...{ customerId: robin, payment: 'paid', taxes: [] },
        lines: prices.map((price) => ({ title: 'Kettle', price, quantity: 1 })),
      });
      world.store.actions.fulfilOrder({ orderId: order.id });
      await arrive();
      return order.id;
    };
    const refundLast = async (orderId: string) => {
      const lineId = world.store.rows.orders.get(orderId)?.lines.at(-1)?.id ?? '';
      world.connector.pass(10);
      world.store.actions.refundOrder({ orderId, lines: [{ lineId, quantity: 1 }] });
      await arrive();
    };
    const [early, late] = [await buy([70, 20.5]), await buy([60, 39.99])];
    await refundLast(early);
    expect(await ask(robin, early)).toMatchObject({ state: 'earns', points: 70 });
    expect(await ask(robin, late)).toMatchObject({ state: 'earns', points: 99.99 });
    world.connector.pass(2 * DAYS + 60);
    expect(await ask(robin, early)).toMatchObject({ state: 'earns', points: 70 });
    expect(await ask(robin, late)).toMatchObject({ state: 'earns', points: 99.99 });
    await refundLast(late);
    expect(await ask(robin, late)).toMatchObject({ state: 'earns', points: 60 });
    expect(world.pointsOf(robin)).toBe(130);
  });

  it('is answered as before after as many points came from elsewhere: no entry is taken for the order’s own', async () => {
    const { robin, buy, arrive, ask } = await open();
    const id = buy(robin, 25);
    world.store.actions.fulfilOrder({ orderId: id });
    await arrive();
    const before = await ask(robin, id);
    expect(before).toMatchObject({ state: 'earns', points: 25 });
    world.connector.pass(60);
    const change = { Points: 25, OperationType: 0, Reason: 'A quiz', ChangeKey: 'quiz' };
    await askLoyalty(world.loyalty, 'POST', `/Customer/${robin}/points`, change);
    expect(world.pointsOf(robin)).toBe(25);
    expect(await ask(robin, id)).toEqual(before);
  });
});
