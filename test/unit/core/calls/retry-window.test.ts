import { expect, it } from 'vitest';
import { SHOP } from '../../../../local/harness/in-process-connector.ts';
import {
  changeControl,
  resumed,
  withOperatorPause,
} from '../../../../shared/core/calls/shop-pause.ts';
import { orderWithId, storeOrderOf } from '../../../fixtures/order-life.ts';
import { openWebhookConnector } from '../../../support/webhook-connector.ts';

const HOUR_MS = 3_600_000;

/** An order whose calls fail for the days before the pause and after it; gives whether it was parked. */
async function isParked(days: { before: number; paused: number; after: number }): Promise<boolean> {
  const connector = openWebhookConnector();
  const { clock, ledger, loyalty } = connector;
  const workFor = async (time: number) => {
    for (const end = clock.ms + time * 24 * HOUR_MS; clock.ms < end; clock.ms += 4 * HOUR_MS) {
      await connector.work('orders');
    }
  };
  const now = () => new Date(clock.ms);
  loyalty.world.interfere = () => ({ kind: 'answer', status: 503, headers: {}, text: '' });
  await connector.deliverOrders(1);
  // An event that is so old is compared with the store.
  connector.store.putOrder(SHOP, storeOrderOf(orderWithId(1)));
  await workFor(days.before);
  await changeControl(ledger, SHOP, (control) => withOperatorPause(control, 'all', 'robin', now()));
  await workFor(days.paused);
  await changeControl(ledger, SHOP, (control) => resumed(control, 'all', now()));
  await workFor(days.after);
  loyalty.world.interfere = undefined;
  await connector.drain();
  expect(connector.orderIds()).toEqual(connector.dead.size > 0 ? [] : ['1']);
  return connector.dead.size > 0;
}

it.each([
  [{ before: 0, paused: 9, after: 0 }, false],
  [{ before: 1.5, paused: 7, after: 2.2 }, false],
  [{ before: 1.5, paused: 5, after: 3 }, true],
])('the retry window of four days counts no pause: %o', async (days, parked) => {
  expect(await isParked(days)).toBe(parked);
});
