import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { OBSERVER } from '../../fixtures/cut-over-observed-storefront.config.ts';
import { proxyValues, signedQuery } from '../../support/signed-query.ts';
import { keptAmount } from './oracle.ts';
import { isChanging, readCsv, SHOP, useCutOver } from './world.ts';

const ORDERS = 30;
const ITEMS = '8012345678901:100.00:1';
const SETTINGS = 'test/fixtures/cut-over-observed-storefront.config.ts';

const world = useCutOver({ settings: SETTINGS });
let csvs = 0;

beforeEach(async () => {
  await world.rest();
  await world.loyalty.reset();
});

/** What the store would show of a change by us: balances, definitions of them aside, and codes. */
function writtenToStore() {
  const { metafields, discounts, codes } = world.store.state();
  return { metafields, discounts: discounts.map(({ id }) => id), codes: codes.map(({ id }) => id) };
}

async function compare(since = '1h') {
  csvs += 1;
  const file = join(world.folder, `compared-${csvs}.csv`);
  const { code, text } = await world.run(`compare orders --since ${since} --csv ${file}`);
  const rows = readCsv(readFileSync(file, 'utf8'));
  return {
    code,
    text,
    csv: readFileSync(file, 'utf8'),
    of: (orderId: string) => rows.filter(({ id }) => id === orderId),
  };
}

describe('an observed shop', () => {
  it('makes no changing call, and writes nothing to the store, whatever happens there', async () => {
    const { actions } = world.store;
    const other = world.otherIntegration('name');
    other.switchOn(new Date(Date.now() - 60_000));
    const [first = '', second = '', third = ''] = world.customerIds();
    const orders = Array.from({ length: ORDERS }, (_, index) =>
      world.sell([first, second, third][index % 3] ?? '', 10 + index, 2),
    );
    const person = { firstName: 'Robin', lastName: 'Walker', email: 'robin.walker@example.com' };
    const newcomer = actions.createCustomer(person);
    actions.updateCustomer({ customerId: newcomer.id, firstName: 'Robyn' });
    const product = actions.createProduct({ title: 'Kettle', price: 30 });
    actions.updateProduct({ productId: product.id, price: 35 });
    const discount = actions.createDiscount({ title: 'Sale', percentage: 10, codes: ['SALE-34'] });
    actions.updateDiscount({ discountId: discount.id, percentage: 20 });
    const before = writtenToStore();
    for (const { id } of orders.slice(0, 5)) world.giveBack(id, 1);
    for (const { id } of orders.slice(5, 8)) actions.cancelOrder({ orderId: id });
    actions.deleteProduct({ productId: product.id });
    // Its orders move points, and the service sends events of them.
    expect(other.poll()).toBe(ORDERS - 3);
    await world.loyalty.events.settled();
    await world.rest();

    const calls = world.loyalty.journal.entries();
    expect(calls.filter(isChanging)).toEqual([]);
    expect(writtenToStore()).toEqual(before);
    expect(world.stack.problems).toEqual([]);
    world.expectPoints(({ id }) => orders.some((one) => one.id === id));
    const letters = await world.run('dead-letters list');
    expect(letters.text).not.toMatch(/rejected|order \d/);
  });

  it('makes none when reconcile runs, also the deep scan', async () => {
    const [first = ''] = world.customerIds();
    const { id } = world.sell(first, 40);
    await world.rest();
    await world.runSchedules();
    await world.rest();
    expect(world.changingCalls()).toEqual([]);
    expect(world.heldOrder(id)).toBeUndefined();
  });

  it('is said to be observed by status', async () => {
    const { text } = await world.run('status');
    expect(text).toMatch(/observ/i);
    expect(text).toContain(SHOP);
  });
});

