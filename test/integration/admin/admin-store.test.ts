import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import {
  defaultServerSettings,
  type ServerSettings,
} from '../../../local/store-sandbox/settings.ts';
import { type AdminShop, createAdminStore } from '../../../shared/shopify/admin/admin-store.ts';
import type {
  StoreCoupon,
  StoreOrder,
  StoreProduct,
} from '../../../shared/store/store-entities.ts';
import { describeStoreContract, type StoreUnderTest } from '../../contract/store-contract.ts';
import { describeStoreScanContract } from '../../contract/store-scan-contract.ts';
import { discountNode, redeemCode, rootWithDiscounts } from '../../fixtures/discount-node.ts';
import { orderNode, rootWithOrder } from '../../fixtures/order-node.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { type AdminServer, pagesOf, startAdminServer } from '../../support/admin-execution.ts';
import { adminStoreOf } from '../../support/store-and-connector.ts';

/** The Admin API over HTTP, one server per shop, with the data of the contract suite. */
async function createAdminStoreUnderTest(
  onClose: (close: () => Promise<void>) => void,
): Promise<StoreUnderTest> {
  const domains = ['example-store.myshopify.com', 'second-store.myshopify.com'];
  const shops = new Map(
    await Promise.all(
      domains.map(async (domain) => {
        const shop = { server: await startAdminServer(), things: new Map<string, unknown>() };
        onClose(() => shop.server.close());
        return [domain, shop] as const;
      }),
    ),
  );
  for (const { server, things } of shops.values()) server.root = rootOf(things);
  const shopOf = (domain: string) => {
    const shop = shops.get(domain);
    if (!shop) throw new Error('no such shop');
    return shop;
  };
  const thingsOf = (domain: string) => shopOf(domain).things;
  const credentials = { kind: 'static', accessToken: 'static-token' } as const;
  const store = createAdminStore({
    shop: (domain) => ({
      secret: { get: async () => credentials, refresh: async () => credentials },
      sandboxAddress: shopOf(domain).server.address,
      enrichment: {
        card: true,
        locationNames: true,
        staffNames: true,
        metafields: [{ owner: 'customer', namespace: 'facts', key: 'club' }],
      },
    }),
    sleep: async () => {},
  });
  return {
    store,
    putOrder: (shop, order) => thingsOf(shop).set(`order/${order.id}`, nodeOfOrder(order)),
    putProduct: (shop, product) =>
      thingsOf(shop).set(`product/${product.id}`, nodeOfProduct(product)),
    putCoupon: (shop, coupon) => {
      const key = `discount/${coupon.discountId}`;
      const known = (thingsOf(shop).get(key) as StoreCoupon[] | undefined) ?? [];
      thingsOf(shop).set(key, [...known.filter(({ code }) => code !== coupon.code), coupon]);
    },
    putAutomaticDiscount: (shop, id) => thingsOf(shop).set(`automatic/${id}`, id),
    remove: (shop, kind, id) => {
      const things = thingsOf(shop);
      if (kind !== 'coupon') return things.delete(`${kind}/${id}`);
      for (const [key, coupons] of couponsIn(things)) {
        things.set(
          key,
          coupons.filter(({ code }) => code !== id),
        );
      }
      return true;
    },
    turn: (how) => {
      for (const { server } of shops.values()) turnServer(server, how);
    },
  };
}

function turnServer({ reactions }: AdminServer, how: 'well' | 'ill' | 'refusing'): void {
  reactions.length = 0;
  if (how === 'well') return;
  const status = how === 'ill' ? 503 : 401;
  reactions.push(...Array.from({ length: 40 }, () => ({ status })));
}

function couponsIn(things: ReadonlyMap<string, unknown>): [string, StoreCoupon[]][] {
  return [...things].filter(([key]) => key.startsWith('discount/')) as [string, StoreCoupon[]][];
}

function rootOf(things: ReadonlyMap<string, unknown>) {
  const number = (gid: string) => gid.split('/').at(-1);
  const discounts = () =>
    rootWithDiscounts(
      ...couponsIn(things).map(([key, coupons]) =>
        nodeOfDiscount(key.slice('discount/'.length), coupons),
      ),
      ...[...things.keys()]
        .filter((key) => key.startsWith('automatic/'))
        .map((key) => ({
          __typename: 'DiscountAutomaticNode',
          id: `gid://shopify/DiscountAutomaticNode/${key.slice('automatic/'.length)}`,
        })),
    );
  return {
    order: ({ id }: { id: string }) => things.get(`order/${number(id)}`) ?? null,
    product: ({ id }: { id: string }) => things.get(`product/${number(id)}`) ?? null,
    node: (given: { id: string }) => discounts().node(given),
    codeDiscountNodeByCode: (given: { code: string }) => discounts().codeDiscountNodeByCode(given),
    currentAppInstallation: { accessScopes: [{ handle: 'read_all_orders' }] },
  };
}

