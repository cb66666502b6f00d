import { describe, expect, it, vi } from 'vitest';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { openShoppers } from '../../support/stack-shoppers.ts';
import { SHOP, useCutOver } from './world.ts';

const OBSERVE = 'test/fixtures/cut-over-observed-storefront.config.ts';
const LIVE = 'test/fixtures/cut-over-gone-live-storefront.config.ts';
const WAIT = { timeout: 120_000, interval: 200 };
const OBSERVED = 24;
const OTHER_OFF = 12;

const world = useCutOver({ settings: OBSERVE, deployedHoursAgo: 30 });
const goLive = (words: string) => world.run(`go-live --shop ${SHOP} ${words}`);
const [ALICE, BOB] = [1, 2];
const customer = (index: number) => world.customerIds()[index] ?? '';

/** What the workers said about an order since now. */
function follow(): (id: string) => readonly string[] {
  const lines: string[] = [];
  world.stack.logs.onLine(({ text }) => void lines.push(text));
  return (id) =>
    lines.flatMap((text) => {
      const { id: of, message, kind } = text.startsWith('{') ? JSON.parse(text) : {};
      return kind === 'order' && of === id && message !== 'received' ? [message] : [];
    });
}

/** As another integration of the service would have sent it. */
function hold(OriginalId: string, order: OrderRow, OrderTotal: number): void {
  const { email, firstName } = world.store.rows.customers.get(order.customerId ?? '') ?? {};
  const body = {
    OriginalId,
    OrderPlacementDate: order.processedAt,
    OrderCompletedDate: order.processedAt,
    IsCompleted: true,
    OrderTotal,
    Customer: { OriginalId: order.customerId, Name: firstName, Email: email },
  };
  const answer = world.loyalty.integrate({ operation: 'sendOrder', body });
  expect(answer).not.toMatchObject({ HasError: true });
}

const orders: Record<string, OrderRow> = {};
const named = (name: string): OrderRow => {
  const order = orders[name];
  if (!order) throw new Error(`no order was called ${name}`);
  return order;
};

it('a shop that was deployed as observed sends nothing when it is deployed as live, although nothing happened between but the hourly run', async () => {
  await world.runSchedules();
  await world.deploy(LIVE);
  const said = follow();
  const { id } = world.sell(customer(ALICE), 30);
  await vi.waitFor(() => expect(said(id).length).toBeGreaterThan(0), WAIT);
  expect(world.changingCalls()).toEqual([]);
  expect(world.heldOrder(id)).toBeUndefined();
});

describe('deployed as live, before go-live', () => {
  it('neither a shopper nor an event of points changes anything', async () => {
    await world.deploy(OBSERVE);
    world.setClock(OBSERVED);
    orders.first = world.sell(customer(BOB), 1_000);
    await vi.waitFor(async () => expect((await world.run('status')).text).toMatch(/observ/), WAIT);
    await world.deploy(LIVE);
    hold(`#${named('first').number}`, named('first'), 1_000);
    const shoppers = openShoppers(world.stack);
    const { id, email = '' } = world.store.rows.customers.get(customer(BOB)) ?? {};
    const click = { rewardId: 1, clientKey: 'click-0034', items: '8012345678901:100.00:1' };
    const bob = { id: id ?? '', email: email ?? '', title: 'Bob', click };
    expect(await shoppers.ask(bob, 'redeem', click)).toBeUndefined();
    await world.loyalty.events.settled();
    expect(world.changingCalls()).toEqual([]);
    expect(world.store.state().metafields).toEqual([]);
    expect(world.loyalty.state().redemptions).toEqual([]);
  });
});

describe('go-live, with orders in both worlds', () => {
  it('names what is held twice, leaves an amount of other rules, and what the other was to refund, but lists it', async () => {
    await world.deploy(OBSERVE);
    world.setClock(OBSERVED - 1);
    for (const name of ['same', 'too little', 'not refunded', 'by its id', 'twice']) {
      orders[name] = world.sell(customer(ALICE), 30, 2);
    }
    orders.absent = world.sell(customer(ALICE), 30, 2);
    const nameOf = (name: string) => `#${named(name).number}`;
    world.giveBack(named('not refunded').id, 1);
    hold(nameOf('same'), named('same'), 60);
    hold(nameOf('too little'), named('too little'), 45);
    hold(nameOf('not refunded'), named('not refunded'), 60);
    hold(named('by its id').id, named('by its id'), 45);
    hold(nameOf('twice'), named('twice'), 60);
    hold(named('twice').id, named('twice'), 60);

    await world.deploy(LIVE);
    const words = `--from ${world.moment(OBSERVED - 0.5)} --other-off-since ${world.moment(OTHER_OFF)}`;
    const preview = await goLive(words);
    expect(preview.text).toMatch(/twice/);
    expect(preview.text).toContain('other amount: the service counts more');
    expect(preview.text).toContain(nameOf('twice'));
    expect(world.changingCalls()).toEqual([]);

    await goLive(`${words} --yes`);
    await world.rest();
    const pointsOf = (id: string) => world.heldOrder(id)?.points;
    expect.soft(pointsOf(nameOf('same'))).toBe(60);
    // What the other integration promised stays.
    expect.soft(pointsOf(nameOf('too little'))).toBe(45);
    // It may have been taken since, by a key of its own: a person knows from the preview.
    expect.soft(pointsOf(nameOf('not refunded'))).toBe(60);
    expect.soft(pointsOf(named('by its id').id)).toBe(45);
    expect.soft(pointsOf(named('absent').id)).toBe(60);
    // A person must decide which one stays.
    expect.soft(pointsOf(nameOf('twice'))).toBe(60);
    expect.soft(pointsOf(named('twice').id)).toBe(60);
    for (const name of ['same', 'too little', 'not refunded']) {
      expect.soft(world.heldOrder(named(name).id), name).toBeUndefined();
    }
    expect.soft(pointsOf(nameOf('by its id'))).toBeUndefined();
  });

  it('what was held twice is refunded under the store’s id, after a person cancelled the other', async () => {
    const { id, number } = named('twice');
    world.loyalty.integrate({
      operation: 'cancelOrder',
      id: `#${number}`,
      body: { OrderCancelledDate: new Date().toISOString(), OrderStatus: 'cancelled' },
    });
    world.giveBack(id, 1);
    await world.rest();
    expect(world.heldOrder(id)?.points).toBe(30);
    expect(world.heldOrder(`#${number}`)?.points).toBe(0);
  });

  it('of a shop that is live changes nothing', async () => {
    world.loyalty.journal.clear();
    const { code } = await goLive('--no-other --yes');
    expect([0, 1, 2]).toContain(code);
    await world.rest();
    expect(world.changingCalls()).toEqual([]);
  });
});
