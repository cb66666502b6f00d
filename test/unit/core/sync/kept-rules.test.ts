import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import type { MappingSettings } from '../../../../shared/config/mapping-settings.ts';
import { rulesRevision } from '../../../../shared/core/mapping/map-order.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { rules as ofFixtures } from '../../../fixtures/store-entities.ts';
import { storeEvent } from '../../../fixtures/store-event.ts';
import { changeOrder } from '../../../support/change-order.ts';

type Connector = ReturnType<typeof openConnector>;
const ID = '5512345678901';
const KEY = { shop: SHOP, kind: 'order', id: ID } as const;
const DAY_MS = 86_400_000;

/** Two shirts of 60.00, of which 10.00 is tax, shipped. */
const line = { product: 1, priceCents: 6000, quantity: 2, discountCents: 0, takenBack: 0 };
const shirts = { lines: [line], taxPercent: 20, taxesIncluded: true, fulfilledAfterDays: 1 };
const oneBack = { ...shirts, lines: [{ ...line, takenBack: 1 }] };
const bothBack = { ...shirts, lines: [{ ...line, takenBack: 2 }] };
const dearer = { ...shirts, lines: [line, { ...line, product: 2, quantity: 1 }] };

async function tell(connector: Connector, ...given: Parameters<typeof orderAt>) {
  await changeOrder(connector, ...given);
  await connector.drain();
}

/** What the loyalty service counts for the order, which is its points. */
const points = ({ loyalty }: Connector) => {
  const order = loyalty.rows.orders.get(ID);
  return order && !order.IsCancelledOrReturned ? amountHeld(order) : 0;
};
/** Reading an order in the service changes nothing. */
const calls = ({ loyalty }: Connector) =>
  loyalty.journal.filter(({ operation }) => operation !== 'getOrder').length;

/** Sent with taxes; then a release or a setting counts without them. */
async function sentUnderOldRules(next: MappingSettings = { taxes: 'exclude' }) {
  const connector = openConnector({ rules: { taxes: 'include' } });
  await tell(connector, 1, shirts);
  expect(points(connector)).toBe(120);
  connector.changeRules({ pendingOrders: 'send', ...next });
  return connector;
}

async function reconcileDeeply(connector: Connector): Promise<void> {
  await connector.reconcile();
  connector.clock.ms += DAY_MS;
  await connector.reconcile({ deep: true });
  await connector.drain();
  expect(connector.telemetry.total('looked-at', { kind: 'order' })).toBeGreaterThan(0);
}

describe('after a changed setting, an order that was sent', () => {
  it('keeps its 120 points in a deep walk, without a call', async () => {
    const connector = await sentUnderOldRules();
    const before = calls(connector);
    await reconcileDeeply(connector);
    expect(calls(connector)).toBe(before);
    expect(points(connector)).toBe(120);
  });

  it('needs no call when an event brings the same version again', async () => {
    const connector = await sentUnderOldRules();
    const before = calls(connector);
    await tell(connector, 1, shirts);
    expect(calls(connector)).toBe(before);
  });

  it('keeps its 120 points when a tag changes it', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 2, shirts, { tags: 'vip' });
    expect(points(connector)).toBe(120);
  });

  it('loses what is refunded: 120 → 60 → 0 points', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 2, oneBack);
    expect(points(connector)).toBe(60);
    await tell(connector, 3, oneBack, { tags: 'vip' });
    expect(points(connector)).toBe(60);
    await tell(connector, 4, bothBack, { financial_status: 'refunded' });
    expect(points(connector)).toBe(0);
    expect(connector.dead.size).toBe(0);
  });

  it('loses an amount that is refunded without lines: 120 → 90 points', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 2, { ...shirts, amountRefundedCents: 3000 });
    expect(points(connector)).toBe(90);
  });

  it('loses its share of such a refund where taxes come on top: 50 → 7.98 points, not 0', async () => {
    const connector = openConnector({ rules: { taxes: 'exclude' } });
    const lines = [{ ...line, priceCents: 5000, quantity: 1 }];
    const onTop = { lines, taxPercent: 19, taxesIncluded: false, fulfilledAfterDays: 1 };
    await tell(connector, 1, onTop);
    expect(points(connector)).toBe(50);
    connector.changeRules({ taxes: 'include' });
    await tell(connector, 2, { ...onTop, amountRefundedCents: 5000 });
    expect(points(connector)).toBe(7.98);
  });

  it('gains what is added: 120 → 180 points', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 2, dearer);
    expect(points(connector)).toBe(180);
  });

  it('is cancelled as any other', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 2, { ...shirts, cancelledAfterDays: 2 });
    expect(points(connector)).toBe(0);
  });

  it('is cancelled in the second in which it was sent', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 1, { ...shirts, cancelledAfterDays: 2 });
    expect(points(connector)).toBe(0);
  });

  it('loses what is refunded in the second of a tag: 120 → 60 points', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 2, shirts, { tags: 'vip' });
    await tell(connector, 2, oneBack, { tags: 'vip' });
    expect(points(connector)).toBe(60);
  });

  it('is ended when the store deletes it in the second in which it was sent', async () => {
    const connector = await sentUnderOldRules();
    connector.store.remove(SHOP, 'order', ID);
    const receivedAt = '2026-10-09T11:00:01.500Z';
    const event = { ...KEY, topic: 'orders/delete', deliveryId: 'gone', receivedAt };
    await connector.send(storeEvent({ ...event, claim: 'deleted', body: undefined }));
    await connector.drain();
    expect(points(connector)).toBe(0);
  });
});