const money = (amount: string) => ({ shopMoney: { amount } });

function nodeOfOrder(order: StoreOrder): Record<string, unknown> {
  const { card, location, staff, customer, metafields = [] } = order;
  const [line] = order.lines;
  const taxPercent = (100 * Number(line?.tax)) / Number(line?.paid);
  return orderNode(
    { ...simpleOrder, taxPercent },
    {
      id: `gid://shopify/Order/${order.id}`,
      name: order.name,
      processedAt: order.placedAt,
      updatedAt: order.updatedAt,
      sourceName: order.source,
      displayFinancialStatus: order.paymentStatus?.toUpperCase(),
      displayFulfillmentStatus:
        order.fulfillmentStatus === 'fulfilled' ? 'FULFILLED' : 'UNFULFILLED',
      fulfillments: order.fulfilledAt ? [{ status: 'SUCCESS', createdAt: order.fulfilledAt }] : [],
      currentSubtotalPriceSet: money(order.subtotal),
      currentTotalPriceSet: money(order.total),
      currentShippingPriceSet: money(order.shipping.price),
      shippingLines: pagesOf([
        {
          originalPriceSet: money(order.shipping.price),
          discountedPriceSet: money(order.shipping.price),
          discountAllocations: [],
          taxLines: [{ priceSet: money(order.shipping.taxOnTop) }],
        },
      ]),
      discountApplications: pagesOf(
        order.couponCodes.map((code, index) => ({
          __typename: 'DiscountCodeApplication',
          code,
          index,
        })),
      ),
      customAttributes: order.noteAttributes.map(({ name, value }) => ({ key: name, value })),
      retailLocation: location && { legacyResourceId: location.id, name: location.name },
      staffMember: staff && { id: `gid://shopify/StaffMember/${staff.id}`, name: staff.name },
      transactions: card && [
        {
          kind: 'SALE',
          status: 'SUCCESS',
          paymentDetails: {
            __typename: 'CardPaymentDetails',
            company: card.brand,
            paymentMethodName: card.type,
          },
        },
      ],
      customer: customer && {
        id: `gid://shopify/Customer/${customer.id}`,
        firstName: customer.name,
        lastName: null,
        createdAt: customer.createdAt,
        defaultEmailAddress: { emailAddress: customer.email },
        defaultPhoneNumber: { phoneNumber: customer.phone },
        metafields: pagesOf(metafields),
      },
    },
  );
}

function nodeOfProduct(product: StoreProduct): Record<string, unknown> {
  const { category } = product;
  return {
    ...product,
    id: `gid://shopify/Product/${product.id}`,
    status: product.status.toUpperCase(),
    category: category && {
      id: `gid://shopify/TaxonomyCategory/${category.id}`,
      fullName: category.names.join(' > '),
    },
    priceRangeV2: { minVariantPrice: { amount: product.price } },
    media: pagesOf([{ __typename: 'MediaImage', image: { url: product.imageUrl } }]),
  };
}

function nodeOfDiscount(id: string, coupons: readonly StoreCoupon[]): Record<string, unknown> {
  const [first] = coupons;
  const node = discountNode(
    first && {
      status: first.status.toUpperCase(),
      createdAt: first.createdAt,
      updatedAt: first.updatedAt,
      startsAt: first.startsAt,
      endsAt: first.endsAt,
      usageLimit: first.useLimit,
      appliesOncePerCustomer: first.oncePerCustomer,
    },
    coupons.map(({ code, codeId, timesUsed }) =>
      redeemCode({
        code,
        id: `gid://shopify/DiscountRedeemCode/${codeId}`,
        asyncUsageCount: timesUsed,
      }),
    ),
  );
  return { ...node, id: `gid://shopify/DiscountCodeNode/${id}` };
}

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

describeStoreContract('the Admin API', () =>
  createAdminStoreUnderTest((close) => open.push(close)),
);

describeStoreScanContract('the Admin API of the store sandbox', async () => {
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
