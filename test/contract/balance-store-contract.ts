import { describe, expect, it } from 'vitest';
import type { BalanceStore } from '../../shared/core/balances/balance-store.ts';

export interface BalanceStoreUnderTest {
  readonly store: BalanceStore;
  readonly shop: string;
  /** Customers of the shop; more than one call holds. */
  readonly customers: readonly string[];
  /** What the customer has now; undefined where there is nothing. */
  held(customerId: string, field: 'points' | 'cashback' | 'tier'): string | undefined;
}

/** What every place for balances promises. */
export function describeBalanceStore(name: string, open: () => BalanceStoreUnderTest): void {
  const change = (customerId: string, points: string) => ({ customerId, points, cashback: '0.5' });

  describe(`${name}, as a place for balances`, () => {
    it('writes any number of customers, and tells of each', async () => {
      const { store, shop, customers, held } = open();
      const changes = customers.map((id, index) => change(id, String(index)));
      expect(await store.writeBalances(shop, changes)).toEqual(
        customers.map(() => ({ kind: 'written' })),
      );
      expect(customers.map((id) => held(id, 'points'))).toEqual(
        customers.map((_, index) => String(index)),
      );
      expect(await store.writeBalances(shop, [])).toEqual([]);
    });

    it('writes the others when some are unknown, and tells in the order of the changes', async () => {
      const { store, shop, customers, held } = open();
      const [first = '', second = ''] = customers;
      const written = await store.writeBalances(shop, [
        change('999000999', '1'),
        change(first, '11'),
        change('999000998', '1'),
        change(second, '12'),
      ]);
      expect(written.map(({ kind }) => kind)).toEqual([
        'unknown-customer',
        'written',
        'unknown-customer',
        'written',
      ]);
      expect([held(first, 'points'), held(second, 'points')]).toEqual(['11', '12']);
    });

    it('sets a tier, leaves it where nothing is said, takes it away, also where there is none', async () => {
      const { store, shop, customers, held } = open();
      const [id = ''] = customers;
      await store.writeBalances(shop, [{ ...change(id, '1'), tier: 'Gold' }]);
      expect(held(id, 'tier')).toBe('Gold');
      await store.writeBalances(shop, [change(id, '2')]);
      expect(held(id, 'tier')).toBe('Gold');
      for (let times = 0; times < 2; times += 1) {
        const taken = await store.writeBalances(shop, [{ ...change(id, '3'), tier: null }]);
        expect(taken).toEqual([{ kind: 'written' }]);
        expect(held(id, 'tier')).toBeUndefined();
      }
    });
  });
}
