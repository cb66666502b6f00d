import { describe, expect, test } from 'vitest';
import type { OrderRow } from '../../../local/store-sandbox/model/order-row.ts';
import { openShops, type Shop } from '../../integration/exact-points/open-shops.ts';
import { outsideOf, startOrdersWorker } from '../../integration/exact-points/orders-worker.ts';
import { type OutsideLine, openLine } from '../../support/outside-line.ts';

const shops = openShops();

type Death = 'killed-before' | 'killed-after';

/** One batch of orders for a worker that dies at this call to the outside. Returns its calls. */
async function workAndDie(shop: Shop, index: number, death: Death): Promise<OutsideLine['calls']> {
  const line = await openLine(outsideOf(shop), (call) => (call.index === index ? death : 'pass'));
  const work = startOrdersWorker(line.addresses);
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
