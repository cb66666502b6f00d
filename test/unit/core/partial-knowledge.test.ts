import { beforeEach, describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import type { CallFailure } from '../../../shared/loyalty/result.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { type OrderSpec, simpleOrder } from '../../fixtures/order-spec.ts';
import { amount, storeCoupon, storeOrder } from '../../fixtures/store-entities.ts';

let connector: ReturnType<typeof openConnector>;
beforeEach(() => {
  connector = openConnector();
});

/** Delivers it, and works until nothing is left. */
async function handle(topic: string, payload: unknown): Promise<void> {
  await connector.deliver({ topic, payload });
  await connector.drain();
}

const ID = '5512345678901';
const DAY = 86_400_000;
const fulfilled: Partial<OrderSpec> = { fulfilledAfterDays: 1 };
const updatedAt = (second: number) =>
  new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
const payload = (second: number, spec: Partial<OrderSpec> = {}, changes = {}) =>
  buildOrder({ ...simpleOrder, ...spec }, { updated_at: updatedAt(second), ...changes }).payload;

const unreachable: CallFailure = {
  kind: 'failure',
  reason: 'connection',
  mayHaveHappened: false,
};

/** The next call arrives, and its answer is lost. */
function loseNextAnswer(): void {
  connector.loyalty.world.interfere = (_call, pass) => {
    connector.loyalty.world.interfere = undefined;
    pass();
    return { kind: 'failure', reason: 'time-out', mayHaveHappened: true };
  };
}

describe('a first send that arrived and was not recorded', () => {
  it.each([
    [
      'cancelled',
      'orders/cancelled',
      payload(2, { ...fulfilled, cancelledAfterDays: 3 }, { customer: null }),
    ],
    ['deleted', 'orders/delete', { id: Number(ID) }],
  ])(
    'still gives its points back when the order is %s without its customer',
    async (_, topic, next) => {
      loseNextAnswer();
      await connector.deliver({ topic: 'orders/fulfilled', payload: payload(1, fulfilled) });
      await connector.work('orders');
      expect(connector.loyalty.rows.points.size).toBe(1);
      await handle(topic, next);
      expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
      expect(connector.loyalty.rows.points.size).toBe(0);
    },
  );

  it('is cancelled after it was deleted where the service refuses the cancel call, without an old address', async () => {
    connector = openConnector({ service: { error13: 'cancel-completed' } });
    await handle('orders/fulfilled', payload(1, fulfilled));
    const [customer] = connector.loyalty.rows.customers.values();
    if (!customer) throw new Error('no customer');
    connector.loyalty.rows.customers.put(customer.OriginalId, {
      ...customer,
      Email: 'new@example.org',
    });
    await handle('orders/delete', { id: Number(ID) });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.loyalty.rows.customers.get(customer.OriginalId)).toMatchObject({
      Email: 'new@example.org',
    });
    const entry = connector.ledger.entries.get(
      ledgerKeyText({ shop: SHOP, kind: 'order', id: ID }),
    );
    expect(entry?.remembered).toBeUndefined();
  });

  it('is forgotten with its customer when it is cancelled first and deleted later', async () => {
    await connector.deliver({ topic: 'orders/fulfilled', payload: payload(1, fulfilled) });
    const cancelled = payload(2, { ...fulfilled, cancelledAfterDays: 3 });
    await handle('orders/cancelled', cancelled);
    await handle('orders/delete', { id: Number(ID) });
    const key = ledgerKeyText({ shop: SHOP, kind: 'order', id: ID });
    expect(connector.ledger.entries.get(key)?.outcomes.at(-1)?.outcome).toBe('unchanged');
    expect(connector.ledger.entries.get(key)?.remembered).toBeUndefined();
  });

  it('is cancelled after a crash that left no trace at all', async () => {
    const { ledger } = connector;
    connector.parts.ledger = { ...ledger, write: async () => Promise.reject(new Error('crash')) };
    await connector.deliver({ topic: 'orders/paid', payload: payload(1) });
    await connector.work('orders');
    connector.parts.ledger = ledger;
    const cancelled = payload(2, { cancelledAfterDays: 3 }, { customer: null });
    await handle('orders/cancelled', cancelled);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
  });

  it('is still corrected after such a crash, a refused repetition and the loss of its customer', async () => {
    const { ledger } = connector;
    connector.parts.ledger = { ...ledger, write: async () => Promise.reject(new Error('crash')) };
    await connector.deliver({ topic: 'orders/paid', payload: payload(1) });
    await connector.work('orders');
    connector.parts.ledger = ledger;
    const refusal = { HasError: true, ErrorCode: 30, ErrorMessage: 'no', Result: null };
    const text = JSON.stringify(refusal);
    connector.loyalty.world.interfere = () => ({ kind: 'answer', status: 200, headers: {}, text });
    await connector.drain();
    expect(connector.deadLetters()).toHaveLength(1);
    connector.loyalty.world.interfere = undefined;
    const lines = [{ product: 1, priceCents: 2000, quantity: 1, discountCents: 0, takenBack: 0 }];
    const smaller = payload(2, { lines }, { customer: null });
    await handle('orders/updated', smaller);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ OrderTotal: 20 });
  });
});

