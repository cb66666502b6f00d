import { describe, expect, it } from 'vitest';
import { productAt } from '../../../local/harness/product-payload.ts';
import type { StoreCoupon } from '../../../shared/store/store-entities.ts';
import { persons } from '../../fixtures/persons.ts';
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

  it('makes no call for the noise of inventory and sales', async () => {
    const connector = await connectors.open();
    await connector.deliver(['products/create', productAt(1)]);
    connector.newCalls();
    for (let sale = 1; sale <= 20; sale += 1) {
      const variants = [
        { id: 1, price: '59.90', inventory_quantity: 12 - sale },
        { id: 2, price: '49.90', inventory_quantity: 3, compare_at_price: String(sale) },
      ];
      expect(await connector.post('products/update', productAt(1 + sale, { variants }))).toBe(200);
      if (sale % 5 === 0) await connector.settle();
    }
    expect(connector.newOperations()).toEqual([]);

    // The noise moved the version on: what came before it is late.
    await connector.deliver(['products/update', productAt(10, { title: 'Old name' })]);
    expect(connector.newOperations()).toEqual([]);
    expect(heldProducts(connector)).toMatchObject([{ Title: 'Linen shirt' }]);
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

  it('of one customer is sent with that customer', async () => {
    const connector = await connectors.open();
    const { id, first_name, last_name, email, phone } = persons.tibbold;
    const customer = { id: String(id), name: `${first_name} ${last_name}`, email, phone };
    const customers = [{ ...customer, createdAt: undefined }];
    await change(connector, 1, { audience: { kind: 'customers', customers } });
    expect(heldCoupons(connector)).toMatchObject([{ customerId: String(id) }]);
    expect(connector.loyalty.state().customers).toMatchObject([{ Email: email }]);
  });

  it('ends when its code is removed, and the other codes of the discount do not', async () => {
    const connector = await connectors.open();
    const codes = ['KEEP', 'LOSE me/50%'];
    codes.forEach((code, index) => {
      connector.store.putCoupon(SHOP, storeCoupon({ code, codeId: String(index + 1) }));
    });
    await connector.deliver(['discounts/create', changed(1)]);
    connector.newCalls();
    connector.store.remove(SHOP, 'coupon', 'LOSE me/50%');
    const redeem_code = { id: 'gid://shopify/DiscountRedeemCode/2', code: 'LOSE me/50%' };
    await connector.deliver(['discounts/redeemcode_removed', { ...changed(2), redeem_code }]);
    expect(connector.newOperations()).toEqual(['deactivateCoupon']);
    const active = heldCoupons(connector).map(({ CouponCode, isActive }) => [CouponCode, isActive]);
    // Codes of one discount travel side by side, in no particular order.
    expect(active.toSorted()).toEqual([
      ['KEEP', true],
      ['LOSE me/50%', false],
    ]);
  });
});

describe('a discount with 120 codes', () => {
  it('fans out into all of them, says nothing twice, and ends with all of them', async () => {
    const connector = await connectors.open();
    const { store } = connector;
    const codes = Array.from({ length: 120 }, (_, index) => `CLUB-${1000 + index}`);
    codes.forEach((code, index) => {
      store.putCoupon(SHOP, storeCoupon({ code, codeId: String(9000 + index) }));
    });
    await connector.deliver(['discounts/create', changed(1)]);
    expect(connector.newOperations()).toEqual(codes.map(() => 'createCoupon'));
    expect(
      heldCoupons(connector)
        .map(({ CouponCode }) => CouponCode)
        .toSorted(),
    ).toEqual(codes);

    await connector.deliver(['discounts/update', changed(2)]);
    expect(connector.newOperations()).toEqual([]);

    store.remove(SHOP, 'discount', '1688847450345');
    await connector.deliver(['discounts/delete', { admin_graphql_api_id: GID, deleted_at: at(3) }]);
    expect(connector.newOperations()).toEqual(codes.map(() => 'deactivateCoupon'));
    expect(heldCoupons(connector).filter(({ isActive }) => isActive)).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
