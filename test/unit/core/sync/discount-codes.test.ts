import { beforeEach, describe, expect, it } from 'vitest';
import { momentAt } from '../../../fixtures/order-life.ts';
import { UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { storeCoupon } from '../../../fixtures/store-entities.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

const DISCOUNT = '1688847450345';
const admin_graphql_api_id = `gid://shopify/DiscountCodeNode/${DISCOUNT}`;
const changed = { admin_graphql_api_id, updated_at: momentAt(0) };
const deleted = { admin_graphql_api_id, deleted_at: momentAt(1) };
const withCode = (code: string, updated_at = changed.updated_at) => ({
  ...{ admin_graphql_api_id, updated_at },
  redeem_code: { id: 'gid://shopify/DiscountRedeemCode/1', code },
});

function putCodes(count: number, discountOf = (_n: number) => DISCOUNT): void {
  for (let n = 0; n < count; n += 1) {
    const code = { code: `CODE-${n}`, codeId: String(n), discountId: discountOf(n) };
    connector.store.putCoupon(SHOP, storeCoupon(code));
  }
}

/** The codes that customers can use in the loyalty service. */
const active = () =>
  [...connector.loyalty.rows.coupons.values()].flatMap(({ isActive, CouponCode }) =>
    isActive ? [CouponCode] : [],
  );

describe('a discount', () => {
  it('fans out into one message and one entry per code', async () => {
    putCodes(120);
    await connector.handle('discounts/create', changed);
    expect(connector.loyalty.rows.coupons.size).toBe(120);
    expect(connector.ledger.entries.size).toBe(120);

    // Again, and nothing changed: no call.
    const calls = connector.loyalty.journal.length;
    connector.clock.ms += 600_000;
    await connector.handle('discounts/update', changed);
    expect(connector.loyalty.journal).toHaveLength(calls);

    // Gone: the store names no codes any more, the ledger does.
    connector.store.remove(SHOP, 'discount', DISCOUNT);
    connector.clock.ms += 600_000;
    await connector.handle('discounts/delete', deleted);
    const inactive = connector.loyalty.journal.filter((c) => c.operation === 'deactivateCoupon');
    expect(inactive).toHaveLength(120);
  });

  it('of any size is fanned out in pages, and a crash repeats one page at most', async () => {
    putCodes(300);
    await connector.deliver({ topic: 'discounts/create', payload: changed });
    // Each invocation gets through one page's worth of sends, and then breaks.
    let sends = 0;
    const { send } = connector.queues.coupons;
    connector.queues.coupons.send = (message) => {
      sends += 1;
      if (sends % 70 === 0) throw new Error('crash');
      return send(message);
    };
    await connector.drain();
    expect(connector.loyalty.rows.coupons.size).toBe(300);
    expect(sends).toBeLessThan(600);
  });

  it('that is automatic is skipped by name', async () => {
    const automatic = { admin_graphql_api_id: 'gid://shopify/DiscountAutomaticNode/7' };
    await connector.handle('discounts/create', { ...changed, ...automatic });
    expect(connector.telemetry.total('skipped', { why: 'automatic-discount' })).toBe(1);
  });

  it('deleted while its codes still wait leaves none of them active', async () => {
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: momentAt(0) }));
    await connector.deliver({ topic: 'discounts/create', payload: changed });
    await connector.work('coupons');
    connector.loyalty.world.interfere = () => UNREACHABLE;
    await connector.work('coupons');
    connector.store.remove(SHOP, 'discount', DISCOUNT);
    await connector.deliver({ topic: 'discounts/delete', payload: deleted });
    await connector.work('coupons');
    connector.loyalty.world.interfere = undefined;
    await connector.drain();
    expect(active()).toEqual([]);
  });

  it('that has lost a code, or all of them, leaves none of them active, announced or not', async () => {
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: momentAt(0) }));
    await connector.handle('discounts/create', changed);
    connector.store.remove(SHOP, 'coupon', 'AUTUMN10');
    const other = { code: 'WINTER10', codeId: '2', updatedAt: momentAt(1) };
    connector.store.putCoupon(SHOP, storeCoupon(other));
    await connector.handle('discounts/update', { ...changed, updated_at: momentAt(1) });
    expect(active()).toEqual(['WINTER10']);
    connector.store.remove(SHOP, 'coupon', 'WINTER10');
    connector.store.putAutomaticDiscount(SHOP, DISCOUNT);
    await connector.handle('discounts/update', { ...changed, updated_at: momentAt(2) });
    expect(active()).toEqual([]);
    // Each is ended once.
    const calls = connector.loyalty.journal.length;
    await connector.handle('discounts/update', { ...changed, updated_at: momentAt(3) });
    expect(connector.loyalty.journal).toHaveLength(calls);
    expect(connector.queues.coupons.size).toBe(0);
  });

  it('keeps a code that the store does not show for a moment', async () => {
    const code = storeCoupon({ updatedAt: momentAt(0) });
    const other = storeCoupon({ code: 'WINTER10', codeId: '2', updatedAt: momentAt(0) });
    for (const one of [code, other]) connector.store.putCoupon(SHOP, one);
    await connector.handle('discounts/create', changed);
    connector.store.remove(SHOP, 'coupon', 'WINTER10');
    const payload = { ...changed, updated_at: momentAt(1) };
    await connector.deliver({ topic: 'discounts/update', payload });
    await connector.work('coupons');
    await connector.work('coupons');
    connector.store.putCoupon(SHOP, other);
    await connector.drain();
    expect(active().toSorted()).toEqual(['AUTUMN10', 'WINTER10']);
  });

  it('keeps its codes while the store does not answer whether it is deleted', async () => {
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: momentAt(0) }));
    await connector.handle('discounts/create', changed);
    connector.store.outage = { kind: 'unavailable', why: 'throttled' };
    await connector.deliver({ topic: 'discounts/delete', payload: deleted });
    for (let round = 0; round < 5; round += 1) {
      expect(await connector.work('coupons')).toEqual({ received: 1, left: 1 });
      connector.clock.ms += 3_600_000;
    }
    connector.store.outage = undefined;
    await connector.drain();
    expect(active()).toEqual(['AUTUMN10']);
  });
});

