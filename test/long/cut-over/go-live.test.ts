import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import type { StoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { readCsv, SHOP, sell, setClock, useCutOver } from './world.ts';

const OBSERVE = 'test/fixtures/cut-over-observed.config.ts';
const LIVE = 'test/fixtures/cut-over-gone-live.config.ts';

const HISTORY = 450;
const CUSTOMERS = 12;
/** Hours before the test; the store's clock is set to each moment of the story. */
const HISTORY_BEGINS = 30 * 24;
const OTHER_ON = 15 * 24;
const DEPLOYED = 30;
const OBSERVED = 24;
const OTHER_OFF = 12;
const LIVE_AGAIN = 10;
const BACK = 6;
const OFF_AGAIN = 4;

/** Placed evenly until the connector was deployed; of every fifteen one refunded in part and one cancelled. */
function fillHistory(store: StoreSandbox, startedAt: number): void {
  const { actions } = store;
  setClock(store, startedAt, HISTORY_BEGINS);
  const ids = Array.from({ length: CUSTOMERS }, (_, index) => {
    const [firstName, lastName] = ['Robin', `Walker${index}`];
    const email = `robin.walker${index}@example.com`;
    return actions.createCustomer({ firstName, lastName, email }).id;
  });
  for (let index = 0; index < HISTORY; index += 1) {
    const age = HISTORY_BEGINS - ((HISTORY_BEGINS - DEPLOYED - 1) * index) / HISTORY;
    setClock(store, startedAt, age);
    const order = sell(store, ids[index % CUSTOMERS] ?? '', 10 + (index % 7), 1 + (index % 3));
    const [line] = order.lines;
    if (index % 15 === 3) {
      const lines = [{ lineId: line?.id ?? '', quantity: 1 }];
      actions.refundOrder({ orderId: order.id, lines });
    }
    if (index % 15 === 7) actions.cancelOrder({ orderId: order.id });
  }
  setClock(store, startedAt, OBSERVED);
}

const world = useCutOver({ settings: OBSERVE, deployedHoursAgo: DEPLOYED, history: fillHistory });

const other = world.otherIntegration('name');
const goLive = (words: string) => world.run(`go-live --shop ${SHOP} ${words}`);
const placedSince = (hoursAgo: number) => (order: OrderRow) =>
  Date.parse(order.processedAt) >= Date.parse(world.moment(hoursAgo));
/** What nobody ever sent is history, and earns nothing. */
const counts = (order: OrderRow) => other.knows(order.id) || placedSince(OBSERVED)(order);
const shoppers = () => world.customerIds().slice(-CUSTOMERS);
const shopper = (index: number) => shoppers()[index % CUSTOMERS] ?? '';

/** Orders of the story that later steps come back to. */
const orders: Record<string, OrderRow> = {};
const named = (name: string): OrderRow => {
  const order = orders[name];
  if (!order) throw new Error(`no order was called ${name}`);
  return order;
};
const calls = (operation: string, id: string) =>
  world.changingCalls().filter((call) => {
    const { OriginalId } = (call.body ?? {}) as { readonly OriginalId?: string };
    const isAbout = OriginalId === id || decodeURIComponent(call.path).includes(`/${id}/`);
    return (call.operation ?? '').toLowerCase().includes(operation.toLowerCase()) && isAbout;
  });

/** All is quiet: every customer has what the oracle says, and no order counts twice. */
async function expectExactPoints(which = counts): Promise<void> {
  await world.rest();
  world.expectPoints(which);
  world.expectNoneTwice();
  expect(world.stack.problems).toEqual([]);
}

it('observe: the other integration sends, we only read', async () => {
  other.switchOn(new Date(world.moment(OTHER_ON)));
  expect(other.poll()).toBeGreaterThan(150);
  for (let index = 0; index < 20; index += 1) {
    orders[`observed ${index}`] = world.sell(shopper(index), 20 + index, 2);
  }
  world.giveBack(named('observed 3').id, 1);
  world.store.actions.cancelOrder({ orderId: named('observed 4').id });
  other.poll();
  world.store.actions.cancelOrder({ orderId: named('observed 5').id });
  other.poll();
  await expectExactPoints();
  expect(world.changingCalls()).toEqual([]);
});

it('compare: what we would have sent is what the service holds', async () => {
  const file = join(world.folder, 'compared.csv');
  const { code } = await world.run(`compare orders --since ${OBSERVED + 1}h --csv ${file}`);
  const rows = readCsv(readFileSync(file, 'utf8'));
  const verdicts = Object.values(orders)
    .filter(({ id }) => world.order(id).cancelledAt === null)
    .map((order) => ({
      number: order.number,
      verdict: rows.find(({ id }) => id === order.id)?.verdict,
      held: rows.find(({ id }) => id === order.id)?.heldid,
    }));
  expect(verdicts).toEqual(
    verdicts.map(({ number }) => ({ number, verdict: 'same', held: `#${number}` })),
  );
  expect(code).toBe(0);
});

it('go-live is refused while the settings say observe', async () => {
  const { code, text } = await goLive('--no-other --yes');
  expect(code).toBe(2);
  expect(text).toContain("mode: 'live'");
  expect(world.changingCalls()).toEqual([]);
});

it('a deployment alone sends nothing: messages wait, and status says what to do', async () => {
  await world.rest();
  await world.deploy(LIVE);
  world.loyalty.journal.clear();
  orders['in flight'] = world.sell(shopper(1), 33, 2);
  await world.store.deliveries.settled();
  await expect
    .poll(async () => (await world.run('status')).text, { timeout: 120_000 })
    .toMatch(/go-live/);
  expect(world.changingCalls()).toEqual([]);
  // The other integration is still on, and sends it: it is then in both worlds.
  expect(other.poll()).toBe(1);
  world.expectPoints(counts);
});

it('go-live is refused too early, while the other is on, and without a word about the other', async () => {
  const early = await goLive(`--other-off-since ${world.moment(1)} --yes`);
  expect(early.code).not.toBe(0);
  // When to come again: two hours after that moment.
  expect(early.text).toMatch(/\d{2}:\d{2}/);

  const on = await goLive(`--other-off-since ${world.moment(OBSERVED + 1)} --yes`);
  expect(on.code).toBe(1);
  const examples = [...Object.values(orders)].filter(
    ({ id, number }) => on.text.includes(`#${number}`) || on.text.includes(id),
  );
  expect(examples.length).toBeGreaterThan(0);

  expect((await goLive('--yes')).code).not.toBe(0);
  expect(world.changingCalls()).toEqual([]);
  world.expectPoints(counts);
});

it('go-live previews and changes nothing without a yes', async () => {
  other.switchOff();
  world.setClock(OTHER_OFF - 0.5);
  for (let index = 0; index < 5; index += 1) {
    orders[`between ${index}`] = world.sell(shopper(index), 50 + index);
  }
  const words = `--from ${world.moment(OBSERVED + 0.1)} --other-off-since ${world.moment(OTHER_OFF)}`;
  const { text } = await goLive(words);
  // Those that nobody sent yet, each with its amount.
  for (let index = 0; index < 5; index += 1) {
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      `#${named(`between ${index}`).number} ${50 + index}.00`,
    );
  }
  expect(world.changingCalls()).toEqual([]);
  await world.store.deliveries.settled();
});

