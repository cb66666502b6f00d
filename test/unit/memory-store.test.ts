import { describeStoreContract } from '../contract/store-contract.ts';
import { createMemoryStore } from '../models/memory-store.ts';

const unavailable = { kind: 'unavailable', why: 'asleep' } as const;

describeStoreContract('the store in memory', async () => {
  const store = createMemoryStore();
  const { putOrder, putProduct, putCoupon, putAutomaticDiscount, remove } = store;
  return {
    store,
    putOrder,
    putProduct,
    putCoupon,
    putAutomaticDiscount,
    remove,
    turn(how) {
      store.outage =
        how === 'well' ? undefined : { ...unavailable, misconfigured: how === 'refusing' };
    },
  };
});