describe('after a changed setting, an order that was sent', () => {
  it('is counted by the new rules on request: 120 → 100 points', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 2, shirts, { tags: 'vip' });
    const receivedAt = new Date(connector.clock.ms).toISOString();
    const event = { ...KEY, topic: 'orders/updated', deliveryId: 'resend/1', receivedAt };
    await connector.send(storeEvent({ ...event, body: undefined, newRules: true }));
    await connector.drain();
    expect(points(connector)).toBe(100);
    await tell(connector, 3, shirts, { tags: 'vip, friend' });
    expect(points(connector)).toBe(100);
    await tell(connector, 4, oneBack);
    expect(points(connector)).toBe(50);
  });
});

describe('after a changed setting, an order of 120 with a tip of 3', () => {
  const tip = { tipCents: 300 };
  const open = async (before: MappingSettings, after: MappingSettings, sent: number) => {
    const connector = openConnector({ rules: { taxes: 'include', ...before } });
    await tell(connector, 1, { ...shirts, ...tip });
    expect(points(connector)).toBe(sent);
    connector.changeRules({ pendingOrders: 'send', taxes: 'include', ...after });
    return connector;
  };
  const whole = { orderTotal: 'total-less-shipping' } as const;
  const goods = { orderTotal: 'subtotal' } as const;

  it('that was counted keeps it, once: 123 → 123 → 183 → 63 points', async () => {
    const connector = await open(whole, goods, 123);
    await tell(connector, 2, { ...shirts, ...tip }, { source_name: 'app' });
    expect(points(connector)).toBe(123);
    await tell(connector, 3, { ...dearer, ...tip }, { source_name: 'app' });
    expect(points(connector)).toBe(183);
    await tell(connector, 4, {
      ...bothBack,
      ...tip,
      lines: [...bothBack.lines, dearer.lines[1] ?? line],
    });
    expect(points(connector)).toBe(63);
  });

  it('that was not counted earns nothing for it: 120 → 120 → 180 points', async () => {
    const connector = await open(goods, whole, 120);
    await tell(connector, 2, { ...shirts, ...tip }, { source_name: 'app' });
    expect(points(connector)).toBe(120);
    await tell(connector, 3, { ...dearer, ...tip }, { source_name: 'app' });
    expect(points(connector)).toBe(180);
  });
});

describe('an order of which only a tip of 3 was paid', () => {
  const free = [{ ...line, discountCents: 12_000 }];
  const open = async () => {
    const connector = openConnector({
      rules: { taxes: 'include', orderTotal: 'total-less-shipping' },
    });
    await tell(connector, 1, { ...shirts, lines: free, tipCents: 300 });
    expect(points(connector)).toBe(3);
    connector.changeRules({ pendingOrders: 'send', taxes: 'exclude', orderTotal: 'subtotal' });
    return connector;
  };

  it('keeps what it counted under other rules', async () => {
    const connector = await open();
    await tell(connector, 2, { ...shirts, lines: free, tipCents: 300 }, { source_name: 'app' });
    expect(points(connector)).toBe(3);
  });

  it('is counted by its own rules once it has a worth: 3 → 63 points', async () => {
    const connector = await open();
    const lines = [...free, { ...line, product: 2, quantity: 1 }];
    await tell(connector, 2, { ...shirts, lines, tipCents: 300 });
    expect(points(connector)).toBe(63);
  });
});