it('go-live: what was absent is sent, and nothing counts twice', async () => {
  const words = `--from ${world.moment(OBSERVED + 0.1)} --other-off-since ${world.moment(OTHER_OFF)}`;
  const { code, text } = await goLive(`${words} --yes`);
  expect({ code, text }).toMatchObject({ code: 0 });
  await expectExactPoints();
  expect(calls('sendOrder', named('in flight').id)).toEqual([]);
  expect(world.heldOrder(named('between 0').id)?.points).toBe(50);
  const { text: audit } = await world.run('history');
  expect(audit).toContain('go-live');
});

it('live: orders are sent, and refunds go to the id that the other integration used', async () => {
  world.setClock(LIVE_AGAIN);
  world.loyalty.journal.clear();
  for (let index = 0; index < 10; index += 1) {
    orders[`live ${index}`] = world.sell(shopper(index), 15 + index, 2);
  }
  await world.rest();
  const adopted = named('observed 6');
  world.giveBack(adopted.id, 1);
  world.giveBack(named('in flight').id, 1);
  world.giveBack(named('live 2').id, 1);
  world.store.actions.cancelOrder({ orderId: named('observed 7').id });
  await expectExactPoints();
  expect(calls('partial', `#${adopted.number}`)).toHaveLength(1);
  expect(calls('partial', adopted.id)).toEqual([]);
  expect(world.heldOrder(adopted.id)).toBeUndefined();
  expect(world.heldOrder(`#${adopted.number}`)?.points).toBe(26);
});

