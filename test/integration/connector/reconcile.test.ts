import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { inOrder } from '../../../local/store-sandbox/delivery/disorder.ts';
import type { ActionName } from '../../../local/store-sandbox/model/actions.ts';
import type { StoreSandbox } from '../../../local/store-sandbox/sandbox.ts';

import { mapCoupon } from '../../../shared/sync/map-coupon.ts';
import { mapOrder } from '../../../shared/sync/map-order.ts';
import { mapProduct } from '../../../shared/sync/map-product.ts';
import type { StoreAnswer } from '../../../shared/sync/store-reader.ts';
import { rules } from '../../fixtures/store-entities.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';
import { adminStoreOf, openStoreAndConnector } from '../../support/store-and-connector.ts';
import { anyLife, live } from '../../unit/store-sandbox/any-store-life.ts';

const connectors = runConnectors();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const HOUR = 3_600;

/** Open since an hour, with nothing to say yet. */
async function openBoth(settings: Partial<Parameters<typeof openStoreAndConnector>[1]> = {}) {
  const both = await openStoreAndConnector(connectors, {
    seed: 5,
    shops: [{ domain: SHOP }],
    // The clock jumps: points that flow back by it would come in floods or not at all.
    store: { bucketSize: 10_000_000, deliveriesKept: 100_000 },
    healing: { subscriptions: 'app-configuration' },
    ...settings,
  });
  stops.push(both.stop);
  await both.connector.reconcile();
  both.connector.pass(HOUR);
  return both;
}

/** The steps of one day, most of them seconds apart and some within one second. */
function liveOneDay(connector: RunningConnector, store: StoreSandbox, day: number): void {
  const attempt = (name: ActionName, input: unknown): unknown => {
    connector.pass(day % 2 === 0 ? 0.4 : 97);
    try {
      return (store.actions[name] as (input: unknown) => unknown)(input);
    } catch {
      return undefined; // the store refuses what makes no sense
    }
  };
  for (let i = 0; i < 15; i += 1) attempt('placeRandomOrder', {});
  const lives = fc.sample(anyLife, { seed: 40 + day, numRuns: 6 });
  for (const steps of lives) live({ rows: store.rows, attempt }, steps);
  const codes = [`DAY-${day}-A`, `DAY-${day}-B`, `DAY-${day}-C`];
  const discount = store.actions.createDiscount({ title: `Day ${day}`, percentage: 5, codes });
  const [older] = [...store.rows.discounts.values()].filter(({ method }) => method === 'code');
  connector.pass(60);
  attempt('updateDiscount', { discountId: older?.id, title: `Changed on day ${day}` });
  attempt('addCodes', { discountId: discount.id, codes: [`DAY-${day}-D`] });
  attempt('removeCodes', { discountId: discount.id, codes: [`DAY-${day}-B`] });
  attempt('createProduct', { title: `New on day ${day}`, price: 12.5 });
}

/** One run of the function while workers go on beside it, as they would. */
async function reconcile(connector: RunningConnector, mode: { mode?: 'deep' } = {}) {
  const before = connector.output.lines().length;
  let isOver = false;
  const run = connector.reconcile(mode).finally(() => {
    isOver = true;
  });
  while (!isOver) await connector.work();
  await run;
  await connector.settle();
  const lines = connector.output.lines().slice(before);
  const sum = (metric: string) =>
    lines
      .filter((line) => '_aws' in line && metric in line)
      .reduce((total, line) => total + Number(line[metric]), 0);
  return { healed: sum('healed'), lookedAt: sum('looked-at'), reconciled: sum('reconciled') };
}

async function expectSameState(connector: RunningConnector, store: StoreSandbox): Promise<void> {
  const admin = adminStoreOf(store);
  const { orders, products, coupons } = connector.loyalty.state();
  for (const { id } of store.rows.orders.values()) {
    const held = orders.find(({ OriginalId }) => OriginalId === id);
    const order = found(await admin.readOrder(SHOP, id));
    const mapped = mapOrder(order, rules, { known: held !== undefined, remembered: undefined });
    if (mapped.kind !== 'wanted') expect(held, `order ${id}`).toBeUndefined();
    else if (mapped.wanted.kind === 'order') {
      const { OrderTotal, IsCompleted, OrderStatus } = mapped.wanted.order;
      const wanted = { OrderTotal, IsCompleted, OrderStatus, IsCancelledOrReturned: false };
      expect(held, `order ${id}`).toMatchObject(wanted);
    } else if (held) expect(held.IsCancelledOrReturned, `order ${id}`).toBe(true);
  }
  for (const { id } of store.rows.products.values()) {
    const mapped = mapProduct(found(await admin.readProduct(SHOP, id)), rules, SHOP);
    if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'product') throw new Error('skipped');
    const { ProductPrice, Title, IsActive } = mapped.wanted.product;
    const held = products.find(({ OriginalId }) => OriginalId === id);
    expect(held, `product ${id}`).toMatchObject({ ProductPrice, Title, IsActive });
  }
  const active = new Set<string>();
  for (const { code } of store.rows.codes.values()) {
    const coupon = found(await admin.readCoupon(SHOP, code));
    const mapped = mapCoupon(coupon, rules, { known: true, now: new Date() });
    if (mapped.kind === 'wanted' && mapped.wanted.kind === 'coupon') active.add(code);
  }
  const held = coupons.filter(({ isActive }) => isActive).map(({ CouponCode }) => CouponCode);
  expect(new Set(held)).toEqual(active);
  const earning = orders.filter((order) => order.IsCompleted && !order.IsCancelledOrReturned);
  const earned = orders.reduce((sum, { points }) => sum + Math.round((points ?? 0) * 100), 0);
  const due = earning.reduce((sum, { OrderTotal }) => sum + Math.round(OrderTotal * 100), 0);
  expect(earned).toBe(due);
  expect(await connector.deadLetters()).toEqual([]);
}

