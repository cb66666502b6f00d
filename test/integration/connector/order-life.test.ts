import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { bodyFor, orderAt, orderLife, storeOrderOf } from '../../fixtures/order-life.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import {
  type Delivery,
  type RunningConnector,
  runConnectors,
  SHOP,
} from '../../support/running-connector.ts';

const connectors = runConnectors();

const fulfilled = { fulfilledAfterDays: 2 };

/** The one order as the loyalty service holds it. */
function heldOrder({ loyalty }: RunningConnector) {
  const [order, ...others] = loyalty.state().orders;
  if (!order || others.length > 0) throw new Error('not exactly one order');
  return { ...order, left: amountHeld(order) };
}

/** Without what depends on which snapshot came first: the completion date, the total sent first. */
function lastingOf(connector: RunningConnector) {
  const { IsCompleted, customerId, Coupon, PaymentMethod, left, points } = heldOrder(connector);
  return { IsCompleted, customerId, Coupon, PaymentMethod, left, points };
}

const balance = ({ loyalty }: RunningConnector) => loyalty.state().customers[0]?.points;

describe('the life of an order', () => {
  it('is followed from the first webhook to the last refund, with no call too many', async () => {
    const connector = await connectors.open();
    for (const { what, topics, payload, total, points, calls } of orderLife) {
      connector.store.putOrder(SHOP, storeOrderOf(payload));
      for (const topic of topics) await connector.deliver([topic, bodyFor(topic, payload)]);
      // Tags, notes and the like make the store send the order again.
      const updated_at = String(payload.updated_at).replace('.000Z', '.500Z');
      await connector.deliver(['orders/updated', { ...payload, updated_at, tags: what }]);
      expect(connector.newOperations(), what).toEqual(calls);
      expect(heldOrder(connector), what).toMatchObject({ OrderTotal: total, points });
      expect(balance(connector), what).toBe(points);
    }
    expect(heldOrder(connector)).toMatchObject({
      IsCancelledOrReturned: true,
      OrderStatus: 'returned',
    });
    expect(connector.loyalty.state().points).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('ends in the same state however its deliveries are shuffled and repeated', async () => {
    const untilRefund = orderLife.slice(0, -1);
    const last = untilRefund.at(-1);
    const deliveries = untilRefund.flatMap(({ topics, payload }) =>
      topics.map((topic): Delivery => [topic, bodyFor(topic, payload)]),
    );
    const alone = await connectors.open();
    alone.store.putOrder(SHOP, storeOrderOf(last?.payload));
    await alone.deliver(['orders/updated', last?.payload]);
    const expected = lastingOf(alone);

    const twice = [...deliveries, ...deliveries];
    const shuffled = fc.shuffledSubarray([...twice.keys()], { minLength: twice.length });
    await fc.assert(
      fc.asyncProperty(shuffled, fc.nat(9), async (order, pause) => {
        const connector = await connectors.open();
        connector.store.putOrder(SHOP, storeOrderOf(last?.payload));
        for (const index of order) {
          const [topic, payload] = twice[index] ?? deliveries[0] ?? ['', {}];
          // Half of the repetitions are retries of one delivery, half are deliveries of their own.
          const webhookId = `w-${index % 3 === 0 ? index : index % deliveries.length}`;
          expect(await connector.post(topic, payload, { webhookId })).toBe(200);
          if (index % 10 <= pause) await connector.work();
        }
        await connector.settle();
        expect(lastingOf(connector)).toEqual(expected);
        expect(balance(connector)).toBe(102);
        const sent = connector.newCalls().flatMap(({ body }) => (body ? [Object(body)] : []));
        const states = sent.map(({ UpdatedDate: _, ...state }) => JSON.stringify(state));
        expect(states.filter((state, index) => state === states[index - 1])).toEqual([]);
        expect(await connector.deadLetters()).toEqual([]);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  it('needs one call where the queue gives several changes of it in one batch', async () => {
    const connector = await connectors.open();
    for (const second of [1, 3, 2]) {
      const lines = simpleOrder.lines.map((line) => ({ ...line, quantity: second }));
      const payload = orderAt(second, { ...fulfilled, lines });
      expect(await connector.post('orders/updated', payload)).toBe(200);
    }
    // fauxqs gives one message of a group at a time, SQS up to ten: `npm run check:foreign -- sqs`.
    const together = process.env.SQS_GROUP_RULE === undefined ? 1 : 3;
    expect(await connector.work()).toBe(together);
    await connector.settle();
    expect(connector.newOperations()).toHaveLength(together === 1 ? 2 : 1);
    expect(heldOrder(connector).OrderTotal).toBe(150);
  });

  it('makes no second call for a delivery repeated after the queue has forgotten it', async () => {
    const connector = await connectors.open();
    const payload = orderAt(1, fulfilled);
    await connector.deliver(['orders/create', payload, { webhookId: 'same' }]);
    connector.pass(3_600);
    await connector.deliver(['orders/create', payload, { webhookId: 'same' }]);
    expect(connector.newOperations()).toEqual(['sendOrder']);
    expect(balance(connector)).toBe(50);
  });
});

describe('a cancelled order', () => {
  const cancelled = { cancelledAfterDays: 3 };

  it('before it is completed: one call cancels it', async () => {
    const connector = await connectors.open();
    await connector.deliver(['orders/create', orderAt(1)]);
    await connector.deliver(['orders/cancelled', orderAt(2, cancelled)]);
    expect(connector.newOperations()).toEqual(['sendOrder', 'cancelPosOrder']);
    expect(heldOrder(connector)).toMatchObject({
      IsCancelledOrReturned: true,
      OrderCancelledDate: '2026-10-08T09:12:44.000Z',
      OrderStatus: 'cancelled',
    });
    // The refund that follows says nothing new.
    await connector.deliver([
      'orders/updated',
      orderAt(3, cancelled, { financial_status: 'refunded' }),
    ]);
    expect(connector.newOperations()).toEqual([]);
  });

  it('never sent before: the service does not know it, and that is that', async () => {
    const connector = await connectors.open();
    await connector.deliver(['orders/cancelled', orderAt(1, cancelled)]);
    expect(connector.newOperations()).toEqual(['cancelPosOrder']);
    expect(connector.loyalty.state().orders).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
