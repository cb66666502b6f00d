import { createAdminStore } from '../../shared/shopify/admin/admin-store.ts';
import type { StoreCoupon, StoreOrder, StoreProduct } from '../../shared/store/store-entities.ts';
import type { StoreUnderTest } from '../contract/store-contract.ts';
import { discountNode, redeemCode, rootWithDiscounts } from '../fixtures/discount-node.ts';
import { orderNode } from '../fixtures/order-node.ts';
import { simpleOrder } from '../fixtures/order-spec.ts';
import { type AdminServer, pagesOf, startAdminServer } from './admin-execution.ts';

/** The Admin API over HTTP, one server per shop, with the data of the contract suite. */
export async function createAdminStoreUnderTest(
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
