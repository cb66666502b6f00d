import type { VendureShop, Visitor } from './shop.ts';

const ERROR = '__typename ... on ErrorResult { errorCode message }';
/** The token of the other channel. */
const ABROAD = 'abroad-token';
const REASON = 'as the customer wished';

interface Ids {
  readonly items: readonly { readonly id: string }[];
}

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
export function openMerchant(shop: VendureShop) {
  const variants = new Map<string, string>();

  const merchant = {
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
      await change('updateChannel', 'UpdateChannelInput', input);
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
      const product = await create('createProduct', 'CreateProductInput', {
        enabled: true,
        translations: [named],
      });
      const skus = Object.entries(prices);
      let optionIds: readonly (readonly string[])[] = skus.map(() => []);
      if (skus.length > 1) {
        const group = await create('createProductOptionGroup', 'CreateProductOptionGroupInput', {
          code: `${named.slug}-size`,
          translations: [{ languageCode: 'en', name: 'size' }],
          options: skus.map(([sku]) => ({
            code: sku.toLowerCase(),
            translations: [{ languageCode: 'en', name: sku }],
          })),
        });
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

    /** Nothing of it can be bought. */
    addEmptyProduct: (name: string) =>
      create('createProduct', 'CreateProductInput', {
        translations: [{ languageCode: 'en', name, slug: '', description: '' }],
      }),

    variantId: (sku: string): string => variants.get(sku) ?? '',

    async setPrice(sku: string, price: number): Promise<void> {
      const input = [{ id: variants.get(sku), price }];
      await shop.admin(
        'mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }',
        { input },
      );
    },

    changeProduct: (id: string, changes: object) =>
      change('updateProduct', 'UpdateProductInput', { id, ...changes }),

    deleteProduct: (id: string) => remove('deleteProduct', id),

    /** A percentage off the order, or an amount of cents. */
    addPromotion: (couponCode: string, worth: { percent: number } | { cents: number }) =>
      create('createPromotion', 'CreatePromotionInput', {
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

    changePromotion: (id: string, changes: object) =>
      change('updatePromotion', 'UpdatePromotionInput', { id, ...changes }),

    deletePromotion: (id: string) => remove('deletePromotion', id),

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

    customerId: async (emailAddress: string): Promise<string> => {
      const options = { filter: { emailAddress: { eq: emailAddress } } };
      const { customers } = await shop.admin<{ customers: { items: { id: string }[] } }>(
        'query ($options: CustomerListOptions) { customers(options: $options) { items { id } } }',
        { options },
      );
      return customers.items[0]?.id ?? '';
    },

    changeCustomer: (id: string, changes: object) =>
      change('updateCustomer', 'UpdateCustomerInput', { id, ...changes }),

    deleteCustomer: (id: string) => remove('deleteCustomer', id),

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
      return merchant.order(placed.id);
    },

    /** In a channel of another currency, which has its own price of the variant. */
    async buyAbroad(guest: Person, sku: string, price: number): Promise<PlacedOrder> {
      const variantId = variants.get(sku);
      const { zones, shippingMethods, paymentMethods, productVariant } = await shop.admin<{
        zones: Ids;
        shippingMethods: Ids;
        paymentMethods: Ids;
        productVariant: { product: { id: string } };
      }>(
        `query ($id: ID!) { zones { items { id } } shippingMethods { items { id } }
          paymentMethods { items { id } } productVariant(id: $id) { product { id } } }`,
        { id: variantId },
      );
      const zone = zones.items[0]?.id;
      const channelId = await create('createChannel', 'CreateChannelInput', {
        code: 'abroad',
        token: ABROAD,
        defaultLanguageCode: 'en',
        pricesIncludeTax: true,
        defaultCurrencyCode: 'USD',
        availableCurrencyCodes: ['USD'],
        defaultTaxZoneId: zone,
        defaultShippingZoneId: zone,
      });
      const idsOf = ({ items }: Ids) => items.map(({ id }) => id);
      await shop.admin(
        `mutation ($products: AssignProductsToChannelInput!, $shipping: AssignShippingMethodsToChannelInput!,
          $payment: AssignPaymentMethodsToChannelInput!) {
          assignProductsToChannel(input: $products) { id }
          assignShippingMethodsToChannel(input: $shipping) { id }
          assignPaymentMethodsToChannel(input: $payment) { id } }`,
        {
          products: { channelId, productIds: [productVariant.product.id] },
          shipping: { channelId, shippingMethodIds: idsOf(shippingMethods) },
          payment: { channelId, paymentMethodIds: idsOf(paymentMethods) },
        },
      );
      const input = [{ id: variantId, prices: [{ currencyCode: 'USD', price }] }];
      await shop.admin(
        'mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }',
        { input },
        ABROAD,
      );
      return merchant.buy(shop.visit(ABROAD), { goods: { [sku]: 1 } }, guest);
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
      const all = (await merchant.order(id)).lines.filter(({ quantity }) => quantity > 0);
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
      const fulfillment = await create('addFulfillmentToOrder', 'FulfillOrderInput', input);
      for (const state of until === 'Delivered' ? ['Shipped', 'Delivered'] : ['Shipped']) {
        await shop.admin(
          `mutation ($id: ID!, $state: String!) { transitionFulfillmentToState(id: $id, state: $state) { ${ERROR} } }`,
          { id: fulfillment, state },
        );
      }
    },

    async settle(id: string): Promise<void> {
      const { payments } = await merchant.order(id);
      for (const { id: payment } of payments.filter(({ state }) => state === 'Authorized')) {
        await shop.admin(`mutation ($id: ID!) { settlePayment(id: $id) { ${ERROR} } }`, {
          id: payment,
        });
      }
    },

    /** Of the first payment. Without lines, `amount` is what goes back. */
    async refund(
      id: string,
      refund: { lines?: readonly Line[]; shipping?: number; adjustment?: number; amount?: number },
    ): Promise<string> {
      const [payment] = (await merchant.order(id)).payments;
      const nothing = { lines: [], shipping: 0, adjustment: 0 };
      return create('refundOrder', 'RefundOrderInput', {
        paymentId: payment?.id,
        reason: REASON,
        ...nothing,
        ...refund,
      });
    },

    settleRefund: (id: string) =>
      change('settleRefund', 'SettleRefundInput', { id, transactionId: 'back' }),

    /** Takes goods out with their money, or adds what is then paid. Default: back to the state before. */
    async modify(
      id: string,
      changes: object,
      money: 'refund' | 'pay',
      then?: string,
    ): Promise<void> {
      const before = await merchant.order(id);
      await transition(id, 'Modifying');
      await change('modifyOrder', 'ModifyOrderInput', {
        orderId: id,
        dryRun: false,
        options: { recalculateShipping: false },
        ...(money === 'refund' && {
          refund: { paymentId: before.payments[0]?.id, reason: REASON },
        }),
        ...changes,
      });
      if (money === 'pay') {
        await transition(id, 'ArrangingAdditionalPayment');
        const input = { orderId: id, method: 'transfer', transactionId: 'more', metadata: {} };
        await change('addManualPaymentToOrder', 'ManualPaymentInput', input);
      }
      await transition(id, then ?? before.state);
    },

    /** Default: all of it. */
    cancel: (id: string, lines?: readonly Line[]) =>
      change('cancelOrder', 'CancelOrderInput', {
        orderId: id,
        reason: REASON,
        ...(lines ? { lines } : { cancelShipping: true }),
      }),
  };

  return merchant;

  async function transition(id: string, state: string): Promise<void> {
    await shop.admin(
      `mutation ($id: ID!, $state: String!) { transitionOrderToState(id: $id, state: $state) { ${ERROR} } }`,
      { id, state },
    );
  }

  async function change(name: string, type: string, input: object): Promise<void> {
    await shop.admin(
      `mutation ($input: ${type}!) { ${name}(input: $input) { ${hasErrors(name) ? ERROR : '__typename'} } }`,
      { input },
    );
  }

  async function create(name: string, type: string, input: object): Promise<string> {
    const data = await shop.admin<Record<string, { readonly id: string }>>(
      `mutation ($input: ${type}!) { ${name}(input: $input) { ${idOf(name)} } }`,
      { input },
    );
    return data[name]?.id ?? '';
  }

  async function remove(name: string, id: string): Promise<void> {
    await shop.admin(`mutation ($id: ID!) { ${name}(id: $id) { result message } }`, { id });
  }
}

export type Merchant = ReturnType<typeof openMerchant>;

const action = (code: string, discount: number) => ({
  code,
  arguments: [{ name: 'discount', value: String(discount) }],
});

/** The others answer with the thing itself, and fail as a whole. */
const hasErrors = (name: string): boolean => name !== 'updateProduct';

/** What the answer is besides an error, for those that may answer with one. */
const RESULTS: Readonly<Record<string, string>> = {
  createPromotion: 'Promotion',
  createChannel: 'Channel',
  addFulfillmentToOrder: 'Fulfillment',
  refundOrder: 'Refund',
};

function idOf(name: string): string {
  const type = RESULTS[name];
  return type ? `${ERROR} ... on ${type} { id }` : 'id';
}
