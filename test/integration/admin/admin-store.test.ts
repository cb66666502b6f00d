import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import {
  defaultServerSettings,
  type ServerSettings,
} from '../../../local/store-sandbox/settings.ts';
import { type AdminShop, createAdminStore } from '../../../shared/shopify/admin/admin-store.ts';
import { describeStoreContract } from '../../contract/store-contract.ts';
import { discountNode, redeemCode, rootWithDiscounts } from '../../fixtures/discount-node.ts';
import { orderNode, rootWithOrder } from '../../fixtures/order-node.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { type AdminServer, pagesOf, startAdminServer } from '../../support/admin-execution.ts';
import { adminStoreOf } from '../../support/store-and-connector.ts';

const SHOP = 'example-store.myshopify.com';
const codes = Array.from({ length: 600 }, (_, index) =>
  redeemCode({ code: `BULK${index}`, id: `gid://shopify/DiscountRedeemCode/${index}` }),
);
const order = orderNode(simpleOrder, {
  staffMember: { id: 'gid://shopify/StaffMember/90', name: 'Kim Clerk' },
});
const root = {
  ...rootWithOrder(order),
  ...rootWithDiscounts(discountNode({}, codes)),
  product: {
    id: 'gid://shopify/Product/8012345678901',
    title: 'Linen shirt',
    handle: 'linen-shirt',
    status: 'ACTIVE',
    vendor: 'North Loom',
    productType: 'Shirt',
    updatedAt: '2026-10-05T09:00:00Z',
    category: null,
    priceRangeV2: { minVariantPrice: { amount: '49.9' } },
    media: pagesOf([]),
    featuredMedia: null,
  },
  currentAppInstallation: { accessScopes: [{ handle: 'read_orders' }] },
};

let server: AdminServer;

beforeAll(async () => {
  server = await startAdminServer();
});
beforeEach(() => {
  server.root = root;
});
afterAll(() => server.close());

function createStore(shop: Partial<AdminShop> = {}) {
  const credentials = { kind: 'static', accessToken: 'static-token' } as const;
  return createAdminStore({
    shop: () => ({
      secret: { get: async () => credentials, refresh: async () => credentials },
      sandboxAddress: server.address,
      ...shop,
    }),
  });
}

describe('the store behind the Admin API', () => {
  it('answers for orders, products, codes and discounts over HTTP', async () => {
    const store = createStore();
    expect(await store.readOrder(SHOP, '5512345678901')).toMatchObject({
      kind: 'found',
      value: { id: '5512345678901', total: '57', staff: undefined },
    });
    expect(await store.readProduct(SHOP, '8012345678901')).toMatchObject({
      value: { price: '49.9' },
    });
    expect(await store.readCoupon(SHOP, 'bulk599')).toMatchObject({ value: { code: 'BULK599' } });
    const first = await store.readDiscount(SHOP, '1688847450345');
    expect(first).toMatchObject({ value: { next: expect.stringContaining('250') } });
    const last = await store.readDiscount(SHOP, '1688847450345', '500');
    expect(last.kind === 'found' && last.value.coupons).toHaveLength(100);
    expect(last.kind === 'found' && 'next' in last.value).toBe(false);
  });

  it('reads what the shop is set to, and shares one client per shop', async () => {
    const store = createStore({ enrichment: { staffNames: true } });
    const answer = await store.readOrder(SHOP, '5512345678901');
    expect(answer).toMatchObject({ value: { staff: { id: '90', name: 'Kim Clerk' } } });
  });

  it('never says gone of an order that may only be out of sight', async () => {
    const store = createStore();
    expect(await store.readOrder(SHOP, '1')).toMatchObject({
      kind: 'unavailable',
      misconfigured: true,
    });
    expect(await store.readOrder(SHOP, '1', { deletionAnnounced: true })).toEqual({ kind: 'gone' });
  });

  it('never takes a partial answer for the truth, and names the scope that is missing', async () => {
    server.root = {
      order: {
        ...order,
        staffMember: () => {
          throw Object.assign(new Error('Access denied for staffMember field.'), {
            extensions: { code: 'ACCESS_DENIED', requiredAccess: '`read_users` access scope.' },
          });
        },
      },
    };
    const store = createStore({ enrichment: { staffNames: true } });
    expect(await store.readOrder(SHOP, '5512345678901')).toEqual({
      kind: 'unavailable',
      why: 'access-denied-read-users',
      lacks: 'read_users',
      misconfigured: true,
    });
  });

  it('gives up when the work has no time left', async () => {
    const store = createStore().until(AbortSignal.abort());
    const answer = await store.readProduct(SHOP, '8012345678901');
    expect(answer).toEqual({ kind: 'unavailable', why: 'aborted' });
  });

  it('loads nothing of Shopify’s package and reads no secret before the first question', () => {
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ resolve: (name, context, next) => { loaded.push(name); return next(name, context); } });
      const { createAdminStore } = await import('./shared/shopify/admin/admin-store.ts');
      const secret = () => { throw new Error('read'); };
      createAdminStore({ shop: () => ({ secret: { get: secret, refresh: secret } }) });
      console.log(loaded.filter((name) => name.includes('@shopify')).length);
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(output.toString().trim()).toBe('0');
  });
});

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

describeStoreContract('the Admin API of the store sandbox', async () => {
  let clock = 0;
  const scopes = [...defaultServerSettings.scopes];
  // The clock stands still between the steps, so the bucket would not fill again.
  const settings: Partial<ServerSettings> = { scopes, bucketSize: 1_000_000 };
  const start = (domain: string) =>
    startStoreSandbox({
      ...{ sample: false, accessToken: 'shpat_of_this_test_71c2', shop: { domain } },
      settings,
      now: () => new Date(clock),
    });
  const sandbox = await start(SHOP);
  const other = await start('second-store.myshopify.com');
  open.push(sandbox.stop, other.stop);
  const { actions, rows } = sandbox;
  let orders = 0;
  return {
    ...{ shop: SHOP, otherShop: other.shop.domain },
    // The client's own tests say how long it waits before it repeats a question.
    store: adminStoreOf([sandbox, other], { sleep: async () => {} }),
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
    async createAutomaticDiscount(at) {
      clock = at;
      return actions.createDiscount({ percentage: 10, automatic: true }).id;
    },
    remove(kind, id) {
      if (kind === 'coupon') {
        const discountId = rows.codes.get(id.toLowerCase())?.discountId ?? '';
        return actions.removeCodes({ discountId, codes: [id] });
      }
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
