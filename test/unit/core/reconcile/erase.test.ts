import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { changeControl } from '../../../../shared/core/calls/shop-pause.ts';
import { noteMerge } from '../../../../shared/core/ledger/entry.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { persons } from '../../../fixtures/persons.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { openWebhookConnector } from '../../../support/webhook-connector.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NEIGHBOUR = 'second-store.myshopify.com';
const { id, email } = persons.quillane;
const request = { shop_id: 1, shop_domain: SHOP, customer: { id, email }, orders_to_redact: [1] };
const PERSON = /quillane|ostravik|5555550142/i;
const lateCustomer = {
  ...{ ...persons.quillane, admin_graphql_api_id: `gid://shopify/Customer/${id}` },
  updated_at: '2026-10-09T11:00:00Z',
};
const noCustomer = { customer: null, email: null };

/** The store has sent three orders of one customer, and asked to erase them with the first alone. */
async function openRedacted(orders = [1, 2, 3]) {
  const connector = openWebhookConnector();
  for (const one of orders) await connector.handle('orders/create', orderWithId(one));
  await connector.handle('customers/redact', request);
  const named = () =>
    orders.filter((one) => PERSON.test(JSON.stringify(connector.entry('order', String(one)))));
  return { connector, named };
}

describe('after a redaction that names one of several orders', () => {
  it('the next scan of the ledger erases the others, and keeps what is applied', async () => {
    const { connector, named } = await openRedacted();
    expect(named()).toEqual([2, 3]);
    const before = connector.entry('order', '2');
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true });
    expect(connector.ledgerText()).not.toMatch(PERSON);
    const { remembered: _, expiresAt: __, ...kept } = { ...before };
    expect(connector.entry('order', '2')).toMatchObject({ ...kept, revision: expect.any(Number) });
    expect(connector.entry('order', '2')?.redactedAt).toBe(
      connector.entry('order', '1')?.redactedAt,
    );
  });

  it('the same number in another shop is another person', async () => {
    const { connector } = await openRedacted();
    await connector.deliver({
      ...{ topic: 'orders/create', payload: orderWithId(2), shop: NEIGHBOUR },
    });
    await connector.drain();
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true, shops: [SHOP, NEIGHBOUR] });
    const theirs = ledgerKeyText({ shop: NEIGHBOUR, kind: 'order', id: '2' });
    expect(JSON.stringify(connector.ledger.entries.get(theirs))).toContain(email);
    expect(JSON.stringify(connector.entry('order', '2'))).not.toMatch(PERSON);
  });

  it('a scan that is interrupted erases the rest when it continues', async () => {
    const orders = Array.from({ length: 150 }, (_, index) => index + 1);
    const { connector, named } = await openRedacted(orders);
    connector.clock.ms += HOUR_MS;
    const end = new AbortController();
    const { ledger } = connector;
    connector.parts.ledger = {
      ...ledger,
      scanEntities: async (from) => {
        if (from !== undefined) end.abort();
        return ledger.scanEntities(from);
      },
    };
    await connector.reconcile({ deep: true, deadline: end.signal });
    const left = named().length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(149);
    connector.parts.ledger = ledger;
    connector.clock.ms += HOUR_MS;
    await connector.reconcile();
    expect(named()).toEqual([]);
  });

  it.each([
    ['where nobody asks for deep scans', false],
    ['where the shop is paused', true],
  ])('all are erased within eight days, %s', async (_, isPaused) => {
    const connector = openWebhookConnector();
    for (const one of [1, 2]) await connector.handle('orders/create', orderWithId(one));
    await connector.reconcile();
    await connector.handle('customers/redact', request);
    const all = { by: 'a person', since: connector.clock.ms };
    if (isPaused) {
      await changeControl(connector.ledger, SHOP, (control) => ({ ...control, operator: { all } }));
    }
    expect(connector.ledgerText()).toMatch(PERSON);
    const scanned = vi.fn(connector.ledger.scanEntities);
    connector.parts.ledger = { ...connector.ledger, scanEntities: scanned };
    for (let hours = 0; hours < 8 * 24; hours += 1) {
      connector.clock.ms += HOUR_MS;
      await connector.reconcile();
    }
    expect(connector.ledgerText()).not.toMatch(PERSON);
    // Once, not every hour.
    expect(scanned.mock.calls.filter(([from]) => from === undefined)).toHaveLength(1);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('a fault'))],
    ['uses up every run', () => undefined],
  ])('all are erased also where a shop that waits for the scan %s', async (_, answer) => {
    const connector = openWebhookConnector();
    for (const one of [1, 2]) await connector.handle('orders/create', orderWithId(one));
    await connector.reconcile();
    await connector.handle('customers/redact', request);
    const { walked } = connector.parts;
    for (let hours = 0; hours < 8 * 24; hours += 1) {
      const end = new AbortController();
      connector.parts.walked = {
        ...walked,
        async changedOrders(...asked) {
          await setImmediate();
          end.abort();
          return (await answer()) ?? walked.changedOrders(...asked);
        },
      };
      connector.clock.ms += HOUR_MS;
      const ran = connector.reconcile({ deep: hours === 0, deadline: end.signal });
      await ran.catch((error: unknown) => expect(error).toMatchObject({ message: 'a fault' }));
    }
    expect(connector.ledgerText()).not.toMatch(PERSON);
  });

  it('what is from after it stays: the customer came back', async () => {
    const { connector } = await openRedacted();
    await connector.handle('orders/create', orderWithId(4, 3_700));
    connector.clock.ms += DAY_MS;
    await connector.reconcile({ deep: true });
    expect(JSON.stringify(connector.entry('order', '4'))).toContain(email);
    expect(JSON.stringify(connector.entry('order', '2'))).not.toMatch(PERSON);
  });

  it('orders of a customer who was merged into them are erased, too', async () => {
    const connector = openWebhookConnector();
    await connector.handle('orders/create', orderWithId(2));
    const now = new Date(connector.clock.ms);
    const noted = { ledger: connector.ledger, now, topic: 'customers/merge', retentionDays: 400 };
    await noteMerge({ shop: SHOP, id: String(id) }, '7002', noted);
    await connector.handle('customers/redact', { ...request, customer: { id: 7002 } });
    expect(connector.ledgerText()).toMatch(PERSON);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true });
    expect(connector.ledgerText()).not.toMatch(PERSON);
  });

  it('a merge that is replayed after it hides none of their orders', async () => {
    const { connector, named } = await openRedacted();
    const now = new Date(connector.clock.ms + HOUR_MS);
    const noted = { ledger: connector.ledger, now, topic: 'customers/merge', retentionDays: 400 };
    await noteMerge({ shop: SHOP, id: String(id) }, '7002', noted);
    connector.clock.ms += DAY_MS;
    await connector.reconcile({ deep: true });
    expect(named()).toEqual([]);
  });

  it('a request that is repeated on a restored ledger erases them again', async () => {
    const connector = openWebhookConnector();
    for (const one of [1, 2]) await connector.handle('orders/create', orderWithId(one));
    const copy = new Map(connector.ledger.entries);
    await connector.handle('customers/redact', request);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true });
    connector.ledger.restore(copy);
    await connector.handle('customers/redact', request);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true });
    expect(connector.ledgerText()).not.toMatch(PERSON);
  });

  it.each([
    ['changes', {}],
    ['is cancelled', { cancelled_at: '2026-10-09T14:00:00Z' }],
  ])(
    'repeated on a lost ledger, the service brings nobody back when their other order %s',
    async (_, changes) => {
      const connector = openWebhookConnector();
      for (const one of [1, 2]) await connector.handle('orders/create', orderWithId(one));
      connector.ledger.restore(new Map());
      connector.clock.ms += HOUR_MS;
      const doubt = { since: 1, until: connector.clock.ms };
      await changeControl(connector.ledger, SHOP, (control) => ({ ...control, goLive: 1, doubt }));
      await connector.handle('customers/redact', request);
      connector.clock.ms += HOUR_MS;
      await connector.handle(
        'orders/updated',
        orderWithId(2, 7_300, { ...noCustomer, ...changes }),
      );
      expect(connector.ledgerText()).not.toMatch(PERSON);
      const held = await connector.loyalty.client.getOrder('2');
      expect('value' in held && held.value.IsCancelledOrReturned).toBe('cancelled_at' in changes);
    },
  );
});