describe('a discount', () => {
  const gid = 'gid://shopify/DiscountCodeNode/1688847450345';
  const changed = { admin_graphql_api_id: gid, updated_at: updatedAt(0) };

  it('deleted while its codes still wait leaves none of them active', async () => {
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: updatedAt(0) }));
    await connector.deliver({ topic: 'discounts/create', payload: changed });
    await connector.work('coupons');
    connector.loyalty.world.interfere = () => unreachable;
    await connector.work('coupons');
    connector.store.remove(SHOP, 'discount', '1688847450345');
    const deleted = { admin_graphql_api_id: gid, deleted_at: updatedAt(1) };
    await connector.deliver({ topic: 'discounts/delete', payload: deleted });
    await connector.work('coupons');
    connector.loyalty.world.interfere = undefined;
    await connector.drain();
    const active = [...connector.loyalty.rows.coupons.values()].filter((row) => row.isActive);
    expect(active).toEqual([]);
  });

  /** The codes of a discount in the loyalty service. */
  const active = () =>
    [...connector.loyalty.rows.coupons.values()].filter((row) => row.isActive).length;
  const deleted = { admin_graphql_api_id: gid, deleted_at: updatedAt(1) };

  it('whose deletion is announced loses its codes at once, in one step', async () => {
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: updatedAt(0) }));
    await handle('discounts/create', changed);
    expect(active()).toBe(1);
    connector.store.remove(SHOP, 'discount', '1688847450345');
    await connector.deliver({ topic: 'discounts/delete', payload: deleted });
    await connector.work('coupons');
    await connector.work('coupons');
    expect([active(), connector.queues.coupons.size]).toEqual([0, 0]);
    expect(connector.telemetry.total('handled', { kind: 'discount', why: 'fanned-out' })).toBe(2);
  });

  it('keeps its codes while the store does not answer whether it is deleted', async () => {
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: updatedAt(0) }));
    await handle('discounts/create', changed);
    connector.store.outage = { kind: 'unavailable', why: 'throttled' };
    await connector.deliver({ topic: 'discounts/delete', payload: deleted });
    for (let round = 0; round < 5; round += 1) {
      expect(await connector.work('coupons')).toEqual({ received: 1, left: 1 });
      connector.clock.ms += 3_600_000;
    }
    connector.store.outage = undefined;
    await connector.drain();
    expect(active()).toBe(1);
  });

  it('loses no page to another that is fanned out at the same time', async () => {
    const other = '1688847450999';
    for (let n = 0; n < 120; n += 1) {
      const discountId = n % 2 === 0 ? '1688847450345' : other;
      connector.store.putCoupon(
        SHOP,
        storeCoupon({ code: `CODE-${n}`, codeId: String(n), discountId }),
      );
    }
    await connector.deliver({ topic: 'discounts/create', payload: changed });
    const ofOther = { ...changed, admin_graphql_api_id: gid.replace('1688847450345', other) };
    await handle('discounts/create', ofOther);
    expect(active()).toBe(120);
  });

  it('of any size is fanned out in pages, and a crash repeats one page at most', async () => {
    for (let n = 0; n < 300; n += 1) {
      connector.store.putCoupon(SHOP, storeCoupon({ code: `CODE-${n}`, codeId: String(n) }));
    }
    await connector.deliver({ topic: 'discounts/create', payload: changed });
    // Each invocation gets through one page's worth of sends, and then breaks.
    let sends = 0;
    const { send } = connector.queues.coupons;
    connector.queues.coupons.send = (message) => {
      sends += 1;
      if (sends % 70 === 0) throw new Error('crash');
      return send(message);
    };
    await connector.drain();
    expect(connector.loyalty.rows.coupons.size).toBe(300);
    expect(sends).toBeLessThan(600);
  });
});

