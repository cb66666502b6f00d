import { type OperatedConnector, SHOP } from './operated-connector.ts';

/** A paid and fulfilled order in the store, and a message about it on the queue of orders. */
export async function placeOrder(operated: OperatedConnector): Promise<string> {
  const { actions } = operated.store;
  const { id: customerId } = actions.createCustomer({ firstName: 'Ada', email: 'ada@example.org' });
  const lines = [{ title: 'Linen shirt', price: 60 }];
  const order = actions.placeOrder({ lines, customerId, payment: 'paid' });
  actions.fulfilOrder({ orderId: order.id });
  await operated.send({
    ...{ shop: SHOP, kind: 'order', id: order.id, topic: 'orders/updated' },
    ...{ claim: 'changed', origin: 'reconcile', deliveryId: `changed-${order.id}` },
    ...{ receivedAt: new Date().toISOString(), body: undefined },
  });
  return order.id;
}
