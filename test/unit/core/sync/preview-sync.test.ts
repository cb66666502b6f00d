import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import { defaultAssumptions } from '../../../../shared/config/connector-settings.ts';
import type { EntityKey } from '../../../../shared/core/events/event.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import type { EventReading, StoreEntity } from '../../../../shared/core/store/store.ts';
import { versionOf } from '../../../../shared/core/store/store.ts';
import { previewSync } from '../../../../shared/core/sync/preview-sync.ts';
import type { StoreMember } from '../../../../shared/store/store-entities.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { rules, storeCoupon, storeProduct } from '../../../fixtures/store-entities.ts';
import { storeEvent } from '../../../fixtures/store-event.ts';

type Connector = ReturnType<typeof openConnector>;
const ID = '5512345678901';
const shipped = { fulfilledAfterDays: 1 };
const orderOf = (...given: Parameters<typeof orderAt>): StoreEntity => ({
  kind: 'order',
  order: storeOrderOf(orderAt(...given)),
});
const { customer } = storeOrderOf(orderAt(1));
if (!customer) throw new Error('the order has no customer');
const member: StoreMember = {
  ...customer,
  metafields: [],
  updatedAt: '2026-10-09T11:00:00.000Z',
};

/** Of a snapshot, or of a deletion that the store announced. */
async function preview(connector: Connector, key: EntityKey, entity?: StoreEntity) {
  const reading: EventReading = entity
    ? { kind: 'snapshot', entity, version: versionOf(entity) }
    : { kind: 'ask-store' };
  const receivedAt = new Date(connector.clock.ms).toISOString();
  const about = { ...key, topic: 'any', deliveryId: 'one', receivedAt, body: undefined };
  const claim = entity ? 'changed' : 'deleted';
  const event = storeEvent({ ...about, claim, origin: 'webhook' });
  return previewSync(
    key,
    { event, reading } as never,
    connector.ledger.entries.get(ledgerKeyText(key)),
    {
      ...{ store: connector.store, ledger: connector.ledger, assumptions: defaultAssumptions },
      rules: { ...rules, customers: 'from-sign-up' },
      now: () => new Date(connector.clock.ms),
    },
  );
}

async function sent(...given: Parameters<typeof orderAt>): Promise<Connector> {
  const connector = openConnector();
  await connector.deliver({ topic: 'orders/updated', payload: orderAt(...given) });
  await connector.drain();
  return connector;
}

const order = { shop: SHOP, kind: 'order', id: ID } as const;
const key = <Kind extends EntityKey['kind']>(kind: Kind, id: string) => ({ shop: SHOP, kind, id });

describe('what a worker would do with an event', () => {
  it.each<[string, EntityKey, StoreEntity, string]>([
    ['an order', order, orderOf(1, shipped), 'sendOrder'],
    [
      'a product',
      key('product', '8012345678901'),
      { kind: 'product', product: storeProduct() },
      'updateProduct',
    ],
    [
      'a code',
      key('coupon', 'AUTUMN10'),
      { kind: 'coupon', coupon: storeCoupon() },
      'createCoupon',
    ],
    ['a customer', key('member', member.id), { kind: 'member', member }, 'upsertCustomer'],
  ])('is sent: %s', async (_, about, entity, call) => {
    const connector = openConnector();
    const updatedAt = new Date(connector.clock.ms - 60_000).toISOString();
    const recent = { ...entity } as Record<string, unknown>;
    recent[entity.kind] = { ...(recent[entity.kind] as object), updatedAt };
    const shown = await preview(connector, about, recent as never);
    expect(shown).toMatchObject({ outcome: { kind: 'applied' }, calls: [call] });
    expect([connector.loyalty.journal, connector.ledger.entries.size]).toEqual([[], 0]);
  });

  it('takes back what the store refunded', async () => {
    const connector = await sent(1, shipped);
    const lower = orderAt(2, shipped, { current_subtotal_price: '30.00' });
    connector.store.putOrder(SHOP, storeOrderOf(lower));
    const before = JSON.stringify([...connector.ledger.entries]);
    const shown = await preview(connector, order, { kind: 'order', order: storeOrderOf(lower) });
    expect(shown).toMatchObject({
      outcome: { kind: 'applied' },
      calls: ['partiallyCancelPosOrder'],
    });
    expect(JSON.stringify([...connector.ledger.entries])).toBe(before);
    expect(connector.loyalty.journal).toHaveLength(1);
  });

  it('shows that the order is ended where the store deleted it', async () => {
    const shown = await preview(await sent(1, shipped), order);
    expect(shown).toMatchObject({
      outcome: { kind: 'applied' },
      calls: ['cancelPosOrder'],
    });
  });

  it('shows that a code is ended where the store deleted it', async () => {
    const connector = openConnector();
    const { code, discountId } = storeCoupon();
    const coupon = key('coupon', code);
    const entry = { version: 1, appliedKey: 'k', uncertain: false, discountId, outcomes: [] };
    await connector.ledger.write(coupon, entry, undefined);
    const shown = await preview(connector, coupon);
    expect(shown.calls).toEqual(['deactivateCoupon']);
  });

  it('reads an order first of which it is not known what the service holds, and goes on as if the service had none', async () => {
    const connector = await sent(1, shipped);
    const entry = connector.ledger.entries.get(ledgerKeyText(order));
    if (!entry) throw new Error('no entry');
    const { service: _, revision, ...older } = entry;
    await connector.ledger.write(order, older, revision);
    const shown = await preview(
      connector,
      order,
      orderOf(2, shipped, { current_subtotal_price: '70.00' }),
    );
    expect(shown.calls).toMatchObject(['getOrder', 'sendOrder']);
    expect(shown.outcome.kind).toBe('applied');
  });

  it('says that the store must be asked and does not answer', async () => {
    const connector = openConnector();
    connector.store.outage = { kind: 'unavailable', why: 'throttled' };
    for (const about of [
      order,
      key('product', '8'),
      key('coupon', 'AUTUMN10'),
      key('member', '7'),
    ]) {
      const shown = await preview(connector, about);
      expect(shown).toMatchObject({
        outcome: { kind: 'retry', why: 'store-throttled', unanswered: true },
        calls: [],
      });
    }
  });

  it('shows no call for what is unchanged, or older than what was sent', async () => {
    const connector = await sent(2, shipped);
    expect(await preview(connector, order, orderOf(3, shipped))).toMatchObject({
      outcome: { kind: 'unchanged' },
      calls: [],
    });
    const older = await preview(connector, order, orderOf(1));
    expect([older.outcome.kind, older.calls]).toEqual(['superseded', []]);
  });
});
