import type { EntityKey, StoreEvent } from '../../shared/core/events/event.ts';
import { orderAt, storeOrderOf } from '../fixtures/order-life.ts';
import { storeEvent } from '../fixtures/store-event.ts';
import { type openConnector, SHOP } from './in-process-connector.ts';

/** The store changes the order of the fixtures, and its webhook arrives. */
export async function changeOrder(
  connector: Pick<ReturnType<typeof openConnector>, 'store' | 'deliver'>,
  ...given: Parameters<typeof orderAt>
): Promise<void> {
  const payload = orderAt(...given);
  connector.store.putOrder(SHOP, storeOrderOf(payload));
  await connector.deliver({ topic: 'orders/updated', payload });
}

/** An event about an entity, without a body unless one is given: what a person, a feeder or a fan-out sends. */
export async function sendEvent(
  { clock, send }: Pick<ReturnType<typeof openConnector>, 'clock' | 'send'>,
  key: EntityKey,
  more: Partial<StoreEvent> = {},
): Promise<void> {
  const receivedAt = new Date(clock.ms).toISOString();
  const event = {
    ...key,
    topic: 'orders/updated',
    deliveryId: 'sent',
    receivedAt,
    body: undefined,
  };
  await send(storeEvent({ ...event, ...more }));
}
