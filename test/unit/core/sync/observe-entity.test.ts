import { describe, expect, it } from 'vitest';
import {
  changeControl,
  inDoubt,
  readControl,
  wentLive,
} from '../../../../shared/core/calls/shop-pause.ts';
import type { EntityKey } from '../../../../shared/core/events/event.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { idempotencyKey, type WantedState } from '../../../../shared/core/mapping/wanted-state.ts';
import { planKey } from '../../../../shared/core/sync/observe-entity.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { amount, storeProduct } from '../../../fixtures/store-entities.ts';
import { sendEvent } from '../../../support/change-order.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

const ID = '5512345678901';
const key = { shop: SHOP, kind: 'order', id: ID } as const;
const shipped = { fulfilledAfterDays: 1 };
type Connector = ReturnType<typeof openConnector>;

function observed(): Connector {
  const connector = openConnector({ createdAt: Date.parse('2026-01-01') });
  connector.changeMode('observe');
  return connector;
}

async function deliver(connector: Connector, payload: ReturnType<typeof orderAt>): Promise<void> {
  connector.store.putOrder(SHOP, storeOrderOf(payload));
  await connector.deliver({ topic: 'orders/updated', payload });
  await connector.drain();
}

async function goLive(connector: Connector): Promise<void> {
  connector.changeMode('live');
  connector.clock.ms += 600_000;
  const now = new Date(connector.clock.ms);
  await changeControl(connector.ledger, SHOP, (one) => wentLive(one, 0, now));
  connector.clock.ms += 60_000;
}

const operations = ({ loyalty }: Connector) => loyalty.journal.map(({ operation }) => operation);
const planOf = ({ ledger }: Connector, about: EntityKey = key) =>
  ledger.entries.get(ledgerKeyText(planKey(about)));
/** As a live shop would have recorded the same. */
async function appliedKeyOf(payload: ReturnType<typeof orderAt>): Promise<string | undefined> {
  const live = openConnector({ createdAt: Date.parse('2026-01-01') });
  await deliver(live, payload);
  return live.ledger.entries.get(ledgerKeyText(key))?.appliedKey;
}

function changeHeld({ loyalty: { rows } }: Connector, change: object): void {
  for (const one of rows.orders.values()) rows.orders.put(one.OriginalId, { ...one, ...change });
}

/** As the service's own integration brings an order, under an id of its own. */
async function sendElsewhere(connector: Connector, id: string, total: number): Promise<void> {
  const order = storeOrderOf(orderAt(2, shipped));
  await connector.loyalty.client.sendOrder({
    OriginalId: id,
    OrderPlacementDate: order.placedAt,
    OrderCompletedDate: order.fulfilledAt ?? order.placedAt,
    OrderCancelledDate: null,
    OrderStatus: 'paid',
    IsCancelledOrReturned: false,
    IsCompleted: true,
    OrderTotal: total,
    UpdatedDate: order.updatedAt,
    Products: [{ OriginalId: 'of-the-other', Title: 'As the other names it', ProductPrice: total }],
    Customer: { OriginalId: order.customer?.id ?? '', Email: order.customer?.email ?? '' },
  });
  changeHeld(connector, { isBuiltIn: true });
  connector.loyalty.journal.length = 0;
}

