import { beforeEach, describe, expect, it } from 'vitest';
import type { StoreEvent } from '../../../../shared/core/events/event.ts';
import { mergedInto } from '../../../../shared/core/ledger/entry.ts';
import { orderWithId, storeOrderOf } from '../../../fixtures/order-life.ts';
import { persons } from '../../../fixtures/persons.ts';
import { refusal } from '../../../fixtures/service-answers.ts';
import { storeCoupon } from '../../../fixtures/store-entities.ts';
import { withoutRecords } from '../../../support/dying-worker.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

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

  // The message of a code carries whose it is.
  it('never sends the person: a code of theirs that is still on its way', async () => {
    const own = { id: String(id), name: 'Quillane Ostravik', email, phone: undefined };
    const customers = [{ ...own, createdAt: undefined }];
    const coupon = storeCoupon({ audience: { kind: 'customers', customers } });
    connector.store.putCoupon(SHOP, coupon);
    const admin_graphql_api_id = `gid://shopify/DiscountCodeNode/${coupon.discountId}`;
    const payload = { admin_graphql_api_id, updated_at: coupon.updatedAt };
    await connector.deliver({ topic: 'discounts/create', payload });
    expect(await connector.work('coupons')).toEqual({ received: 1, left: 0 });
    await connector.deliver({ topic: 'customers/redact', payload: redact });
    await connector.work('orders');
    await connector.drain();
    expect(connector.loyalty.journal).toEqual([]);
    expect(connector.entry('coupon', coupon.code)?.outcomes.at(-1)).toMatchObject({
      ...{ outcome: 'skipped', why: 'redacted' },
    });
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

  it.each([
    ['still on its way', {}, []],
    ['that ends the order', { cancelled_at: '2026-10-09T11:00:02Z' }, ['cancelPosOrder']],
  ])(
    'never tells who it was: a body %s, of an order that it does not name',
    async (_, changes, operations) => {
      await connector.ledger.write(
        { shop: SHOP, kind: 'member', id: String(id) },
        { version: 1, uncertain: false, appliedKey: 'sent', outcomes: [] },
        undefined,
      );
      await connector.handle('customers/redact', { ...redact, orders_to_redact: [] });
      await connector.handle('orders/updated', orderWithId(1, 2, changes));
      expect(connector.loyalty.journal.map(({ operation }) => operation)).toEqual(operations);
      expect(JSON.stringify(connector.loyalty.journal)).not.toMatch(PERSON);
      expect(connector.ledgerText()).not.toMatch(PERSON);
      expect(connector.dead.size).toBe(0);

      await connector.handle('orders/updated', orderWithId(2, 3_700));
      expect(connector.orderIds()).toEqual(['2']);
    },
  );

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

describe('a redaction whose bytes were captured', () => {
  const DAY_MS = 86_400_000;
  const redemptions = { shop: SHOP, kind: 'redemption', id: String(id) } as const;

  /** The customer comes back later and redeems; then the settings lose their storefront. */
  async function redeemAfter(days: number): Promise<void> {
    connector.clock.ms += days * DAY_MS;
    const entry = { version: 1, uncertain: false, remembered: 'redemptions', outcomes: [] };
    const { revision } = connector.entry('redemption', redemptions.id) ?? {};
    await connector.ledger.write(redemptions, entry, revision);
  }
  const isKept = () => connector.entry('redemption', redemptions.id)?.remembered !== undefined;
  const again = (event: Partial<StoreEvent> = {}) =>
    connector.send({
      ...{ shop: SHOP, kind: 'customer', id: String(id), topic: 'customers/redact' },
      ...{ claim: 'customer-redaction', origin: 'webhook', deliveryId: `again-${id}` },
      receivedAt: new Date(connector.clock.ms).toISOString(),
      body: Buffer.from(JSON.stringify(redact)),
      ...event,
    });

  it('erases nothing a second time: a person decides, and their replay erases', async () => {
    await redacted();
    await redeemAfter(2);
    for (const _ of ['first', 'again']) {
      await redacted();
      expect(isKept()).toBe(true);
      expect(connector.deadLetters().map(({ attributes }) => attributes.reason)).toEqual([
        'rejected',
      ]);
      connector.clock.ms += DAY_MS;
    }
    await again({ replays: [{ at: new Date(connector.clock.ms).toISOString(), by: 'robin' }] });
    await connector.drain();
    expect(isKept()).toBe(false);
    expect(connector.dead.size).toBe(1);
  });

  it('erases nothing, although it was repeated each day until then', async () => {
    await redacted();
    connector.clock.ms += 0.9 * DAY_MS;
    await redacted();
    await redeemAfter(0.9);
    await redacted();
    expect(isKept()).toBe(true);
  });

  it('does not keep another redaction of the person from erasing', async () => {
    await redacted();
    await redeemAfter(2);
    await connector.handle('customers/redact', { ...redact, orders_to_redact: [1, 2] });
    expect(isKept()).toBe(false);
    expect(connector.dead.size).toBe(0);
  });

  it('is done again where the store repeats it within a day', async () => {
    await redacted();
    await redeemAfter(0.5);
    await redacted();
    expect(isKept()).toBe(false);
    expect(connector.dead.size).toBe(0);
  });
});

describe('a notice of the store', () => {
  it('a request for data is noted for the operator, with the number alone of who asks', async () => {
    const request = { ...redact, orders_requested: [1], data_request: { id: 77 } };
    await connector.handle('customers/data_request', request);
    const notice = connector.entry('notice', 'data-request/77');
    const why = `customer ${id} asks for their data: answer within 15 days (LGPD), or a month (GDPR)`;
    expect(notice?.outcomes).toMatchObject([{ outcome: 'data-request', why }]);
    expect(JSON.stringify(notice)).not.toMatch(/quillane|ostravik|5555550142/i);
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

const { quillane: gone, ...others } = persons;
const [kept = gone] = Object.values(others);

describe('the merge of a customer who is a member', () => {
  const payload = {
    admin_graphql_api_customer_kept_id: `gid://shopify/Customer/${kept.id}`,
    admin_graphql_api_customer_deleted_id: `gid://shopify/Customer/${gone.id}`,
    status: 'completed',
  };

  it.each([
    ['ends where nothing is left', 0, 0, 0],
    ['is for a person where points are left', 5, 0, 1],
    ['is for a person where cashback is left', 0, 5, 1],
  ])('%s', async (_, PointsBalance, CashbackBalance, parked) => {
    const connector = openConnector({ rules: { customers: 'from-sign-up' } });
    const text = JSON.stringify({ CustomerExists: true, PointsBalance, CashbackBalance });
    connector.loyalty.world.interfere = () => ({ kind: 'answer', status: 200, headers: {}, text });
    await connector.deliver({ topic: 'customers/merge', payload });
    await connector.drain();
    expect(connector.dead.size).toBe(parked);
    expect(connector.telemetry.total('handled', { why: 'merged' })).toBe(1 - parked);
    expect(connector.telemetry.total('retried')).toBe(0);
  });

  it('is tried again where another worker writes the customer meanwhile: it would not be noted', async () => {
    const connector = openConnector({ rules: { customers: 'from-sign-up' } });
    const { ledger } = connector;
    connector.parts.ledger = {
      ...ledger,
      write: async (key, ...rest) =>
        key.kind === 'customer' ? { kind: 'conflict' } : ledger.write(key, ...rest),
    };
    await connector.deliver({ topic: 'customers/merge', payload });
    expect(await connector.work('coupons')).toEqual({ received: 1, left: 1 });
    expect(connector.loyalty.journal).toEqual([]);
    connector.parts.ledger = ledger;
    await connector.drain();
    expect(mergedInto(ledger.entries.get(`customer|${SHOP}|${gone.id}`))).toBe(String(kept.id));
  });

  it('is noted where the settings send customers with their orders, too', async () => {
    const connector = openConnector({ rules: { customers: 'with-orders' } });
    await connector.deliver({ topic: 'customers/merge', payload });
    await connector.drain();
    const entry = connector.ledger.entries.get(`customer|${SHOP}|${gone.id}`);
    expect(mergedInto(entry)).toBe(String(kept.id));
  });
});

describe('the redaction of a customer who is a member', () => {
  const payload = { shop_domain: SHOP, customer: { id: gone.id }, orders_to_redact: [] };
  const answer = (ErrorCode: number) => ({
    ...{ kind: 'answer' as const, status: 200, headers: {} },
    text: JSON.stringify({ HasError: ErrorCode > 0, ErrorCode, ErrorMessage: 'no', Result: null }),
  });

  it.each([
    ['leaves the member where the settings keep it', 'keep', 0, 0, 0],
    ['ends the member', 'deactivate', 0, 1, 0],
    ['is for a person where the service refuses', 'deactivate', 30, 1, 1],
    ['is done where the service has no such member', 'deactivate', 59, 1, 0],
  ] as const)('%s', async (_, redactedCustomers, code, calls, parked) => {
    const connector = openConnector({ rules: { customers: 'from-sign-up', redactedCustomers } });
    const made: unknown[] = [];
    connector.loyalty.world.interfere = ({ operation, body }) => {
      made.push([operation, body]);
      return answer(code);
    };
    await connector.deliver({ topic: 'customers/redact', payload });
    await connector.drain();
    expect(made).toHaveLength(calls);
    if (calls > 0) expect(made).toMatchObject([['changeCustomerStatus', { IsEnabled: false }]]);
    expect(connector.dead.size).toBe(parked);
    expect(connector.telemetry.total('handled', { why: 'redacted' })).toBe(1 - parked);
  });
});
