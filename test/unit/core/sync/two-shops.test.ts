import { describe, expect, it } from 'vitest';
import { storeOrderOf } from '../../../fixtures/order-life.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { type OrderSpec, simpleOrder } from '../../../fixtures/order-spec.ts';
import { amount, storeCoupon } from '../../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

const SECOND = 'second-store.myshopify.com';
const at = '2026-10-09T11:00:00Z';

/** Two shops on one loyalty account; each announces and removes the code WELCOME10 as its store does. */
function openShops() {
  const connector = openConnector();
  const discounts = { [SHOP]: '1688847450345', [SECOND]: '1688847450999' };
  const gid = (shop: keyof typeof discounts) => `gid://shopify/DiscountCodeNode/${discounts[shop]}`;
  return {
    connector,
    async create(shop: keyof typeof discounts, changes = {}) {
      const discountId = discounts[shop] ?? '';
      connector.store.putCoupon(
        shop,
        storeCoupon({ code: 'WELCOME10', discountId, updatedAt: at, ...changes }),
      );
      const payload = { admin_graphql_api_id: gid(shop), status: 'ACTIVE', updated_at: at };
      await connector.deliver({ topic: 'discounts/create', payload, shop });
      await connector.drain();
    },
    async remove(shop: keyof typeof discounts) {
      connector.store.remove(shop, 'discount', discounts[shop] ?? '');
      const payload = { admin_graphql_api_id: gid(shop), deleted_at: '2026-10-09T12:30:00Z' };
      await connector.deliver({ topic: 'discounts/delete', payload, shop });
      await connector.drain();
    },
    coupons: () =>
      [...connector.loyalty.rows.coupons.values()].map(({ OriginalId, isActive, CouponValue }) => ({
        OriginalId,
        isActive,
        CouponValue,
      })),
  };
}

describe('WELCOME10 of two shops on one loyalty account', () => {
  const ofFirst = { OriginalId: `WELCOME10@${SHOP}`, isActive: true, CouponValue: 10 };

  it('keeps 10 % of the first shop, and parks the 25 % of the second with what to do', async () => {
    const { connector, create, remove, coupons } = openShops();
    await create(SHOP);
    await create(SECOND, { value: amount('25') });
    expect(coupons()).toEqual([ofFirst]);
    expect(connector.deadLetters()).toMatchObject([
      { attributes: { why: expect.stringContaining('cannot hold both: rename one') } },
    ]);
    // The second deletes its own, and then the first.
    await remove(SECOND);
    expect(coupons()).toEqual([ofFirst]);
    await remove(SHOP);
    expect(coupons()).toEqual([{ ...ofFirst, isActive: false }]);
  });
});

type Connector = ReturnType<typeof openConnector>;

/** An order of 50.00 of a shop with this currency. */
async function deliver(
  connector: Connector,
  shop: string,
  currency: string,
  id: number,
  [second, spec]: readonly [second: number, spec: Partial<OrderSpec>] = [0, {}],
) {
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  const own = { id, admin_graphql_api_id: `gid://shopify/Order/${id}` };
  const life = { ...simpleOrder, fulfilledAfterDays: 1, ...spec };
  const { payload } = buildOrder(life, { ...own, currency, updated_at });
  connector.store.putOrder(shop, storeOrderOf(payload));
  await connector.deliver({ topic: 'orders/updated', payload, shop });
  await connector.drain();
}

const sent = ({ loyalty }: Connector) =>
  [...loyalty.rows.orders.values()].map(({ OriginalId }) => OriginalId);

describe('two shops of different currencies on one loyalty account', () => {
  it('never count 50 BRL and 50 USD alike: the order in the other currency is parked with its reason', async () => {
    const connector = openConnector({ rules: { currency: 'BRL' } });
    await deliver(connector, SHOP, 'BRL', 1);
    await deliver(connector, SECOND, 'USD', 2);
    expect(sent(connector)).toEqual(['1']);
    expect(connector.deadLetters()).toMatchObject([
      {
        attributes: {
          reason: 'unmappable',
          why: 'connector.config.ts: rules.currency is BRL, and the order is in USD',
        },
      },
    ]);
  });

  it('still correct and cancel what was sent before the settings named a currency', async () => {
    const connector = openConnector({ rules: { currency: 'any' } });
    const lines = simpleOrder.lines.map((line) => ({ ...line, quantity: 2 }));
    const returned = { lines: lines.map((line) => ({ ...line, takenBack: 1 })) };
    await deliver(connector, SECOND, 'USD', 2, [0, { lines }]);
    connector.changeRules({ currency: 'BRL' });
    await deliver(connector, SECOND, 'USD', 2, [60, returned]);
    expect(connector.loyalty.journal.at(-1)?.operation).toBe('partiallyCancelPosOrder');
    await deliver(connector, SECOND, 'USD', 2, [120, { ...returned, cancelledAfterDays: 3 }]);
    expect(connector.loyalty.rows.orders.get('2')).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.deadLetters()).toEqual([]);
  });

  it('park no order that is not sent anyway, and none that ended before', async () => {
    const connector = openConnector({ rules: { currency: 'BRL', pendingOrders: 'skip' } });
    await deliver(connector, SECOND, 'USD', 2, [0, { fulfilledAfterDays: undefined }]);
    await deliver(connector, SECOND, 'USD', 3, [0, { cancelledAfterDays: 3 }]);
    expect(connector.deadLetters()).toEqual([]);
  });
});