describe('an event that only the store can explain', () => {
  it('does not hold up what newer events of the same order know', async () => {
    await handle('orders/paid', payload(1));
    connector.store.outage = { kind: 'unavailable', why: 'throttled' };
    await connector.deliver({ topic: 'refunds/create', payload: { id: 9, order_id: Number(ID) } });
    await connector.deliver({
      topic: 'orders/cancelled',
      payload: payload(2, { cancelledAfterDays: 3 }),
    });
    await connector.work('orders');
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.queues.orders.size).toBe(1);
  });
});

describe('several events of one order that only the store can explain', () => {
  const refund = (id: number) =>
    connector.deliver({ topic: 'refunds/create', payload: { id, order_id: Number(ID) } });

  it.each([
    ['answers', undefined],
    ['does not answer', { kind: 'unavailable', why: 'throttled' } as const],
  ])('cost one question, where the store %s', async (_, outage) => {
    connector.store.putOrder(SHOP, storeOrder());
    connector.store.outage = outage;
    for (const id of [1, 2, 3]) await refund(id);
    expect(await connector.work('orders')).toEqual({ received: 3, left: outage ? 3 : 0 });
    expect(connector.store.reads).toBe(1);
  });

  it('do not swallow what another says itself, where the store shows no such order', async () => {
    await refund(1);
    await connector.deliver({ topic: 'orders/fulfilled', payload: payload(1, fulfilled) });
    connector.clock.ms += 660_000;
    expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
  });
});

describe('a refund of an order that the app may not see any more', () => {
  const refund = (second: number) => ({
    topic: 'refunds/create',
    payload: { id: 9, order_id: Number(ID), created_at: updatedAt(second) },
  });

  async function placedLongAgo() {
    const old = '2026-07-01T09:00:00Z';
    const changes = { created_at: old, processed_at: old };
    const stored = storeOrder({}, { ...changes, updated_at: updatedAt(5) });
    connector.store.putOrder(SHOP, stored);
    connector.store.allOrders = false;
    await handle('orders/paid', payload(1, {}, changes));
  }

  it.each([
    ['in the same second as', 5],
    ['a second after', 6],
  ])('ends at once with 0 alarms beside a webhook dated %s the refund', async (_, second) => {
    await placedLongAgo();
    await connector.deliver(refund(5));
    await connector.deliver({ topic: 'orders/updated', payload: payload(second, fulfilled) });
    expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
    expect(connector.telemetry.total('misconfigured')).toBe(0);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
  });

  it('waits with the alarm while the ledger holds an older state', async () => {
    await placedLongAgo();
    await connector.deliver(refund(5));
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    expect(connector.telemetry.total('misconfigured')).toBe(1);
  });

  it('costs no question to the store once the ledger holds a newer state', async () => {
    await handle('orders/updated', payload(6));
    await connector.deliver(refund(5));
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    expect(connector.store.reads).toBe(0);
  });
});

describe('an order paid in part with a gift card', () => {
  const spec = { ...fulfilled, shippingCents: 0 };
  const gateways = { payment_gateway_names: ['gift_card', 'shopify_payments'] };
  const put = (second: number, order: Partial<OrderSpec>, paid: string) =>
    connector.store.putOrder(SHOP, {
      ...storeOrder({ ...spec, ...order }, { ...gateways, updated_at: updatedAt(second) }),
      paidWithGiftCards: amount(paid),
    });

  it('counts the 30.00 paid in money, which only the store can say', async () => {
    put(1, {}, '20');
    await handle('orders/paid', payload(1, spec, gateways));
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ OrderTotal: 30 });
    // An older event says nothing new.
    const { reads } = connector.store;
    await handle('orders/updated', payload(0, spec, gateways));
    expect(connector.store.reads).toBe(reads);
  });

  it('falls from 30 to 10 points by a lower price, although its webhook alone reads like 30', async () => {
    put(1, {}, '20');
    await handle('orders/paid', payload(1, spec, gateways));
    const line = { product: 1, priceCents: 5000, quantity: 1, discountCents: 0, takenBack: 0 };
    const cheaper = { lines: [{ ...line, discountCents: 2000 }] };
    put(2, cheaper, '20');
    const next = payload(2, { ...spec, ...cheaper }, gateways);
    await handle('orders/updated', next);
    const held = connector.loyalty.rows.orders.get(ID);
    expect(held && amountHeld(held)).toBe(10);
  });
});