describe('new rules', () => {
  it('that are asked for count, also if a question without that wish waits behind it', async () => {
    const connector = await sentUnderOldRules();
    const receivedAt = new Date(connector.clock.ms).toISOString();
    const event = { ...KEY, topic: 'orders/updated', receivedAt, body: undefined };
    await connector.send(storeEvent({ ...event, deliveryId: 'resend/1', newRules: true }));
    await connector.send(storeEvent({ ...event, deliveryId: 'reconcile/1' }));
    await connector.drain();
    expect(points(connector)).toBe(100);
  });

  it('count a new order: 100 points', async () => {
    const connector = openConnector({ rules: { taxes: 'exclude' } });
    await tell(connector, 1, shirts);
    expect(points(connector)).toBe(100);
  });

  it('count an order that had no points yet when it completes: 0 → 100 points', async () => {
    const connector = openConnector({ rules: { taxes: 'include' } });
    await tell(connector, 1, { ...shirts, fulfilledAfterDays: undefined });
    connector.changeRules({ pendingOrders: 'send', taxes: 'exclude' });
    await reconcileDeeply(connector);
    expect(calls(connector)).toBe(1);
    await tell(connector, 2, shirts);
    expect(points(connector)).toBe(100);
  });

  it('alone send nothing: the same version is skipped', async () => {
    const connector = await sentUnderOldRules({ metadata: () => ({ channel: 'web' }) });
    await tell(connector, 1, shirts);
    expect(calls(connector)).toBe(1);
    expect(connector.telemetry.total('skipped', { why: 'rules-changed' })).toBe(1);
    await tell(connector, 2, shirts, { tags: 'vip' });
    expect(points(connector)).toBe(120);
    expect(connector.loyalty.rows.orders.get(ID)?.Metadatas).toContainEqual(
      expect.objectContaining({ Name: 'channel', Value: 'web' }),
    );
  });

  it('do not hide a refund in the second in which the order was sent: 120 → 60 points', async () => {
    const connector = await sentUnderOldRules();
    await tell(connector, 1, oneBack);
    expect(points(connector)).toBe(60);
  });

  it('do not hide it from a deep walk either', async () => {
    const connector = await sentUnderOldRules();
    connector.store.putOrder(SHOP, storeOrderOf(orderAt(1, oneBack)));
    await reconcileDeeply(connector);
    expect(points(connector)).toBe(60);
  });

  it('do not hide that an order is completed in the second in which it was sent: 0 → 100 points', async () => {
    const connector = openConnector({ rules: { pendingOrders: 'send', taxes: 'include' } });
    await tell(connector, 1, { ...shirts, fulfilledAfterDays: undefined });
    connector.changeRules({ pendingOrders: 'send', taxes: 'exclude' });
    await tell(connector, 1, shirts);
    expect(points(connector)).toBe(100);
  });

  it('that are none for amounts keep counting exactly', async () => {
    const connector = await sentUnderOldRules({ taxes: 'include', metadata: () => ({ a: 'b' }) });
    await tell(connector, 2, oneBack);
    expect(points(connector)).toBe(60);
  });
});

describe('the revision of the rules', () => {
  it('changes with every rule that decides how an order is mapped, and with no other', () => {
    const revision = rulesRevision(ofFixtures);
    expect(rulesRevision({ ...ofFixtures })).toBe(revision);
    expect(rulesRevision({ ...ofFixtures, goLive: '2026-01-01' })).toBe(revision);
    const changes = [
      { completeWhen: 'paid' },
      { orderTotal: 'total-less-shipping' },
      { taxes: 'include' },
      { giftCards: 'never' },
      { lostDisputes: 'take-back' },
      { pendingOrders: 'skip' },
      { customersWithoutEmail: 'send' },
      { document: { from: 'note-attribute', name: 'document' } },
      { birthday: { from: 'note-attribute', name: 'document' } },
      { enrich: { cardDetails: true } },
      { enrolment: 'everyone' },
      { metadata: () => ({ a: 'b' }) },
      { metadata: () => ({ a: 'c' }) },
    ] as const;
    const others = changes.map((change) => rulesRevision({ ...ofFixtures, ...change }));
    expect(new Set([revision, ...others]).size).toBe(changes.length + 1);
  });
});
