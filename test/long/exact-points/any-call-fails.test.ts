import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { openShops, type Shop } from '../../integration/exact-points/open-shops.ts';
import { addressesBeside } from '../../support/emulated-deployment.ts';
import { type OutsideLine, openLine } from '../../support/outside-line.ts';

const shops = openShops();

type Death = 'killed-before' | 'killed-after';

/** One batch of orders for a worker that dies at this call to the outside. Returns its calls. */
async function workAndDie(shop: Shop, index: number, death: Death): Promise<OutsideLine['calls']> {
  const line = await openLine(addressesBeside(shop.loyalty, shop.store), ({ index: at }) =>
    at === index ? death : 'pass',
  );
  const work = shop.connector.deployment.startOrdersWorker(line.addresses);
  await Promise.race([work().catch(() => undefined), line.death]);
  await line.close();
  return line.calls;
}

/** Kills a worker at each call that it makes for this change, one order for each; others then do the work. */
async function killAtEachCall(
  death: Death,
  change: (shop: Shop, order: OrderRow) => void,
  points: number,
): Promise<readonly string[]> {
  const shop = await shops.open();
  for (let index = 0; ; index += 1) {
    const order = shop.sell([[20, 3], 40]);
    await shop.rest();
    shop.later(60);
    change(shop, order);
    await shop.store.deliveries.settled();
    const calls = await workAndDie(shop, index, death);
    if (calls.length <= index) return calls.map(({ service }) => service);
    // The messages of a dead worker are visible again after six minutes.
    shop.later(370);
    await shop.rest();
    const { service, name } = calls[index] ?? {};
    expect(shop.points(order), `${death} call ${index}: ${service} ${name}`).toBe(points);
    expect(await shop.parked(), `${death} call ${index}: ${service} ${name}`).toBe(0);
  }
}

describe.each(['killed-before', 'killed-after'] as const)('a worker that is %s a call', (death) => {
  test('of a refund of 20 of 100, whichever it is: 80 points', async () => {
    const refund = (shop: Shop, order: OrderRow) => shop.refundLine(order, 0);
    const services = await killAtEachCall(death, refund, 80);
    expect(services.filter((service) => service === 'loyalty')).toHaveLength(1);
    expect(services.length).toBeGreaterThan(4);
  });

  test('of a refund of 20 and an addition of 15 in one second, whichever it is: 95 points', async () => {
    const services = await killAtEachCall(
      death,
      (shop, order) => {
        shop.refundLine(order, 0);
        shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
      },
      95,
    );
    expect(services).toContain('loyalty');
  });

  test('of a cancel, whichever it is: 0 points', async () => {
    const cancel = (shop: Shop, { id }: OrderRow) => shop.actions.cancelOrder({ orderId: id });
    const services = await killAtEachCall(death, cancel, 0);
    expect(services).toContain('loyalty');
  });
});

const faults: readonly FaultRule[] = [
  { kind: 'reset-after' },
  { kind: 'reset-before' },
  { kind: 'truncated' },
  { kind: 'empty' },
  { kind: 'http-500' },
  { kind: 'http-503', retryAfterSeconds: 5 },
  { kind: 'code-103' },
  { kind: 'not-json', status: 502 },
];

const takePart = 'partiallyCancelPosOrder';

/**
 * 100 points, refunds of 20 and 40, one more piece of 20 in the same second as 15 added, then the rest: at the end
 * 100 − 20 − 40 − 20 + 15 = 35.
 */
async function live(shop: Shop): Promise<{ readonly id: string }> {
  const order = shop.sell([[20, 3], 40]);
  await shop.rest();
  shop.refundLine(order, 0);
  await shop.rest();
  shop.refundLine(order, 1);
  await shop.rest();
  shop.refundLine(order, 0);
  shop.actions.editOrder({ orderId: order.id, add: [{ title: 'Wrap', price: 15 }] });
  await shop.rest();
  return order;
}

describe('an order of 100 with refunds of 20, 40 and 20 and an addition of 15', () => {
  test.each(faults)('keeps 35 points where each call meets $kind once', async (fault) => {
    const shop = await shops.open();
    // The calls are: send, take 20, take 40, take 5. The first try of each fails.
    shop.loyalty.faults.add({ ...fault, operation: 'sendOrder', count: 1 });
    for (const after of [0, 1, 2]) {
      shop.loyalty.faults.add({ ...fault, operation: takePart, after, count: 1 });
    }
    const order = await live(shop);
    const met = shop.loyalty.journal.entries().filter((entry) => entry.fault !== undefined);
    expect(met).toHaveLength(4);
    expect(shop.points(order)).toBe(35);
    expect(shop.balance()).toBe(35);
    // No key stands for two values, and no value was taken twice.
    const taken = shop.held(order)?.partialCancels.map(({ valueHundredths }) => valueHundredths);
    expect(taken).toEqual([2000, 4000, 500]);
    expect(await shop.parked()).toBe(0);
  });
});
