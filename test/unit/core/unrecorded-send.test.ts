import { beforeEach, describe, expect, it } from 'vitest';
import { orderAt } from '../../fixtures/order-life.ts';
import { refusal } from '../../fixtures/service-answers.ts';
import { withoutRecords } from '../../support/dying-worker.ts';
import { openWebhookConnector, type WebhookConnector } from '../../support/webhook-connector.ts';

const ID = '5512345678901';
const fulfilled = { fulfilledAfterDays: 1 };
const cancelled = { ...fulfilled, cancelledAfterDays: 3 };

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

/** The worker dies after the call and before it records it. */
async function sendUnrecorded(): Promise<void> {
  const { ledger } = connector;
  connector.parts.ledger = withoutRecords(ledger);
  await connector.deliver({ topic: 'orders/paid', payload: orderAt(1) });
  await connector.work('orders');
  connector.parts.ledger = ledger;
}

describe('a first send that arrived and was not recorded', () => {
  it.each([
    ['cancelled', 'orders/cancelled', orderAt(2, cancelled, { customer: null })],
    ['deleted', 'orders/delete', { id: Number(ID) }],
  ])(
    'still gives its points back when the order is %s without its customer',
    async (_, topic, next) => {
      connector.loseNextAnswer();
      await connector.deliver({ topic: 'orders/fulfilled', payload: orderAt(1, fulfilled) });
      await connector.work('orders');
      expect(connector.loyalty.rows.points.size).toBe(1);
      await connector.handle(topic, next);
      expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
      expect(connector.loyalty.rows.points.size).toBe(0);
    },
  );

  it('is cancelled after it was deleted where the service refuses the cancel call, without an old address', async () => {
    connector = openWebhookConnector({ service: { error13: 'cancel-completed' } });
    await connector.handle('orders/fulfilled', orderAt(1, fulfilled));
    const [customer] = connector.loyalty.rows.customers.values();
    if (!customer) throw new Error('no customer');
    const Email = 'new@example.org';
    connector.loyalty.rows.customers.put(customer.OriginalId, { ...customer, Email });
    await connector.handle('orders/delete', { id: Number(ID) });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.loyalty.rows.customers.get(customer.OriginalId)).toMatchObject({ Email });
    expect(connector.entry('order', ID)?.remembered).toBeUndefined();
  });

  it('is forgotten with its customer when it is cancelled first and deleted later', async () => {
    await connector.deliver({ topic: 'orders/fulfilled', payload: orderAt(1, fulfilled) });
    await connector.handle('orders/cancelled', orderAt(2, cancelled));
    await connector.handle('orders/delete', { id: Number(ID) });
    const entry = connector.entry('order', ID);
    expect(entry?.outcomes.at(-1)?.outcome).toBe('unchanged');
    expect(entry?.remembered).toBeUndefined();
  });

  it('is still corrected after such a crash, a refused repetition and the loss of its customer', async () => {
    await sendUnrecorded();
    connector.loyalty.world.interfere = () => refusal(30);
    await connector.drain();
    expect(connector.deadLetters()).toHaveLength(1);
    connector.loyalty.world.interfere = undefined;
    const lines = [{ product: 1, priceCents: 2000, quantity: 1, discountCents: 0, takenBack: 0 }];
    await connector.handle('orders/updated', orderAt(2, { lines }, { customer: null }));
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ OrderTotal: 20 });
  });
});