describe('before the scan has come to an order that a redaction does not name', () => {
  it.each([
    ['changed', { ...noCustomer, current_subtotal_price: '12.00' }],
    ['unchanged', noCustomer],
  ])(
    'what is remembered stands for nobody: the store no longer names them, %s',
    async (_, changes) => {
      const { connector } = await openRedacted();
      const calls = connector.loyalty.journal.length;
      await connector.handle('orders/updated', orderWithId(2, 3_700, changes));
      expect(JSON.stringify(connector.loyalty.journal.slice(calls))).not.toMatch(PERSON);
      expect(JSON.stringify(connector.entry('order', '2'))).not.toMatch(PERSON);
      expect(connector.entry('order', '2')?.outcomes.at(-1)).toMatchObject({ why: 'redacted' });
      connector.clock.ms += DAY_MS;
      await connector.reconcile({ deep: true });
      expect(connector.ledgerText()).not.toMatch(PERSON);
    },
  );

  it.each([
    ['an order', 'orders/create', orderWithId(9)],
    ['the customer', 'customers/update', lateCustomer],
  ])(
    'a late webhook of a person of whom nothing was known brings nobody back: %s',
    async (_, topic, payload) => {
      const connector = openWebhookConnector({ rules: { customers: 'from-sign-up' } });
      await connector.handle('customers/redact', { ...request, orders_to_redact: [] });
      await connector.handle(topic, payload);
      expect(connector.loyalty.journal).toEqual([]);
      expect(connector.ledgerText()).not.toMatch(PERSON);
      expect(connector.dead.size).toBe(0);
    },
  );
});