describe.each(['distinguished', 'ignored'] as const)(
  'a code renamed in case only, at a service where case is %s',
  (couponCase) => {
    const later = momentAt(5);
    beforeEach(async () => {
      connector = openWebhookConnector({ service: { couponCase } });
      connector.store.putCoupon(SHOP, storeCoupon({ code: 'AUTUMN10', updatedAt: momentAt(0) }));
      await connector.handle('discounts/create', changed);
      connector.store.remove(SHOP, 'coupon', 'AUTUMN10');
      const renamed = { code: 'Autumn10', codeId: '99', updatedAt: later };
      connector.store.putCoupon(SHOP, storeCoupon(renamed));
    });
    const removed = ['discounts/redeemcode_removed', withCode('AUTUMN10', later)] as const;
    const added = ['discounts/redeemcode_added', withCode('Autumn10', later)] as const;
    const updated = ['discounts/update', { ...changed, updated_at: later }] as const;

    it.each<[string, readonly (readonly [string, object])[]]>([
      ['is added and removed', [added, removed]],
      ['is removed and added', [removed, added]],
      ['is removed, and nothing else is announced', [removed]],
      ['changes its discount', [updated, removed]],
    ])('is active in its new spelling alone: it %s', async (_, events) => {
      for (const event of events) await connector.handle(...event);
      expect(active()).toEqual(['Autumn10']);
      const calls = connector.loyalty.journal.length;
      connector.clock.ms += 600_000;
      for (const event of events) await connector.handle(...event);
      expect(active()).toEqual(['Autumn10']);
      expect(connector.loyalty.journal.length - calls).toBeLessThanOrEqual(1);
      expect(connector.dead.size).toBe(0);
    });
  },
);

describe('a code of a discount', () => {
  it('that is announced before it can be read is not taken for removed', async () => {
    const payload = withCode('AUTUMN10');
    await connector.deliver({ topic: 'discounts/redeemcode_added', payload });
    await connector.work('coupons');
    await connector.work('coupons');
    expect(connector.loyalty.journal).toEqual([]);
    connector.store.putCoupon(SHOP, storeCoupon());
    await connector.drain();
    expect(active()).toEqual(['AUTUMN10']);
  });

  it('that is removed and added again within the same second ends active', async () => {
    const before = '2026-10-09T11:59:00.000Z';
    connector.store.putCoupon(SHOP, storeCoupon({ updatedAt: before }));
    await connector.handle('discounts/redeemcode_added', withCode('AUTUMN10', before));
    connector.store.remove(SHOP, 'coupon', 'AUTUMN10');
    connector.clock.ms += 400;
    const second = new Date(Math.floor(connector.clock.ms / 1000) * 1000).toISOString();
    const payload = withCode('AUTUMN10', second);
    await connector.deliver({ topic: 'discounts/redeemcode_removed', payload });
    await connector.work('coupons');
    await connector.work('coupons');
    connector.store.putCoupon(SHOP, storeCoupon({ codeId: '99', updatedAt: second }));
    await connector.handle('discounts/redeemcode_added', payload);
    expect(active()).toEqual(['AUTUMN10']);
    expect(connector.dead.size).toBe(0);
  });
});
