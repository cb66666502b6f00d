import { describe, expect, it } from 'vitest';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import { bodyFor, type orderAt, orderLife, storeOrderOf } from '../../fixtures/order-life.ts';
import { lineOf } from '../../fixtures/order-spec.ts';
import { changeOrder } from '../../support/change-order.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';

const ID = '5512345678901';
type Connector = ReturnType<typeof openConnector>;

const operations = ({ loyalty }: Connector) => loyalty.journal.map(({ operation }) => operation);

async function deliver(connector: Connector, ...given: Parameters<typeof orderAt>) {
  await changeOrder(connector, ...given);
  await connector.drain();
}

/** All chapters of an order's life. */
async function liveWith(pendingOrders: 'skip' | 'send') {
  const connector = openConnector({ rules: { pendingOrders } });
  for (const { topics, payload } of orderLife) {
    connector.store.putOrder(SHOP, storeOrderOf(payload));
    for (const topic of topics) {
      await connector.deliver({ topic, payload: bodyFor(topic, payload) });
      await connector.drain();
    }
  }
  return connector;
}

describe('an order that is not completed', () => {
  const skip: MappingSettings = { pendingOrders: 'skip' };

  it('is not sent by default: its whole life needs 4 calls instead of 7', async () => {
    const [skipped, sent] = [await liveWith('skip'), await liveWith('send')];
    expect(operations(sent)).toHaveLength(7);
    expect(operations(skipped)).toEqual([
      'sendOrder',
      'sendOrder',
      'partiallyCancelPosOrder',
      'cancelPosOrder',
    ]);
    const end = (one: Connector) => one.loyalty.rows.orders.get(ID)?.IsCancelledOrReturned;
    expect([end(skipped), end(sent)]).toEqual([true, true]);
  });

  it('needs no call if it is cancelled before it completes', async () => {
    const connector = openConnector({ rules: skip });
    await deliver(connector, 1, {});
    await deliver(connector, 2, { cancelledAfterDays: 3 }, { financial_status: 'refunded' });
    expect(operations(connector)).toEqual([]);
    expect(connector.telemetry.total('skipped', { why: 'pending' })).toBe(1);
    expect(connector.telemetry.total('skipped', { why: 'never-sent' })).toBe(1);
  });

  it('is cancelled all the same if it may have been completed before', async () => {
    const shipped = openConnector({ rules: skip });
    await deliver(shipped, 1, { fulfilledAfterDays: 1, cancelledAfterDays: 3 });
    expect(operations(shipped)).toEqual(['cancelPosOrder']);
    const paid = openConnector({ rules: { ...skip, completeWhen: 'paid' } });
    await deliver(paid, 1, { cancelledAfterDays: 3 }, { financial_status: 'refunded' });
    expect(operations(paid)).toEqual(['cancelPosOrder']);
  });

  it('is not forgotten if it was sent before the setting changed', async () => {
    const connector = openConnector({ rules: { pendingOrders: 'send' } });
    await deliver(connector, 1, {});
    connector.changeRules(skip);
    const lines = [lineOf(3000)];
    await deliver(connector, 2, { lines });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({
      OrderTotal: 30,
      IsCompleted: false,
    });
    await deliver(connector, 3, { lines, cancelledAfterDays: 3 });
    expect(connector.loyalty.rows.orders.get(ID)?.IsCancelledOrReturned).toBe(true);
  });
});