function found<Value>(answer: StoreAnswer<Value>): Value {
  if (answer.kind === 'found') return answer.value;
  throw new Error(`the store says ${answer.kind}`);
}

describe('a store whose webhooks are lost, doubled and shuffled', () => {
  it('over a week: one run brings both sides to the same state, a second heals nothing', async () => {
    const { connector, store } = await openBoth({
      disorder: { drop: 0.3, duplicate: 0.2, shuffle: 8 },
    });
    for (let day = 1; day <= 7; day += 1) {
      liveOneDay(connector, store, day);
      await store.deliveries.settled();
      await connector.settle();
      vi.setSystemTime(Math.max(Date.now(), connector.startedAt + day * 24 * HOUR * 1000));
    }
    const deliveries = store.deliveries.all();
    const dropped = deliveries.filter(({ state }) => state === 'dropped');
    expect(deliveries.length).toBeGreaterThan(500);
    expect(dropped.length / deliveries.length).toBeGreaterThan(0.15);
    expect(store.rows.orders.size).toBeGreaterThan(100);
    await expect(expectSameState(connector, store)).rejects.toThrow();

    connector.pass(HOUR);
    const first = await reconcile(connector);
    expect(first.reconciled).toBe(1);
    expect(first.healed).toBeGreaterThan(10);
    await expectSameState(connector, store);

    connector.pass(HOUR);
    connector.newCalls();
    const second = await reconcile(connector);
    expect(second).toMatchObject({ healed: 0, reconciled: 1 });
    const deep = await reconcile(connector, { mode: 'deep' });
    expect(deep.healed).toBe(0);
    expect(deep.lookedAt).toBeGreaterThan(store.rows.orders.size);
    expect(connector.newCalls()).toEqual([]);
  }, 600_000);

  it('a run also mends the subscriptions, so that less is lost from then on', async () => {
    const { connector, store } = await openBoth({ isAddressed: false, healing: {} });
    // The run at its opening made them.
    store.actions.placeRandomOrder();
    await store.deliveries.settled();
    expect(store.deliveries.all().length).toBeGreaterThan(0);
    expect(store.deliveries.all().every(({ state }) => state === 'delivered')).toBe(true);
    const lines = connector.output.lines();
    expect(lines.some((line) => 'subscriptions-repaired' in line)).toBe(true);
    expect(await reconcile(connector)).toMatchObject({ reconciled: 1 });
  });

  it('a deep run finds what was deleted without a word', async () => {
    const { connector, store } = await openBoth({ disorder: inOrder });
    const [product, kept] = store.rows.products.values();
    const place = () =>
      store.actions.placeOrder({
        lines: [{ variantId: kept?.variants[0]?.id, quantity: 1 }],
        customerId: [...store.rows.customers.values()][0]?.id,
        payment: 'paid',
      });
    const [lost, standing] = [place(), place()];
    const discount = store.actions.createDiscount({ percentage: 5, codes: ['GONE-1', 'GONE-2'] });
    await store.deliveries.settled();
    await connector.settle();
    connector.pass(HOUR);
    await reconcile(connector);

    store.disorder = { ...inOrder, drop: 1 };
    store.actions.cancelOrder({ orderId: lost.id });
    store.actions.deleteOrder({ orderId: lost.id });
    store.actions.deleteProduct({ productId: product?.id ?? '' });
    store.actions.deleteDiscount({ discountId: discount.id });
    await store.deliveries.settled();
    connector.pass(HOUR);
    expect(await reconcile(connector)).toMatchObject({ healed: 0 });
    const { healed } = await reconcile(connector, { mode: 'deep' });
    expect(healed).toBe(4);
    const { orders, products, coupons } = connector.loyalty.state();
    const orderHeld = (id: string) => orders.find(({ OriginalId }) => OriginalId === id);
    expect(orderHeld(lost.id)?.IsCancelledOrReturned).toBe(true);
    expect(orderHeld(standing.id)?.IsCancelledOrReturned).toBe(false);
    expect(products.find(({ OriginalId }) => OriginalId === product?.id)?.IsActive).toBe(false);
    for (const { CouponCode, isActive } of coupons) {
      if (CouponCode.startsWith('GONE-')) expect(isActive).toBe(false);
    }
    expect((await reconcile(connector, { mode: 'deep' })).healed).toBe(0);
    expect(await connector.deadLetters()).toEqual([]);
  }, 180_000);
});
