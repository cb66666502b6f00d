import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import type { MappingSettings } from '../../../../shared/config/mapping-settings.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { paidBack } from '../../../fixtures/order-payload.ts';
import { lineOf } from '../../../fixtures/order-spec.ts';
import { sendEvent } from '../../../support/change-order.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

const ID = '5512345678901';
/** Five shirts of 20.00, shipped. */
const line = lineOf(2000, { quantity: 5 });
const shirts = { lines: [line], shippingCents: 0, fulfilledAfterDays: 1 };
const back = (takenBack: number) => ({ ...shirts, lines: [{ ...line, takenBack }] });
const more = { ...line, product: 2, quantity: 1, priceCents: 1500 };
const allBack = [back(5), { financial_status: 'refunded' }] as const;

type State = Parameters<typeof orderAt>[1];
type Changes = Parameters<typeof orderAt>[2];

/** The store holds the first state, and the webhook tells the second. */
function tell(
  connector: WebhookConnector,
  second: number,
  held: readonly [State, Changes?],
  told: readonly [State, Changes?] = held,
) {
  connector.store.putOrder(SHOP, storeOrderOf(orderAt(second, ...held)));
  return connector.handle('orders/updated', orderAt(second, ...told));
}

const points = ({ loyalty }: WebhookConnector) => {
  const held = loyalty.rows.orders.get(ID);
  return held && !held.IsCancelledOrReturned ? amountHeld(held) : 0;
};

describe('before a step that cannot be undone the store is asked', () => {
  it('refunded in full, but the store already shows an exchange for 60: 100 → 60 points, not 0', async () => {
    const connector = openWebhookConnector();
    await tell(connector, 1, [shirts]);
    const exchange = {
      ...shirts,
      lines: [
        { ...line, takenBack: 5 },
        { ...line, product: 2, quantity: 3 },
      ],
    };
    await tell(connector, 2, [exchange, { financial_status: 'paid' }], allBack);
    expect(points(connector)).toBe(60);
    expect(connector.dead.size).toBe(0);
  });

  it.each(['park', 'send-gross'] as const)(
    'a rise after a partial cancel that the store does not show: 100 → 80 points, no dead letter (%s)',
    async (raiseAfterPartialCancel) => {
      const connector = openWebhookConnector({ assumptions: { raiseAfterPartialCancel } });
      await tell(connector, 1, [shirts]);
      await tell(connector, 2, [back(1)]);
      expect(points(connector)).toBe(80);
      await tell(
        connector,
        3,
        [back(1)],
        [{ ...shirts, lines: [{ ...line, takenBack: 1 }, more] }],
      );
      expect(points(connector)).toBe(80);
      expect(connector.dead.size).toBe(0);
    },
  );

  it('paid again after it was cancelled, which the store does not show: no dead letter', async () => {
    const connector = openWebhookConnector();
    await tell(connector, 1, [shirts]);
    await tell(connector, 2, allBack);
    expect(points(connector)).toBe(0);
    await tell(connector, 3, allBack, [shirts]);
    expect(connector.dead.size).toBe(0);
    await tell(connector, 4, [shirts]);
    expect(connector.dead.size).toBe(1);
  });

  it('its payment is voided: 100 → 0 points, and a person decides when it is paid after all', async () => {
    const connector = openWebhookConnector();
    await tell(connector, 1, [shirts]);
    await tell(connector, 2, [shirts, { financial_status: 'voided' }]);
    expect(points(connector)).toBe(0);
    expect(connector.loyalty.rows.orders.get(ID)?.IsCompleted).toBe(true);
    await tell(connector, 3, [shirts, { financial_status: 'paid' }]);
    expect(connector.dead.size).toBe(1);
  });
});

describe('a webhook reads the store as often as docs/performance.md says', () => {
  const notShipped = { ...shirts, fulfilledAfterDays: undefined };
  const added = (takenBack: number) => ({ ...shirts, lines: [{ ...line, takenBack }, more] });
  const gift = { payment_gateway_names: ['gift_card', 'shopify_payments'] };
  const placedAt = (time: string) => ({ created_at: time, processed_at: time });
  const foreign = {
    refunds: [
      {
        order_adjustments: [{ kind: 'refund_discrepancy', amount: '-20.00' }],
        transactions: [paidBack(400, { currency: 'USD' })],
      },
    ],
  };
  const edited = {
    refunds: [
      {
        refund_line_items: [{ line_item_id: 9000, quantity: 1, subtotal: '20.00' }],
        transactions: [],
      },
      {
        order_adjustments: [{ kind: 'refund_discrepancy', amount: '-20.00' }],
        transactions: [paidBack(2000)],
      },
    ],
  };
  const byPayment = { completeWhen: 'paid' } as const;

  type Course = readonly (readonly [State, Changes?])[];
  const cancelled = { ...shirts, cancelledAfterDays: 2 };
  const voided = { financial_status: 'voided' };

  /** The states of the order in turn, in each course of a row: the last webhook is the one that the row is about. */
  const rows: Readonly<Record<string, readonly Course[]>> = {
    'it is placed, paid, shipped, cancelled, or another e-mail address is set': [
      [[notShipped, { financial_status: 'pending' }], [notShipped], [shirts]],
      [[shirts], [shirts, { email: 'other@example.com' }]],
      [[shirts], [cancelled]],
    ],
    'a line is added, and nothing was taken back before': [[[shirts], [added(0)]]],
    'a line, an amount or all of it is refunded, or its payment voided': [
      [[shirts], [back(1)]],
      [[shirts], allBack],
      [[shirts], [shirts, voided]],
    ],
    'a line is added after a refund, or it is paid again after a full one': [
      [[shirts], [back(1)], [added(1)]],
      [[shirts], allBack, [shirts]],
    ],
    'anything, of an order that was paid in part with a gift card': [
      [
        [shirts, gift],
        [shirts, { ...gift, email: 'other@example.com' }],
      ],
    ],
    'anything, after an amount was refunded without a line, and another currency was paid, or an edit took goods out':
      [
        [[shirts], [shirts, foreign], [shirts, { ...foreign, email: 'other@example.com' }]],
        [[shirts], [back(1), edited], [back(1), { ...edited, email: 'other@example.com' }]],
      ],
    "`completeWhen: 'paid'`: it is paid within an hour": [
      [[notShipped, placedAt('2026-10-09T10:30:00Z')]],
    ],
    "`completeWhen: 'paid'`: it is paid later": [[[notShipped, placedAt('2026-10-09T09:30:00Z')]]],
  };

  const table =
    readFileSync('docs/performance.md', 'utf8').split('| reads of the store |')[1] ?? '';
  const documented = [...table.matchAll(/^\| (.+) \| (\d) \|$/gm)].map(
    ([, words = '', reads = '']) => ({ words, reads: Number(reads) }),
  );

  it.each(documented)('$words: $reads', async ({ words, reads }) => {
    const rules = words.startsWith('`') ? byPayment : {};
    for (const course of rows[words] ?? []) {
      const connector = openWebhookConnector({ rules: { pendingOrders: 'skip', ...rules } });
      let last = 0;
      for (const [i, state] of course.entries()) {
        const before = connector.store.reads;
        await tell(connector, i + 1, state);
        last = connector.store.reads - before;
      }
      expect(last).toBe(reads);
    }
  });

  it('in every row', () => {
    expect(documented.map(({ words }) => words)).toEqual(Object.keys(rows));
  });
});