describe('compare', () => {
  it.each([
    ['the store’s id', 'id'],
    ['the name', 'name'],
    ['the number', 'number'],
  ] as const)('says what the other integration did under %s', async (_, form) => {
    const [first = '', second = ''] = world.customerIds();
    const other = world.otherIntegration(form);
    // In whole seconds, as the store's dates.
    other.switchOn(new Date(Math.floor(Date.now() / 1000) * 1000));
    const same = world.sell(first, 100);
    const refunded = world.sell(first, 30, 3);
    world.giveBack(refunded.id, 1);
    const cancelled = world.sell(second, 70);
    other.poll();
    expect([same, refunded, cancelled].filter(({ id }) => !other.knows(id))).toEqual([]);
    world.store.actions.cancelOrder({ orderId: cancelled.id });
    other.poll();
    other.switchOff();
    const absent = world.sell(second, 20);
    // Another amount: whoever sent it did not look at the refund.
    const unrefunded = world.sell(second, 50, 2);
    world.giveBack(unrefunded.id, 1);
    hold(idOf(form, unrefunded), unrefunded, 100);
    await world.rest();

    const { code, text, of, csv } = await compare();
    expect(of(same.id)).toMatchObject([
      { name: `#${same.number}`, verdict: 'same', heldid: idOf(form, same), origin: '0' },
    ]);
    expect(amounts(of(same.id))).toEqual([[100, 100, 0]]);
    expect(of(refunded.id)).toMatchObject([{ verdict: 'same' }]);
    expect(amounts(of(refunded.id))).toEqual([[60, 60, 0]]);
    expect(of(unrefunded.id)).toMatchObject([
      { verdict: 'other amount', heldid: idOf(form, unrefunded) },
    ]);
    expect(amounts(of(unrefunded.id)).map(([planned, held]) => [planned, held])).toEqual([
      [50, 100],
    ]);
    expect(Math.abs(amounts(of(unrefunded.id))[0]?.[2] ?? 0)).toBe(50);
    expect(of(absent.id)).toMatchObject([{ verdict: 'absent', heldid: '' }]);
    expect(of(cancelled.id).map(({ verdict }) => verdict)).not.toContain('absent');
    expect(code).toBe(1);
    expect(text).toContain('other amount');
    expect(text).toContain('absent');
    for (const { email, firstName, lastName } of world.store.rows.customers.values()) {
      for (const personal of [email, `${firstName} ${lastName}`]) {
        expect(csv).not.toContain(personal);
        expect(text).not.toContain(personal);
      }
    }
  });

  it('says that an order is held twice, under the store’s id and under its name', async () => {
    const [first = ''] = world.customerIds();
    const order = world.sell(first, 80);
    for (const id of [order.id, `#${order.number}`]) {
      hold(id, order, 80);
    }
    await world.rest();
    const { code, of } = await compare();
    expect(of(order.id)).toMatchObject([{ verdict: 'twice' }]);
    expect(code).toBe(1);
  });

  it('does not take another shop’s order of the same number for ours', async () => {
    const [first = '', second = ''] = world.customerIds();
    const order = world.sell(first, 80);
    const elsewhere = { ...order, customerId: second, processedAt: '2026-01-02T03:04:05Z' };
    hold(`#${order.number}`, elsewhere, 80);
    await world.rest();
    expect((await compare()).of(order.id)).toMatchObject([{ verdict: 'absent' }]);
  });

  it('ends with 0 when everything is the same, and sums the money', async () => {
    const other = world.otherIntegration('name');
    other.switchOn(new Date(0));
    other.poll();
    await world.rest();
    const { code, text } = await compare();
    expect(text).not.toContain('other amount');
    expect(code).toBe(0);
    const sum = [...world.store.rows.orders.values()]
      .filter(({ cancelledAt, fulfillments }) => cancelledAt === null && fulfillments.length > 0)
      .reduce((total, order) => total + keptAmount(order), 0);
    expect(text.replaceAll(/[\s,]/g, '')).toContain(String(sum));
  });

  it('is one document for programs, too', async () => {
    const { stdout } = await world.run('compare orders --since 1h --json');
    expect(() => JSON.parse(stdout)).not.toThrow();
    expect(stdout).toContain('same');
  });

  function idOf(form: 'id' | 'name' | 'number', order: { id: string; number: number }): string {
    return { id: order.id, name: `#${order.number}`, number: String(order.number) }[form];
  }

  /** As an integration of the service would have sent it. */
  function hold(
    OriginalId: string,
    { customerId, processedAt }: { customerId: string | null; processedAt: string },
    OrderTotal: number,
  ): void {
    const { email, firstName } = world.store.rows.customers.get(customerId ?? '') ?? {};
    const body = {
      OriginalId,
      OrderPlacementDate: processedAt,
      OrderCompletedDate: processedAt,
      IsCompleted: true,
      OrderTotal,
      Customer: { OriginalId: customerId, Name: firstName, Email: email },
    };
    expect(world.loyalty.integrate({ operation: 'sendOrder', body })).not.toMatchObject({
      HasError: true,
    });
  }

  const amounts = (rows: readonly Readonly<Record<string, string>>[]) =>
    rows.map(({ planned, held, difference }) => [planned, held, difference].map(Number));
});

describe('the storefront of an observed shop', () => {
  it('is shown to staff only, and changes nothing for them either', async () => {
    const [, , customer = ''] = world.customerIds();
    expect(await ask(customer, 'view')).toMatchObject({ status: 403, code: 'not-live' });
    expect(await ask('', 'view')).toMatchObject({ status: 403, code: 'not-live' });
    expect(await ask(OBSERVER, 'view')).toMatchObject({ status: 200 });
    const click = { rewardId: 1, clientKey: 'click-0034', items: ITEMS };
    expect(await ask(OBSERVER, 'redeem', click)).toMatchObject({ status: 409, code: 'not-live' });
    expect(world.changingCalls()).toEqual([]);
  });

  async function ask(customerId: string, name: string, body?: object) {
    const values = proxyValues(SHOP, new Date(), customerId, { items: ITEMS });
    const query = signedQuery(values, world.stack.webhookSecret);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(
      `${world.stack.outputs.StorefrontAddress}/example-store/${name}?${query}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : {},
    );
    const text = await answer.text();
    const { error } = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: answer.status, code: error?.code };
  }
});
