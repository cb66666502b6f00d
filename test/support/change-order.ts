import { type openConnector, SHOP } from '../../local/harness/in-process-connector.ts';
import { orderAt, storeOrderOf } from '../fixtures/order-life.ts';

/** The store changes the order of the fixtures, and its webhook arrives. */
export async function changeOrder(
  connector: Pick<ReturnType<typeof openConnector>, 'store' | 'deliver'>,
  ...given: Parameters<typeof orderAt>
): Promise<void> {
  const payload = orderAt(...given);
  connector.store.putOrder(SHOP, storeOrderOf(payload));
  await connector.deliver({ topic: 'orders/updated', payload });
}
