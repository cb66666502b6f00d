import { ERROR, type VendureShop, type Visitor } from './shop.ts';

const REASON = 'as the customer wished';

export interface Line {
  readonly orderLineId: string;
  readonly quantity: number;
}

export interface PlacedOrder {
  readonly id: string;
  readonly state: string;
  readonly totalWithTax: number;
  readonly lines: readonly {
    readonly id: string;
    readonly quantity: number;
    readonly sku: string;
  }[];
  readonly payments: readonly {
    readonly id: string;
    readonly amount: number;
    readonly state: string;
  }[];
}

export interface Basket {
  /** By the variant's SKU. */
  readonly goods: Readonly<Record<string, number>>;
  readonly coupons?: readonly string[];
  /** Default: card, whose refunds are settled at once. Refunds of a transfer stay pending. An invoice is only authorized. */
  readonly pay?: 'card' | 'transfer' | 'invoice';
}

export interface Person {
  readonly emailAddress: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly phoneNumber?: string;
}

/** What people do in a shop, each through the API that its pages use. */
export function openShopkeeper(shop: VendureShop) {
  const variants = new Map<string, string>();

  const shopkeeper = {
    /** Euros, and prices that include the taxes. */
    async setUp(): Promise<void> {
      const { channels } = await shop.admin<{ channels: { items: { id: string }[] } }>(
        '{ channels { items { id } } }',
      );
      const input = {
        id: channels.items[0]?.id,
        pricesIncludeTax: true,
        defaultCurrencyCode: 'EUR',
        availableCurrencyCodes: ['EUR'],
      };
      await shop.change('updateChannel', 'UpdateChannelInput', input);
    },

    /** A product with a variant for each SKU, at its price with taxes. */
    async addProduct(
      name: string,
      prices: Readonly<Record<string, number>>,
      tax: 'Standard' | 'Reduced' = 'Standard',
    ): Promise<string> {
      const { taxCategories } = await shop.admin<{
        taxCategories: { items: { id: string; name: string }[] };
      }>('{ taxCategories { items { id name } } }');
      const taxCategoryId = taxCategories.items.find((one) => one.name.startsWith(tax))?.id;
      const named = { languageCode: 'en', name, slug: name.toLowerCase(), description: '' };
      const product = await shop.create('createProduct', 'CreateProductInput', {
        enabled: true,
        translations: [named],
      });
      const skus = Object.entries(prices);
      let optionIds: readonly (readonly string[])[] = skus.map(() => []);
      if (skus.length > 1) {
        const group = await shop.create(
          'createProductOptionGroup',
          'CreateProductOptionGroupInput',
          {
            code: `${named.slug}-size`,
            translations: [{ languageCode: 'en', name: 'size' }],
            options: skus.map(([sku]) => ({
              code: sku.toLowerCase(),
              translations: [{ languageCode: 'en', name: sku }],
            })),
          },
        );
        const ids = { productId: product, optionGroupId: group };
        await shop.admin(
          'mutation ($productId: ID!, $optionGroupId: ID!) { addOptionGroupToProduct(productId: $productId, optionGroupId: $optionGroupId) { id } }',
          ids,
        );
        const { productOptionGroup } = await shop.admin<{
          productOptionGroup: { options: { id: string }[] };
        }>('query ($id: ID!) { productOptionGroup(id: $id) { options { id } } }', { id: group });
        optionIds = productOptionGroup.options.map(({ id }) => [id]);
      }
      const input = skus.map(([sku, price], index) => ({
        productId: product,
        sku,
        price,
        taxCategoryId,
        trackInventory: 'FALSE',
        optionIds: optionIds[index],
        translations: [{ languageCode: 'en', name: `${name} ${sku}` }],
      }));
      const { createProductVariants } = await shop.admin<{
        createProductVariants: { id: string; sku: string }[];
      }>(
        'mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id sku } }',
        { input },
      );
      for (const { id, sku } of createProductVariants) variants.set(sku, id);
      return product;
    },

    variantId: (sku: string): string => variants.get(sku) ?? '',

    /** A percentage off the order, or an amount of cents. */
    addPromotion: (couponCode: string, worth: { percent: number } | { cents: number }) =>
      shop.create('createPromotion', 'CreatePromotionInput', {
        enabled: true,
        couponCode,
        conditions: [],
        actions: [
          'percent' in worth
            ? action('order_percentage_discount', worth.percent)
            : action('order_fixed_discount', worth.cents),
        ],
        translations: [{ languageCode: 'en', name: couponCode }],
      }),

    async register(person: Person): Promise<Visitor> {
      const visitor = shop.visit();
      const password = 'a long password';
      await visitor(
        `mutation ($input: RegisterCustomerInput!) { registerCustomerAccount(input: $input) { ${ERROR} } }`,
        { input: { ...person, password } },
      );
      await visitor(
        `mutation ($username: String!, $password: String!) { login(username: $username, password: $password) { ${ERROR} } }`,
        { username: person.emailAddress, password },
      );
      return visitor;
    },

    /** A whole checkout. A guest gives their name. */
    async buy(visitor: Visitor, basket: Basket, guest?: Person): Promise<PlacedOrder> {
      const { goods, coupons = [], pay = 'card' } = basket;
      for (const [sku, quantity] of Object.entries(goods)) {
        await visitor(
          `mutation ($id: ID!, $quantity: Int!) { addItemToOrder(productVariantId: $id, quantity: $quantity) { ${ERROR} } }`,
          { id: variants.get(sku), quantity },
        );
      }
      for (const code of coupons) {
        await visitor(
          `mutation ($code: String!) { applyCouponCode(couponCode: $code) { ${ERROR} } }`,
          { code },
        );
      }
      if (guest) {
        await visitor(
          `mutation ($input: CreateCustomerInput!) { setCustomerForOrder(input: $input) { ${ERROR} } }`,
          { input: guest },
        );
      }
      const input = {
        fullName: 'A Person',
        streetLine1: '1 Road',
        city: 'Berlin',
        postalCode: '10115',
        countryCode: 'DE',
      };
      await visitor(
        `mutation ($input: CreateAddressInput!) { setOrderShippingAddress(input: $input) { ${ERROR} } }`,
        { input },
      );
      const { eligibleShippingMethods } = await visitor<{
        eligibleShippingMethods: { id: string }[];
      }>('{ eligibleShippingMethods { id } }');
      await visitor(
        `mutation ($ids: [ID!]!) { setOrderShippingMethod(shippingMethodId: $ids) { ${ERROR} } }`,
        { ids: eligibleShippingMethods.map(({ id }) => id).slice(0, 1) },
      );
      await visitor(`mutation { transitionOrderToState(state: "ArrangingPayment") { ${ERROR} } }`);
      const { addPaymentToOrder: placed } = await visitor<{ addPaymentToOrder: { id: string } }>(
        `mutation ($input: PaymentInput!) { addPaymentToOrder(input: $input) { ${ERROR} ... on Order { id } } }`,
        { input: { method: pay, metadata: {} } },
      );
      return shopkeeper.order(placed.id);
    },

    async order(id: string): Promise<PlacedOrder> {
      const { order } = await shop.admin<{
        order: Omit<PlacedOrder, 'lines'> & {
          lines: { id: string; quantity: number; productVariant: { sku: string } }[];
        };
      }>(
        `query ($id: ID!) { order(id: $id) { id state totalWithTax
          lines { id quantity productVariant { sku } } payments { id amount state } } }`,
        { id },
      );
      const lines = order.lines.map(({ productVariant, ...line }) => ({
        ...line,
        sku: productVariant.sku,
      }));
      return { ...order, lines };
    },

    /** Default: all of it. */
    async ship(id: string, lines?: readonly Line[], until = 'Shipped'): Promise<void> {
      const all = (await shopkeeper.order(id)).lines.filter(({ quantity }) => quantity > 0);
      const input = {
        lines: lines ?? all.map(({ id: orderLineId, quantity }) => ({ orderLineId, quantity })),
        handler: {
          code: 'manual-fulfillment',
          arguments: [
            { name: 'method', value: 'parcel' },
            { name: 'trackingCode', value: '1' },
          ],
        },
      };
      const fulfillment = await shop.create('addFulfillmentToOrder', 'FulfillOrderInput', input);
      for (const state of until === 'Delivered' ? ['Shipped', 'Delivered'] : ['Shipped']) {
        await shop.admin(
          `mutation ($id: ID!, $state: String!) { transitionFulfillmentToState(id: $id, state: $state) { ${ERROR} } }`,
          { id: fulfillment, state },
        );
      }
    },

    /** Of the first payment. Without lines, `amount` is what goes back. */
    async refund(
      id: string,
      refund: { lines?: readonly Line[]; shipping?: number; adjustment?: number; amount?: number },
    ): Promise<string> {
      const [payment] = (await shopkeeper.order(id)).payments;
      const nothing = { lines: [], shipping: 0, adjustment: 0 };
      return shop.create('refundOrder', 'RefundOrderInput', {
        paymentId: payment?.id,
        reason: REASON,
        ...nothing,
        ...refund,
      });
    },
  };

  return shopkeeper;
}

const action = (code: string, discount: number) => ({
  code,
  arguments: [{ name: 'discount', value: String(discount) }],
});
