import { afterEach } from 'vitest';
import { startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import {
  defaultServerSettings,
  type ServerSettings,
} from '../../../local/store-sandbox/settings.ts';
import { describeStoreWalkContract } from '../../contract/store-walk-contract.ts';
import { adminStoreOf } from '../../support/store-and-connector.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

describeStoreWalkContract('the Admin API of the store sandbox', async () => {
  let clock = 0;
  const scopes = [...defaultServerSettings.scopes];
  // The clock stands still between the steps, so the bucket would not fill again.
  const settings: Partial<ServerSettings> = { scopes, bucketSize: 1_000_000 };
  const sandbox = await startStoreSandbox({
    sample: false,
    accessToken: 'shpat_of_this_test_71c2',
    settings,
    now: () => new Date(clock),
  });
  open.push(sandbox.stop);
  const { actions } = sandbox;
  let orders = 0;
  return {
    shop: sandbox.shop.domain,
    // The client's own tests say how long it waits before it repeats a question.
    store: adminStoreOf(sandbox, { sleep: async () => {} }),
    async placeOrder(at) {
      clock = at;
      orders += 1;
      // Some have more lines than fit on the page of one order.
      const lines = Array.from({ length: 1 + ((orders * 5) % 12) }, (_, index) => ({
        title: `Line ${index}`,
        price: 10,
        quantity: 1,
      }));
      const customer = actions.createCustomer({ firstName: 'Ana', lastName: `No. ${orders}` });
      return actions.placeOrder({ lines, customerId: customer.id, payment: 'paid' }).id;
    },
    changeOrder(id, at) {
      clock = at;
      actions.editOrder({ orderId: id, add: [{ title: 'Ribbon', price: 1, quantity: 1 }] });
    },
    async createProduct(at) {
      clock = at;
      return actions.createProduct({ title: 'Linen shirt', price: 49.9 }).id;
    },
    async createDiscount(at, codes) {
      clock = at;
      return actions.createDiscount({ percentage: 10, codes: [...codes] }).id;
    },
    createAutomaticDiscount(at) {
      clock = at;
      actions.createDiscount({ percentage: 10, automatic: true });
    },
    remove(kind, id) {
      if (kind === 'discount') return actions.deleteDiscount({ discountId: id });
      if (kind === 'product') return actions.deleteProduct({ productId: id });
      actions.cancelOrder({ orderId: id });
      return actions.deleteOrder({ orderId: id });
    },
    setNow(at) {
      clock = at;
    },
    grantAllOrders(granted) {
      scopes.splice(0, scopes.length, ...defaultServerSettings.scopes);
      if (!granted) scopes.splice(scopes.indexOf('read_all_orders'), 1);
    },
    turn(how) {
      sandbox.faults.clear();
      if (how === 'ill') sandbox.faults.add({ kind: 'http-503' });
      if (how === 'refusing') sandbox.faults.add({ kind: 'unauthorized' });
    },
  };
});