it('live: a refund of an order from before takes points back where the other sent it, and none elsewhere', async () => {
  const history = [...world.store.rows.orders.values()].filter(
    ({ cancelledAt, refunds, lines }) =>
      cancelledAt === null && refunds.length === 0 && (lines[0]?.quantity ?? 0) > 1,
  );
  const known = history.find(({ id }) => other.knows(id));
  const unknown = history.find((order) => !counts(order));
  if (!known || !unknown) throw new Error('the history has both kinds');
  for (const { id } of [known, unknown]) world.giveBack(id, 1);
  await expectExactPoints();
  expect(calls('partial', `#${known.number}`)).toHaveLength(1);
  for (const id of [unknown.id, `#${unknown.number}`, String(unknown.number)]) {
    expect(world.heldOrder(id)).toBeUndefined();
  }
});

const again = world.otherIntegration('id');

it('back: nothing is sent, and the other integration goes on under the same ids', async () => {
  await world.rest();
  await world.deploy(OBSERVE);
  world.loyalty.journal.clear();
  world.setClock(BACK);
  again.switchOn(new Date(world.moment(BACK)));
  for (let index = 0; index < 8; index += 1) {
    orders[`back ${index}`] = world.sell(shopper(index), 40 + index, 2);
  }
  await world.rest();
  world.giveBack(named('back 3').id, 1);
  expect(again.poll()).toBe(8);
  await expectExactPoints();
  // Of these only we know: their points follow when we are live again.
  world.giveBack(named('live 5').id, 1);
  world.store.actions.cancelOrder({ orderId: named('live 6').id });
  world.giveBack(named('observed 8').id, 1);
  await world.rest();
  expect(world.changingCalls()).toEqual([]);
});

it('live again: everything that changed meanwhile is right, once', async () => {
  await world.deploy(LIVE);
  world.setClock(OFF_AGAIN - 0.5);
  again.switchOff();
  orders['off again'] = world.sell(shopper(4), 64);
  const tooSoon = await goLive(`--other-off-since ${world.moment(BACK + 0.1)} --yes`);
  expect(tooSoon.code).toBe(1);
  expect(world.changingCalls()).toEqual([]);
  const { code, text } = await goLive(`--other-off-since ${world.moment(OFF_AGAIN)} --yes`);
  expect({ code, text }).toMatchObject({ code: 0 });
  await expectExactPoints();
});

it('live again: refunds and cancellations of orders of every kind', async () => {
  world.setClock(3);
  world.loyalty.journal.clear();
  world.giveBack(named('back 5').id, 1);
  world.giveBack(named('observed 9').id, 1);
  world.giveBack(named('live 7').id, 1);
  world.store.actions.cancelOrder({ orderId: named('back 6').id });
  world.store.actions.cancelOrder({ orderId: named('observed 10').id });
  orders.last = world.sell(shopper(5), 71);
  await expectExactPoints();
  expect(calls('partial', named('back 5').id)).toHaveLength(1);
  expect(calls('partial', `#${named('observed 9').number}`)).toHaveLength(1);
});

it('a deep scan finds nothing to repair', async () => {
  world.loyalty.journal.clear();
  const { code, text } = await world.run('reconcile --deep');
  expect({ code, text }).toMatchObject({ code: 0 });
  await expectExactPoints();
  expect(world.changingCalls()).toEqual([]);
});
