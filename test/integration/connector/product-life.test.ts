import { describe, expect, it } from 'vitest';
import { productAt } from '../../../local/harness/product-payload.ts';
import { storeProduct } from '../../fixtures/store-entities.ts';
import { type RunningConnector, runConnectors, SHOP } from '../../support/running-connector.ts';

const connectors = runConnectors();

const held = ({ loyalty }: RunningConnector) => loyalty.state().products;

describe('the life of a product', () => {
  it('is followed through a new price, a new name and its end', async () => {
    const connector = await connectors.open();
    const { store } = connector;
    store.putProduct(SHOP, storeProduct());
    await connector.deliver(['products/create', productAt(1)]);
    const categories = ['Apparel & Accessories', 'Clothing', 'Shirts'];
    expect(held(connector)).toMatchObject([{ ProductPrice: 49.9, IsActive: true, categories }]);
    await connector.deliver(['products/update', productAt(2, { variants: [{ price: '39.90' }] })]);
    expect(held(connector)).toMatchObject([{ ProductPrice: 39.9 }]);
    const renamed = { title: 'Linen shirt, washed', variants: [{ price: '39.90' }] };
    await connector.deliver(['products/update', productAt(3, renamed)]);
    await connector.deliver(['products/update', productAt(4, { ...renamed, status: 'draft' })]);
    expect(held(connector)).toMatchObject([{ Title: 'Linen shirt, washed', IsActive: false }]);
    await connector.deliver(['products/update', productAt(5, renamed)]);
    expect(connector.newOperations()).toHaveLength(5);

    store.remove(SHOP, 'product', '8012345678901');
    await connector.deliver(['products/delete', { id: 8012345678901 }]);
    const [deletion, ...others] = connector.newCalls();
    expect(others).toEqual([]);
    expect(deletion?.body).toMatchObject({ Title: 'Linen shirt, washed', IsActive: false });
    expect(held(connector)).toMatchObject([{ ProductPrice: 39.9, IsActive: false }]);

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
    expect(held(connector)).toMatchObject([{ Title: 'Linen shirt' }]);
  });

  it('is not ended by a deletion that the store knows nothing of', async () => {
    const connector = await connectors.open();
    connector.store.putProduct(SHOP, storeProduct());
    await connector.deliver(['products/create', productAt(1)]);
    await connector.deliver(['products/delete', { id: 8012345678901 }]);
    expect(held(connector)).toMatchObject([{ IsActive: true }]);
  });

  it('that was never sent needs no end', async () => {
    const connector = await connectors.open();
    await connector.deliver(['products/delete', { id: 8012345678901 }]);
    expect(connector.newOperations()).toEqual([]);
    expect(await connector.deadLetters()).toEqual([]);
  });
});
