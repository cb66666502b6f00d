import { describe, expect, it } from 'vitest';
import { productAt } from '../../../local/harness/product-payload.ts';
import type { StoreCoupon } from '../../../shared/store/store-entities.ts';
import { amount, storeCoupon, storeProduct } from '../../fixtures/store-entities.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

const heldProducts = ({ loyalty }: RunningConnector) => loyalty.state().products;

describe('the life of a product', () => {
  it('is followed through a new price, a new name and its end', async () => {
    const connector = await connectors.open();
    const { store } = connector;
    store.putProduct(SHOP, storeProduct());
    await connector.deliver(['products/create', productAt(1)]);
    const categories = ['Apparel & Accessories', 'Clothing', 'Shirts'];
    expect(heldProducts(connector)).toMatchObject([
      { ProductPrice: 49.9, IsActive: true, categories },
    ]);
    await connector.deliver(['products/update', productAt(2, { variants: [{ price: '39.90' }] })]);
    expect(heldProducts(connector)).toMatchObject([{ ProductPrice: 39.9 }]);
    const renamed = { title: 'Linen shirt, washed', variants: [{ price: '39.90' }] };
    await connector.deliver(['products/update', productAt(3, renamed)]);
    await connector.deliver(['products/update', productAt(4, { ...renamed, status: 'draft' })]);
    expect(heldProducts(connector)).toMatchObject([
      { Title: 'Linen shirt, washed', IsActive: false },
    ]);
    await connector.deliver(['products/update', productAt(5, renamed)]);
    expect(connector.newOperations()).toHaveLength(5);

    store.remove(SHOP, 'product', '8012345678901');
    await connector.deliver(['products/delete', { id: 8012345678901 }]);
    const [deletion, ...others] = connector.newCalls();
    expect(others).toEqual([]);
    expect(deletion?.body).toMatchObject({ Title: 'Linen shirt, washed', IsActive: false });
    expect(heldProducts(connector)).toMatchObject([{ ProductPrice: 39.9, IsActive: false }]);

    // Told twice, or by an update that comes late, it stays deleted and nobody is called.
    await connector.deliver(
      ['products/delete', { id: 8012345678901 }],
      ['products/update', productAt(4, renamed)],
    );
    expect(connector.newOperations()).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

const GID = 'gid://shopify/DiscountCodeNode/1688847450345';
const at = (second: number) =>
  new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
const changed = (second: number) => ({ admin_graphql_api_id: GID, updated_at: at(second) });

const heldCoupons = ({ loyalty }: RunningConnector) => loyalty.state().coupons;

/** The store changes the coupon and says that its discount has changed. */
async function change(connector: RunningConnector, second: number, fields: Partial<StoreCoupon>) {
  const coupon = storeCoupon({ updatedAt: at(second), ...fields });
  connector.store.putCoupon(SHOP, coupon);
  const topic = second === 1 ? 'discounts/create' : 'discounts/update';
  await connector.deliver([topic, changed(second)]);
}

describe('the life of a coupon', () => {
  it('is followed through its creation, a new value and its expiry', async () => {
    const connector = await connectors.open();
    await change(connector, 1, {});
    expect(connector.newOperations()).toEqual(['createCoupon']);
    expect(heldCoupons(connector)).toMatchObject([
      { CouponCode: 'AUTUMN10', CouponType: 1, CouponValue: 10, isActive: true, customerId: null },
    ]);

    await change(connector, 2, { value: amount('15') });
    expect(connector.newOperations()).toEqual(['createCoupon']);
    expect(heldCoupons(connector)).toMatchObject([{ CouponValue: 15, isActive: true }]);

    await change(connector, 3, { value: amount('15') });
    expect(connector.newOperations()).toEqual([]);

    await change(connector, 4, { value: amount('15'), status: 'expired' });
    expect(connector.newOperations()).toEqual(['deactivateCoupon']);
    expect(heldCoupons(connector)).toMatchObject([{ isActive: false }]);

    await change(connector, 5, { value: amount('15') });
    expect(heldCoupons(connector)).toMatchObject([{ isActive: true }]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