describe('an observed shop', () => {
  it('makes no call, and records which state would have been sent, without a person', async () => {
    const connector = observed();
    await deliver(connector, orderAt(2, shipped));
    expect(operations(connector)).toEqual([]);
    expect(connector.ledger.entries.has(ledgerKeyText(key))).toBe(false);
    const appliedKey = await appliedKeyOf(orderAt(2, shipped));
    expect(appliedKey).toBeDefined();
    expect(planOf(connector)).toMatchObject({ appliedKey });
    expect(JSON.stringify([...connector.ledger.entries])).not.toContain('@');
  });

  it('records that an order would not be sent', async () => {
    const connector = observed();
    await deliver(connector, orderAt(2, shipped, { test: true }));
    expect(planOf(connector)?.appliedKey).toBeUndefined();
    await connector.reconcile();
    expect(connector.queues.orders.size).toBe(0);
  });

  it('keeps the plan of the newest state, whatever comes late', async () => {
    const connector = observed();
    const newer = orderAt(3, shipped, { current_subtotal_price: '30.00' });
    await deliver(connector, newer);
    await connector.deliver({ topic: 'orders/updated', payload: orderAt(2, shipped) });
    await connector.drain();
    expect(planOf(connector)).toMatchObject({ appliedKey: await appliedKeyOf(newer) });
  });

  it('plans what is no order, too', async () => {
    const connector = observed();
    const product = { shop: SHOP, kind: 'product', id: storeProduct().id } as const;
    connector.store.putProduct(SHOP, storeProduct());
    await sendEvent(connector, product, { topic: 'products/update' });
    await connector.drain();
    expect(operations(connector)).toEqual([]);
    expect(planOf(connector, product)?.appliedKey).toBeDefined();
    expect(connector.ledger.entries.has(ledgerKeyText(product))).toBe(false);
  });

  it('plans the end of an order that the store deleted', async () => {
    const connector = openConnector({ createdAt: Date.parse('2026-01-01') });
    await deliver(connector, orderAt(2, shipped));
    connector.changeMode('observe');
    connector.store.remove(SHOP, 'order', ID);
    await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
    await connector.drain();
    const appliedKey = idempotencyKey({ kind: 'cancelled-order', id: ID } as WantedState);
    expect(planOf(connector)).toMatchObject({ appliedKey });
    expect(operations(connector)).toEqual(['sendOrder']);
  });

  it('plans nothing while the store does not answer', async () => {
    const connector = observed();
    connector.store.outage = { kind: 'unavailable', why: 'throttled' };
    await connector.deliver({ topic: 'orders/delete', payload: { id: Number(ID) } });
    await connector.work('orders');
    expect(planOf(connector)).toBeUndefined();
    expect(connector.queues.orders.size).toBe(1);
  });

  it('asks the service for nothing, also of an order of which it may hold more', async () => {
    const connector = openConnector({ createdAt: Date.parse('2026-01-01') });
    await deliver(connector, orderAt(2, shipped));
    const entry = connector.ledger.entries.get(ledgerKeyText(key));
    if (!entry) throw new Error('no entry');
    const { service: _, revision, ...older } = entry;
    await connector.ledger.write(key, older, revision);
    connector.changeMode('observe');
    await deliver(connector, orderAt(3, shipped, { current_subtotal_price: '30.00' }));
    expect(planOf(connector)?.appliedKey).toBeDefined();
    expect(operations(connector)).toEqual(['sendOrder']);
  });

  it('has no moment of go-live before it went live', async () => {
    const connector = observed();
    await connector.reconcile();
    const waiting = await readControl(connector.ledger, SHOP);
    expect(waiting.observing).toBeDefined();
    expect(waiting.goLive).toBeUndefined();
  });

  it('is compared by its plans: what was observed is not sent again', async () => {
    const connector = observed();
    await deliver(connector, orderAt(2, shipped));
    await connector.reconcile();
    expect(connector.queues.orders.size).toBe(0);
  });

  it('plans a state once, however often it is read, and another state anew', async () => {
    const connector = observed();
    await deliver(connector, orderAt(2, shipped));
    const read = storeOrderOf(orderAt(2, shipped));
    const readLater = (minutes: number) =>
      new Date(Date.parse(read.updatedAt) + minutes * 60_000).toISOString();
    connector.store.putOrder(SHOP, { ...read, updatedAt: readLater(20) });
    await connector.reconcile();
    expect(connector.queues.orders.size).toBe(0);
    const changed = { lines: [], subtotal: amount('0.00') };
    connector.store.putOrder(SHOP, { ...read, ...changed, updatedAt: readLater(40) });
    await connector.reconcile();
    expect(connector.queues.orders.size).toBe(1);
  });

  it('sends nothing after a deployment alone, and all of it after go-live', async () => {
    const connector = observed();
    await deliver(connector, orderAt(2, shipped));
    connector.changeMode('live');
    const later = orderAt(3, shipped);
    connector.store.putOrder(SHOP, storeOrderOf(later));
    await connector.deliver({ topic: 'orders/updated', payload: later });
    await connector.work('orders');
    expect(operations(connector)).toEqual([]);
    await goLive(connector);
    await connector.drain();
    expect(operations(connector)).toEqual(['getOrder', 'getOrder', 'getOrder', 'sendOrder']);
  });

  it('keeps what a live shop has sent, and plans the difference', async () => {
    const connector = openConnector({ createdAt: Date.parse('2026-01-01') });
    await deliver(connector, orderAt(2, shipped));
    const before = connector.ledger.entries.get(ledgerKeyText(key));
    connector.changeMode('observe');
    await deliver(connector, orderAt(3, shipped, { current_subtotal_price: '30.00' }));
    expect(connector.ledger.entries.get(ledgerKeyText(key))).toEqual(before);
    expect(planOf(connector)?.appliedKey).toBeDefined();
    expect(planOf(connector)?.appliedKey).not.toBe(before?.appliedKey);
    expect(operations(connector)).toEqual(['sendOrder']);
  });
});

