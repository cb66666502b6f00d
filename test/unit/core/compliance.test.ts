import { beforeEach, describe, expect, it } from 'vitest';
import { SHOP } from '../../../local/harness/in-process-connector.ts';
import { orderWithId, storeOrderOf } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { refusal } from '../../fixtures/service-answers.ts';
import { withoutRecords } from '../../support/dying-worker.ts';
import { openWebhookConnector, type WebhookConnector } from '../../support/webhook-connector.ts';

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

const { id, email } = persons.quillane;
const redact = {
  ...{ shop_id: 1, shop_domain: SHOP },
  ...{ customer: { id, email }, orders_to_redact: [1] },
};
const redacted = () => connector.handle('customers/redact', redact);
const noCustomer = { customer: null, email: null, current_subtotal_price: '12.00' };
const PERSON = /quillane|ostravik|7100000000001|5555550142/i;

describe('a redaction', () => {
  it('erases the person from the ledger and keeps the version', async () => {
    await connector.handle('orders/create', orderWithId(1));
    const before = connector.entry('order', '1');
    expect(JSON.stringify(before)).toContain(email);
    await redacted();
    const after = connector.entry('order', '1');
    expect(JSON.stringify(after)).not.toMatch(PERSON);
    expect(after?.version).toBe(before?.version);

    // A captured body must not bring the person back.
    const calls = connector.loyalty.journal.length;
    await connector.handle('orders/create', orderWithId(1));
    expect(connector.loyalty.journal).toHaveLength(calls);
  });

  it.each([
    ['still on its way, of an unknown order', false, {}, []],
    ['newer than what was applied', true, { current_subtotal_price: '12.00' }, []],
    ['that ends the order', true, { cancelled_at: '2026-10-09T11:00:02Z' }, ['cancelPosOrder']],
  ])('never tells who it was: a body %s', async (_, known, changes, operations) => {
    if (known) await connector.handle('orders/create', orderWithId(1));
    await redacted();
    const calls = connector.loyalty.journal.length;
    await connector.handle('orders/updated', orderWithId(1, 2, changes));
    const made = connector.loyalty.journal.slice(calls).map(({ answer: _, ...call }) => call);
    expect(made.map(({ operation }) => operation)).toEqual(operations);
    expect(JSON.stringify(made)).not.toMatch(PERSON);
    expect(connector.ledgerText()).not.toMatch(PERSON);
    expect(connector.dead.size).toBe(0);
  });

  it('does not try for days what cannot be sent: a change of an order without its customer', async () => {
    await connector.handle('orders/create', orderWithId(1));
    await redacted();
    connector.clock.ms += 7_200_000;
    await connector.deliver({
      topic: 'orders/updated',
      payload: orderWithId(1, 7_000, noCustomer),
    });
    expect(await connector.work('orders')).toEqual({ received: 1, left: 0 });
    expect(connector.telemetry.total('skipped', { why: 'redacted' })).toBe(1);
  });

  it('never sends the person: a dead letter of an order that was refused, replayed', async () => {
    connector.loyalty.world.interfere = () => refusal(50);
    await connector.handle('orders/create', orderWithId(1));
    expect(connector.dead.size).toBe(1);
    connector.loyalty.world.interfere = undefined;
    const calls = connector.loyalty.journal.length;
    await redacted();
    connector.clock.ms += 600_000;
    await connector.handle('orders/create', orderWithId(1));
    expect(connector.loyalty.journal).toHaveLength(calls);
    const entry = connector.entry('order', '1');
    expect(entry?.outcomes.at(-1)).toMatchObject({ outcome: 'skipped', why: 'redacted' });
    expect(JSON.stringify(entry)).not.toMatch(PERSON);
  });

  it('never sends the person: a body that a worker had sent before it died', async () => {
    const { ledger } = connector;
    await connector.deliverOrders(1);
    connector.parts.ledger = withoutRecords(ledger, () => new Promise(() => {}));
    void connector.work('orders');
    await new Promise((resolve) => setImmediate(resolve));
    connector.parts.ledger = ledger;
    const calls = connector.loyalty.journal.length;
    const marked = { redactedAt: connector.clock.ms, expiresAt: 1_900_000_000 };
    await ledger.redact([{ shop: SHOP, kind: 'order', id: '1' }], marked);
    await connector.deliver({ topic: 'orders/updated', payload: orderWithId(1, 2, noCustomer) });
    connector.clock.ms += 31_000; // the visibility is over
    await connector.drain();
    expect(calls).toBe(1);
    expect(JSON.stringify(connector.loyalty.journal.slice(calls))).not.toMatch(PERSON);
    expect(connector.ledgerText()).not.toMatch(PERSON);
  });

  it('sends an order again as the store has it after the redaction', async () => {
    await redacted();
    await connector.handle('orders/updated', orderWithId(1, 3_700));
    expect(connector.orderIds()).toEqual(['1']);
  });

  it('does not let reconciling bring the person back from a store that still shows them', async () => {
    await connector.reconcile();
    connector.clock.ms += 600_000;
    const updated_at = new Date(connector.clock.ms).toISOString();
    connector.store.putOrder(SHOP, storeOrderOf(orderWithId(1, 1, { updated_at })));
    connector.clock.ms += 3_600_000;
    await redacted();
    for (let run = 0; run < 2; run += 1) {
      await connector.reconcile();
      await connector.drain();
      connector.clock.ms += 3_600_000;
    }
    expect(connector.loyalty.journal).toEqual([]);
    expect(connector.ledgerText()).not.toMatch(PERSON);
  });

  it('of another shop, sent to this address, erases nothing', async () => {
    await connector.handle('orders/create', orderWithId(1));
    const ofAnother = { ...redact, shop_domain: 'second-store.myshopify.com' };
    await connector.handle('customers/redact', ofAnother);
    expect(connector.ledgerText()).toContain(email);
    expect(connector.dead.size).toBe(1);
  });
});

describe('a notice of the store', () => {
  it('a request for data is noted for the operator, without the person in it', async () => {
    const request = { ...redact, orders_requested: [1], data_request: { id: 77 } };
    await connector.handle('customers/data_request', request);
    const notice = connector.entry('notice', 'data-request/77');
    expect(notice?.outcomes).toMatchObject([{ outcome: 'data-request' }]);
    expect(JSON.stringify(notice)).not.toMatch(PERSON);
    expect(connector.telemetry.total('data-request')).toBe(1);
  });

  it('the removal of the app is noted, and deletes nothing', async () => {
    await connector.handle('orders/create', orderWithId(1));
    const before = connector.ledger.entries.size;
    await connector.handle('app/uninstalled', { id: 1, name: 'shop', myshopify_domain: SHOP });
    expect(connector.ledger.entries.size).toBe(before + 1);
    expect(connector.telemetry.total('app-uninstalled')).toBe(1);
  });
});
