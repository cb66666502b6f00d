import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { bodyFor, orderAt, orderLife, storeOrderOf } from '../../fixtures/order-life.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

const fulfilled = { fulfilledAfterDays: 2 };

/** The one order as the loyalty service holds it. */
function heldOrder({ loyalty }: RunningConnector) {
  const [order, ...others] = loyalty.state().orders;
  if (!order || others.length > 0) throw new Error('not exactly one order');
  return { ...order, left: amountHeld(order) };
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
});