describe('an order that another integration sent', () => {
  const held = (connector: Connector) =>
    [...connector.loyalty.rows.orders.values()].map((one) => one.OriginalId);

  it.each([
    ["under the store's id", ID],
    ['under its name', '#1001'],
    ['under its number', '1001'],
  ])('%s is not sent again, and its refund is taken from it', async (_, id) => {
    const connector = observed();
    await sendElsewhere(connector, id, 50);
    await goLive(connector);
    await deliver(connector, orderAt(2, shipped));
    expect(operations(connector).filter((one) => one !== 'getOrder')).toEqual([]);
    await deliver(connector, orderAt(3, shipped, { current_subtotal_price: '30.00' }));
    const changes = connector.loyalty.journal.filter(({ operation }) => operation !== 'getOrder');
    expect(changes).toMatchObject([
      { operation: 'partiallyCancelPosOrder', path: { orderId: id }, body: { ValueToRefund: 20 } },
    ]);
    expect(held(connector)).toEqual([id]);
  });

  it('is ended under its own id', async () => {
    const connector = observed();
    await sendElsewhere(connector, '1001', 50);
    await goLive(connector);
    const cancelled_at = '2026-10-05T09:00:00Z';
    await deliver(connector, orderAt(3, shipped, { cancelled_at }));
    expect(connector.loyalty.journal.at(-1)).toMatchObject({
      ...{ operation: 'cancelPosOrder', path: { orderId: '1001' } },
    });
  });

  it.each([61, 40])('keeps an amount of other rules: %d', async (total) => {
    const connector = observed();
    await sendElsewhere(connector, '1001', total);
    await goLive(connector);
    await deliver(connector, orderAt(2, shipped));
    expect(operations(connector).filter((one) => one !== 'getOrder')).toEqual([]);
    expect(connector.deadLetters()).toEqual([]);
  });

  it.each([
    ['is refunded', { current_subtotal_price: '30.00' }, 'partiallyCancelPosOrder'],
    ['ends', { cancelled_at: '2026-10-09T12:12:00Z' }, 'cancelPosOrder'],
    ['is sent anew', { note: 'a change', tags: 'new', email: 'new@example.com' }, undefined],
  ])('is found again after a redaction: it %s under its own id', async (_, change, operation) => {
    const connector = observed();
    await sendElsewhere(connector, '#1001', 50);
    await goLive(connector);
    const order = orderAt(2, shipped);
    await deliver(connector, order);
    const { customer } = storeOrderOf(order);
    const redacted = { customer: { id: Number(customer?.id) }, orders_to_redact: [Number(ID)] };
    const payload = { shop_domain: SHOP, ...redacted };
    await connector.deliver({ topic: 'customers/redact', payload });
    await connector.drain();
    connector.clock.ms += 120_000;
    const updated_at = new Date(connector.clock.ms - 60_000).toISOString();
    await deliver(connector, orderAt(2, shipped, { ...change, updated_at }));
    const changes = connector.loyalty.journal.filter((one) => one.operation === operation);
    const expected = operation ? [{ path: { orderId: '#1001' } }] : [];
    expect(changes).toMatchObject(expected);
    expect(held(connector)).toEqual(['#1001']);
    expect(connector.deadLetters()).toEqual([]);
  });

  it('and that was ended there does not count anew under the id of the store', async () => {
    const connector = observed();
    await sendElsewhere(connector, '#1001', 50);
    changeHeld(connector, { IsCancelledOrReturned: true });
    await goLive(connector);
    await deliver(connector, orderAt(2, shipped));
    await deliver(connector, orderAt(3, shipped, { current_subtotal_price: '30.00' }));
    expect(operations(connector).filter((one) => one !== 'getOrder')).toEqual([]);
    expect(connector.deadLetters()).toEqual([]);
  });

  it('is found by its number, whatever digits are around it', async () => {
    const connector = observed();
    await sendElsewhere(connector, '1001', 50);
    await goLive(connector);
    await deliver(connector, orderAt(2, shipped, { name: 'B2B-1001' }));
    expect(held(connector)).toEqual(['1001']);
  });

  it('is not another order of the customer, whose number is in the name', async () => {
    const connector = observed();
    await sendElsewhere(connector, '2026', 50);
    changeHeld(connector, { OrderPlacementDate: '2026-09-01T00:00:00.000Z' });
    await goLive(connector);
    await deliver(connector, orderAt(2, shipped, { name: '2026-1001' }));
    expect(held(connector)).toEqual(['2026', ID]);
  });

  it('is not sent again after the ledger was lost', async () => {
    const connector = observed();
    await sendElsewhere(connector, '#1001', 50);
    await goLive(connector);
    await deliver(connector, orderAt(2, shipped));
    connector.ledger.restore();
    const now = new Date(connector.clock.ms);
    await changeControl(connector.ledger, SHOP, (one) => inDoubt(one, 0, now));
    connector.clock.ms += 60_000;
    await deliver(connector, orderAt(3, shipped));
    expect(held(connector)).toEqual(['#1001']);
  });

  it('is another order where customer and moment are other ones', async () => {
    const connector = observed();
    await sendElsewhere(connector, '1001', 50);
    changeHeld(connector, { OrderPlacementDate: '2025-01-01T00:00:00.000Z' });
    const other = orderAt(2, shipped, { customer: { id: 7, email: 'other@example.com' } });
    await goLive(connector);
    await deliver(connector, other);
    expect(operations(connector)).toContain('sendOrder');
  });
});