const KEY = { shop: SHOP, kind: 'order', id: ID } as const;
const TAKE_BACK = { lostDisputes: 'take-back' } as const;
const shippedAlone = { shippingCents: 0, fulfilledAfterDays: 1 };

const pointsHeld = ({ loyalty }: WebhookConnector) => {
  const held = loyalty.rows.orders.get(ID);
  return held && amountHeld(held);
};

/** An order of 50 that was sent as completed. */
async function sent(rules: MappingSettings = TAKE_BACK): Promise<WebhookConnector> {
  const connector = openWebhookConnector({ rules });
  await connector.handle('orders/fulfilled', orderAt(1, shippedAlone));
  expect(pointsHeld(connector)).toBe(50);
  return connector;
}

/** The Admin API says it, but only where the settings ask for it. The dispute does not change the order's version. */
async function dispute(
  connector: WebhookConnector,
  lostDispute: boolean | undefined,
  { second = 1, topic = 'disputes/update' } = {},
): Promise<void> {
  connector.store.putOrder(SHOP, { ...storeOrderOf(orderAt(second, shippedAlone)), lostDispute });
  await connector.handle(topic, { id: 7, order_id: Number(ID), type: 'chargeback' });
}

describe('a dispute', () => {
  it('that is lost takes all points, and no later webhook gives them back', async () => {
    const connector = await sent();
    await dispute(connector, true);
    expect(pointsHeld(connector)).toBe(0);
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCompleted: true });
    await connector.handle('orders/updated', orderAt(2, shippedAlone, { source_name: 'app' }));
    await connector.handle('orders/updated', orderAt(3, { ...shippedAlone, taxPercent: 5 }));
    expect(pointsHeld(connector)).toBe(0);
    expect(connector.dead.size).toBe(0);
  });

  it('of a payment without an order is skipped', async () => {
    const connector = await sent();
    await connector.handle('disputes/create', { id: 7, order_id: null });
    expect(connector.telemetry.total('skipped', { why: 'no-order' })).toBe(1);
    expect(connector.dead.size).toBe(0);
  });

  it('that is lost before the order is shipped leaves nothing to earn once the store was asked', async () => {
    const connector = openWebhookConnector({ rules: { ...TAKE_BACK, pendingOrders: 'send' } });
    await connector.handle(
      'orders/paid',
      orderAt(1, { ...shippedAlone, fulfilledAfterDays: undefined }),
    );
    const lost = { ...storeOrderOf(orderAt(1, { shippingCents: 0 })), lostDispute: true };
    connector.store.putOrder(SHOP, lost);
    await connector.handle('disputes/update', { id: 7, order_id: Number(ID) });
    await connector.handle('orders/fulfilled', orderAt(2, shippedAlone));
    expect(pointsHeld(connector)).toBe(0);
  });
});

describe('an order that was sent before lost disputes counted, or while they did', () => {
  it('keeps its points until `resend` counts it by the rules of today', async () => {
    const connector = await sent({});
    connector.changeRules({ ...TAKE_BACK, pendingOrders: 'send' });
    await dispute(connector, true);
    expect(pointsHeld(connector)).toBe(50);
    await sendEvent(connector, KEY, { newRules: true });
    await connector.drain();
    expect(pointsHeld(connector)).toBe(0);
  });

  it('does not get points back when the setting is removed', async () => {
    const connector = await sent();
    await dispute(connector, true);
    connector.changeRules({ pendingOrders: 'send' });
    connector.store.putOrder(SHOP, storeOrderOf(orderAt(2, shippedAlone, { source_name: 'app' })));
    await connector.handle('orders/updated', orderAt(2, shippedAlone, { source_name: 'app' }));
    expect(pointsHeld(connector)).toBe(0);
    expect(connector.dead.size).toBe(0);
  });
});