describe('a store that lags behind its own events', () => {
  const document = { from: 'metafield', owner: 'customer', namespace: 'a', key: 'b' } as const;

  it('does not replace a newer event by an older state', async () => {
    connector = openConnector({ rules: { document } });
    const stored = { ...storeOrder({}, { updated_at: updatedAt(1) }), metafields: [] };
    connector.store.putOrder(SHOP, stored);
    await connector.deliver({ topic: 'orders/fulfilled', payload: payload(2, fulfilled) });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    const now = { ...storeOrder(fulfilled, { updated_at: updatedAt(2) }), metafields: [] };
    connector.store.putOrder(SHOP, now);
    await connector.drain();
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
  });

  it.each([0, 5_000])(
    'waits with the second state of one second, while the store does not show a new order: its clock is %i ms ahead',
    async (ahead) => {
      const changes = { updated_at: new Date(connector.clock.ms + ahead).toISOString() };
      await handle('orders/create', payload(1, {}, changes));
      const next = payload(1, fulfilled, changes);
      await connector.deliver({ topic: 'orders/fulfilled', payload: next });
      expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
      connector.store.putOrder(SHOP, storeOrder(fulfilled, changes));
      await connector.drain();
      expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
    },
  );

  it('does not cancel an order that is not found, unless its deletion was announced', async () => {
    await handle('orders/paid', payload(1));
    await connector.deliver({ topic: 'refunds/create', payload: { id: 9, order_id: Number(ID) } });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 1 });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: false });

    // Its deletion arrives: that settles it, and the question with it.
    await handle('orders/delete', { id: Number(ID) });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.dead.size).toBe(0);
  });
});

describe('eleven references to an order that stand before its deletion', () => {
  it('hold the deletion up for minutes, not for the 4 days of the retry window', async () => {
    await handle('orders/paid', payload(1));
    for (let id = 1; id <= 11; id += 1) {
      await connector.deliver({ topic: 'refunds/create', payload: { id, order_id: Number(ID) } });
    }
    await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
    const start = connector.clock.ms;
    await connector.drain();
    expect(connector.clock.ms - start).toBeLessThan(3_600_000);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.dead.size).toBe(0);
  });
});

describe('what the ledger forgets, and when', () => {
  it('orders expire after the retention of the settings, products only once they are gone', async () => {
    await connector.deliver({ topic: 'orders/paid', payload: payload(1) });
    const product = { id: 8, title: 'Shirt', status: 'active', updated_at: updatedAt(1) };
    const variants = [{ id: 1, price: '9.00' }];
    await handle('products/create', { ...product, variants });
    const entry = (kind: 'order' | 'product', id: string) =>
      connector.ledger.entries.get(ledgerKeyText({ shop: SHOP, kind, id }));
    const days = ((entry('order', ID)?.expiresAt ?? 0) * 1000 - connector.clock.ms) / DAY;
    expect(Math.round(days)).toBe(400);
    await handle('products/update', { ...product, variants, updated_at: updatedAt(2) });
    expect(connector.telemetry.total('unchanged', { kind: 'product' })).toBe(1);
    expect(entry('product', '8')?.expiresAt).toBeUndefined();
    await handle('products/delete', { id: 8 });
    expect(entry('product', '8')?.expiresAt).toBeDefined();
  });

  it('a code once it is over', async () => {
    const key = { shop: SHOP, kind: 'coupon', id: 'AUTUMN10' } as const;
    const expiry = async (second: number, status: 'active' | 'expired') => {
      connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: updatedAt(second), status }));
      const receivedAt = new Date(connector.clock.ms).toISOString();
      await connector.send({
        ...{ ...key, claim: 'code-added', origin: 'webhook', topic: 'any', body: undefined },
        ...{ deliveryId: `${second}`, receivedAt },
      });
      await connector.drain();
      return connector.ledger.entries.get(ledgerKeyText(key))?.expiresAt;
    };
    expect(await expiry(1, 'active')).toBeUndefined();
    expect(await expiry(2, 'expired')).toBeDefined();
  });

  it('nothing of an order that an event leaves unchanged', async () => {
    const remembered = () =>
      connector.ledger.entries.get(ledgerKeyText({ shop: SHOP, kind: 'order', id: ID }))
        ?.remembered;
    await handle('orders/fulfilled', payload(1, fulfilled));
    const before = remembered();
    await handle('orders/updated', payload(2, fulfilled));
    expect(connector.telemetry.total('unchanged')).toBe(1);
    expect(before).toBeDefined();
    expect(remembered()).toBe(before);
  });

  it('nothing sooner because a change of it was refused, and not later', async () => {
    const metadata = () => {
      throw new Error('a mistake of the merchant');
    };
    connector = openConnector({ rules: { metadata } });
    await handle('orders/paid', payload(1));
    const product = {
      id: 8,
      title: 'Shirt',
      status: 'active',
      variants: [{ id: 1, price: '9.00' }],
    };
    await handle('products/create', { ...product, updated_at: updatedAt(1) });
    const text = JSON.stringify({
      HasError: true,
      ErrorCode: 30,
      ErrorMessage: 'no',
      Result: null,
    });
    connector.loyalty.world.interfere = () => ({ kind: 'answer', status: 200, headers: {}, text });
    await handle('products/update', { ...product, title: 'Coat', updated_at: updatedAt(2) });
    expect(connector.dead.size).toBe(2);
    const expiry = (kind: 'order' | 'product', id: string) =>
      connector.ledger.entries.get(ledgerKeyText({ shop: SHOP, kind, id }))?.expiresAt;
    expect(expiry('order', ID)).toBeDefined();
    expect(expiry('product', '8')).toBeUndefined();
  });
});

