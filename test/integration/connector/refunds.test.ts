import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import type { LineSpec } from '../../fixtures/order-spec.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const line = (product: number, priceCents: number, quantity = 1): LineSpec => ({
  product,
  priceCents,
  quantity,
  discountCents: 0,
  takenBack: 0,
});
const shirts = line(1, 2000, 3);
const coat = line(2, 4000);
const back = (one: LineSpec, takenBack: number): LineSpec => ({ ...one, takenBack });

/** The fulfilled order at this second, worth the given lines. */
const fulfilled = (second: number, lines: readonly LineSpec[], changes = {}) =>
  orderAt(second, { fulfilledAfterDays: 2, lines }, changes);

/** The store has the order, and sends it. */
async function change(connector: RunningConnector, payload: Record<string, unknown>) {
  connector.store.putOrder(SHOP, storeOrderOf(payload));
  await connector.deliver(['orders/updated', payload]);
}

const partly = { financial_status: 'partially_refunded' };

function held({ loyalty }: RunningConnector) {
  const [order] = loyalty.state().orders;
  if (!order) throw new Error('the service has no order');
  const points = loyalty.state().customers[0]?.points;
  return { total: order.OrderTotal, left: amountHeld(order), points };
}

const takenBy = (connector: RunningConnector) =>
  connector.newCalls().map(({ operation, body }) => {
    if (operation !== 'partiallyCancelPosOrder') return operation;
    const { CancelKey, ValueToRefund, Products } = body as Record<string, unknown>;
    return [CancelKey, ValueToRefund, Products];
  });

describe('refunds of a completed order', () => {
  const connectors = runConnectors();
  const ID = '5512345678901';

  it('are taken one by one, each with its products: 100 → 80 → 40 → 20 points', async () => {
    const connector = await connectors.open();
    await change(connector, fulfilled(1, [shirts, coat]));
    expect(held(connector)).toEqual({ total: 100, left: 100, points: 100 });
    connector.newCalls();

    await change(connector, fulfilled(2, [back(shirts, 1), coat], partly));
    expect(held(connector)).toEqual({ total: 100, left: 80, points: 80 });
    await change(connector, fulfilled(3, [back(shirts, 1), back(coat, 1)], partly));
    expect(held(connector)).toEqual({ total: 100, left: 40, points: 40 });
    await change(connector, fulfilled(4, [back(shirts, 2), back(coat, 1)], partly));
    expect(held(connector)).toEqual({ total: 100, left: 20, points: 20 });
    const [shirt, warm] = ['8012345678901', '8012345678902'];
    expect(takenBy(connector)).toEqual([
      [`${ID}-20000`, 20, [{ OriginalId: shirt, ValueToRefund: 20 }]],
      [`${ID}-60000`, 40, [{ OriginalId: warm, ValueToRefund: 40 }]],
      [`${ID}-80000`, 20, [{ OriginalId: shirt, ValueToRefund: 20 }]],
    ]);
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('are taken once when the answer is lost: 100 → 80 points', async () => {
    const connector = await connectors.open();
    await change(connector, fulfilled(1, [shirts, coat]));
    const operation = 'partiallyCancelPosOrder' as const;
    connector.loyalty.faults.add({ kind: 'reset-after', operation, count: 1 });
    await change(connector, fulfilled(2, [back(shirts, 1), coat], partly));
    expect(held(connector)).toEqual({ total: 100, left: 80, points: 80 });
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('and an edit in the same second: 100 - 20 + 15 = 95 points', async () => {
    const connector = await connectors.open();
    await change(connector, fulfilled(1, [shirts, coat]));
    const refunded = fulfilled(2, [back(shirts, 1), coat], partly);
    const both = fulfilled(2, [back(shirts, 1), coat, line(3, 1500)], partly);
    connector.store.putOrder(SHOP, storeOrderOf(both));
    await connector.deliver(['orders/updated', refunded], ['orders/updated', both]);
    expect(held(connector)).toMatchObject({ left: 95, points: 95 });
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('then a cancellation: 100 → 80 → 0 points, by the cancel call alone', async () => {
    const connector = await connectors.open();
    await change(connector, fulfilled(1, [shirts, coat]));
    await change(connector, fulfilled(2, [back(shirts, 1), coat], partly));
    connector.newCalls();
    const ended = { ...partly, cancelled_at: '2026-10-09T11:00:03Z' };
    await change(connector, fulfilled(3, [back(shirts, 1), coat], ended));
    expect(takenBy(connector)).toEqual(['cancelPosOrder']);
    expect(held(connector)).toMatchObject({ points: 0 });
    expect(await connector.deadLetters()).toEqual([]);
  });

  it('then a dearer line: parked by default, and 80 → 95 points where the setting says so', async () => {
    const dearer = fulfilled(3, [back(shirts, 1), coat, line(3, 1500)], partly);
    for (const raise of ['park', 'send-gross'] as const) {
      const connector = await connectors.open({ assumptions: { raiseAfterPartialCancel: raise } });
      await change(connector, fulfilled(1, [shirts, coat]));
      await change(connector, fulfilled(2, [back(shirts, 1), coat], partly));
      await change(connector, dearer);
      const isParked = raise === 'park';
      expect(held(connector)).toMatchObject({ points: isParked ? 80 : 95 });
      expect(await connector.deadLetters()).toHaveLength(isParked ? 1 : 0);
    }
  });

  it('that the service refuses are parked, and tried again without a leftover', async () => {
    const connector = await connectors.open();
    await change(connector, fulfilled(1, [shirts, coat]));
    const operation = 'partiallyCancelPosOrder' as const;
    connector.loyalty.faults.add({ kind: 'business-error', code: 34, operation, count: 1 });
    await change(connector, fulfilled(2, [back(shirts, 1), coat], partly));
    expect(await connector.deadLetters()).toHaveLength(1);
    expect(held(connector)).toMatchObject({ left: 100, points: 100 });
    await change(connector, fulfilled(3, [back(shirts, 2), coat], partly));
    expect(held(connector)).toMatchObject({ left: 60, points: 60 });
  });

  it('lower the total where the program wants that: 100 → 80 points', async () => {
    const connector = await connectors.open({ assumptions: { refunds: 'resend' } });
    await change(connector, fulfilled(1, [shirts, coat]));
    await change(connector, fulfilled(2, [back(shirts, 1), coat], partly));
    expect(held(connector)).toEqual({ total: 80, left: 80, points: 80 });
    expect(connector.newOperations()).toEqual(['sendOrder', 'sendOrder']);
  });
});

describe('a refund before the points', () => {
  const connectors = runConnectors({ daysToWaitToGrantPoints: 14 });

  it('lowers them before they come: 0 → 0 → 80 points after 14 days', async () => {
    const connector = await connectors.open();
    await change(connector, fulfilled(1, [shirts, coat]));
    expect(held(connector).points).toBe(0);
    await change(connector, fulfilled(2, [back(shirts, 1), coat], partly));
    expect(held(connector)).toEqual({ total: 100, left: 80, points: 0 });
    connector.loyalty.advance(15 * 86_400_000);
    expect(held(connector)).toEqual({ total: 100, left: 80, points: 80 });
  });
});
