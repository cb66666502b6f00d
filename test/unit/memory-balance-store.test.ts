import { createMemoryBalanceStore } from '../../local/harness/memory-reward-store.ts';
import { describeBalanceStore } from '../contract/reward-store-contract.ts';

describeBalanceStore('the store in memory', () => {
  const customers = Array.from({ length: 20 }, (_, index) => String(index + 1));
  const store = createMemoryBalanceStore(customers);
  return {
    store,
    shop: 'example-store.myshopify.com',
    customers,
    held: (id, field) => store.customers.get(id)?.[field] ?? undefined,
  };
});