describe('a store that does not show a thing yet, or any more', () => {
  const gid = 'gid://shopify/DiscountCodeNode/1688847450345';

  it.each(['refunds/create', 'orders/edited'])(
    'an announced deletion is believed, whatever %s waits behind it',
    async (topic) => {
      await handle('orders/paid', payload(1));
      await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
      const reference = { order_id: Number(ID) };
      await connector.deliver({
        topic,
        payload: topic === 'orders/edited' ? { order_edit: reference } : { id: 9, ...reference },
      });
      expect(await connector.work('orders')).toEqual({ received: 2, left: 0 });
      expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    },
  );

  it('a discount that is announced before it can be read is mirrored when it can', async () => {
    const changed = { admin_graphql_api_id: gid, updated_at: updatedAt(0) };
    await connector.deliver({ topic: 'discounts/create', payload: changed });
    expect(await connector.work('coupons')).toEqual({ received: 1, left: 1 });
    connector.store.putCoupon(SHOP, storeCoupon());
    await connector.drain();
    expect(connector.loyalty.rows.coupons.size).toBe(1);
  });

  it('a code that is announced before it can be read is not taken for removed', async () => {
    const redeem_code = { id: 'gid://shopify/DiscountRedeemCode/1', code: 'AUTUMN10' };
    const added = { admin_graphql_api_id: gid, updated_at: updatedAt(0), redeem_code };
    await connector.deliver({ topic: 'discounts/redeemcode_added', payload: added });
    await connector.work('coupons');
    await connector.work('coupons');
    expect(connector.loyalty.journal).toEqual([]);
    connector.store.putCoupon(SHOP, storeCoupon());
    await connector.drain();
    const [coupon] = connector.loyalty.rows.coupons.values();
    expect(coupon).toMatchObject({ CouponCode: 'AUTUMN10', isActive: true });
  });

  it('a code removed and added again within the same second ends active', async () => {
    const redeem_code = { id: 'gid://shopify/DiscountRedeemCode/1', code: 'AUTUMN10' };
    const body = { admin_graphql_api_id: gid, redeem_code };
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: '2026-10-09T11:59:00.000Z' }));
    await handle('discounts/redeemcode_added', { ...body, updated_at: '2026-10-09T11:59:00Z' });
    connector.store.remove(SHOP, 'coupon', 'AUTUMN10');
    connector.clock.ms += 400;
    const second = new Date(Math.floor(connector.clock.ms / 1000) * 1000).toISOString();
    await connector.deliver({
      topic: 'discounts/redeemcode_removed',
      payload: { ...body, updated_at: second },
    });
    await connector.work('coupons');
    await connector.work('coupons');
    connector.store.putCoupon(SHOP, storeCoupon({ codeId: '99', updatedAt: second }));
    await handle('discounts/redeemcode_added', { ...body, updated_at: second });
    const [coupon] = connector.loyalty.rows.coupons.values();
    expect(coupon).toMatchObject({ CouponCode: 'AUTUMN10', isActive: true });
    expect(connector.dead.size).toBe(0);
  });
});
