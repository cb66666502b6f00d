import { createMemoryRewardStore } from '../../local/harness/memory-reward-store.ts';
import { describeRewardStore } from '../contract/reward-store-contract.ts';

describeRewardStore('the store in memory', () => {
  const store = createMemoryRewardStore();
  return {
    store,
    shop: 'example-store.myshopify.com',
    customers: ['7001', '7002'],
    makeForeign: (code) => store.foreign.add(code.toLowerCase()),
    use: (code) => {
      const made = store.codes.get(code.toLowerCase());
      if (made) made.used += 1;
    },
  };
});
