import { createMemoryStore } from '../../local/harness/memory-store.ts';
import { describeStoreContract } from '../contract/store-contract.ts';
import { describeStoreWalkContract } from '../contract/store-walk-contract.ts';
import { storeCoupon, storeOrder, storeProduct } from '../fixtures/store-entities.ts';

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

describeStoreWalkContract('the store in memory', async () => {
  const store = createMemoryStore();
  const shop = 'example-store.myshopify.com';
  const moment = (at: number) => new Date(at).toISOString();
  let count = 0;
  const nextId = () => {
    count += 1;
    return String(1_000 + count);
  };
  let now = 0;
  store.now = () => now;
  return {
    shop,
    store,
    async placeOrder(at) {
      const order = { ...storeOrder(), id: nextId(), placedAt: moment(at), updatedAt: moment(at) };
      store.putOrder(shop, order);
      return order.id;
    },
    changeOrder(id, at) {
      store.putOrder(shop, { ...storeOrder(), id, updatedAt: moment(at) });
    },
    async createProduct(at) {
      const product = storeProduct({ id: nextId(), updatedAt: moment(at) });
      store.putProduct(shop, product);
      return product.id;
    },
    async createDiscount(at, codes) {
      const discountId = nextId();
      for (const code of codes) {
        store.putCoupon(shop, storeCoupon({ code, discountId, updatedAt: moment(at) }));
      }
      return discountId;
    },
    createAutomaticDiscount: () => store.putAutomaticDiscount(shop, nextId()),
    remove: (kind, id) => store.remove(shop, kind, id),
    setNow(at) {
      now = at;
    },
    grantAllOrders(granted) {
      store.allOrders = granted;
    },
    turn(how) {
      store.outage =
        how === 'well' ? undefined : { ...unavailable, misconfigured: how === 'refusing' };
    },
  };
});
