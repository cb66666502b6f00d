import { ERROR, type VendureShop } from '../../local/vendure-engine/shop.ts';
import {
  type Line,
  openShopkeeper,
  type Person,
  type PlacedOrder,
} from '../../local/vendure-engine/shopkeeper.ts';

/** The token of the other channel. */
const ABROAD = 'abroad-token';
const REASON = 'as the customer wished';

interface Ids {
  readonly items: readonly { readonly id: string }[];
}

/** What else people do in a shop. */
export function openMerchant(shop: VendureShop) {
  const shopkeeper = openShopkeeper(shop);
  const { variantId } = shopkeeper;

  const merchant = {
    ...shopkeeper,

    /** Nothing of it can be bought. */
    addEmptyProduct: (name: string) =>
      shop.create('createProduct', 'CreateProductInput', {
        translations: [{ languageCode: 'en', name, slug: '', description: '' }],
      }),

    async setPrice(sku: string, price: number): Promise<void> {
      const input = [{ id: variantId(sku), price }];
      await shop.admin(
        'mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }',
        { input },
      );
    },

    changeProduct: (id: string, changes: object) =>
      shop.change('updateProduct', 'UpdateProductInput', { id, ...changes }),

    deleteProduct: (id: string) => remove('deleteProduct', id),

    changePromotion: (id: string, changes: object) =>
      shop.change('updatePromotion', 'UpdatePromotionInput', { id, ...changes }),

    deletePromotion: (id: string) => remove('deletePromotion', id),

    customerId: async (emailAddress: string): Promise<string> => {
      const options = { filter: { emailAddress: { eq: emailAddress } } };
      const { customers } = await shop.admin<{ customers: { items: { id: string }[] } }>(
        'query ($options: CustomerListOptions) { customers(options: $options) { items { id } } }',
        { options },
      );
      return customers.items[0]?.id ?? '';
    },

    changeCustomer: (id: string, changes: object) =>
      shop.change('updateCustomer', 'UpdateCustomerInput', { id, ...changes }),

    deleteCustomer: (id: string) => remove('deleteCustomer', id),

    /** In a channel of another currency, which has its own price of the variant. */
    async buyAbroad(guest: Person, sku: string, price: number): Promise<PlacedOrder> {
      const id = variantId(sku);
      const { zones, shippingMethods, paymentMethods, productVariant } = await shop.admin<{
        zones: Ids;
        shippingMethods: Ids;
        paymentMethods: Ids;
        productVariant: { product: { id: string } };
      }>(
        `query ($id: ID!) { zones { items { id } } shippingMethods { items { id } }
          paymentMethods { items { id } } productVariant(id: $id) { product { id } } }`,
        { id },
      );
      const zone = zones.items[0]?.id;
      const channelId = await shop.create('createChannel', 'CreateChannelInput', {
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
      const input = [{ id, prices: [{ currencyCode: 'USD', price }] }];
      await shop.admin(
        'mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }',
        { input },
        ABROAD,
      );
      return merchant.buy(shop.visit(ABROAD), { goods: { [sku]: 1 } }, guest);
    },

    async settle(id: string): Promise<void> {
      const { payments } = await merchant.order(id);
      for (const { id: payment } of payments.filter(({ state }) => state === 'Authorized')) {
        await shop.admin(`mutation ($id: ID!) { settlePayment(id: $id) { ${ERROR} } }`, {
          id: payment,
        });
      }
    },

    settleRefund: (id: string) =>
      shop.change('settleRefund', 'SettleRefundInput', { id, transactionId: 'back' }),

    /** Takes goods out with their money, or adds what is then paid. Default: back to the state before. */
    async modify(
      id: string,
      changes: object,
      money: 'refund' | 'pay',
      then?: string,
      method = 'transfer',
    ): Promise<void> {
      const before = await merchant.order(id);
      await transition(id, 'Modifying');
      await shop.change('modifyOrder', 'ModifyOrderInput', {
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
        const input = { orderId: id, method, transactionId: 'more', metadata: {} };
        await shop.change('addManualPaymentToOrder', 'ManualPaymentInput', input);
      }
      await transition(id, then ?? before.state);
    },

    /** Default: all of it. */
    cancel: (id: string, lines?: readonly Line[]) =>
      shop.change('cancelOrder', 'CancelOrderInput', {
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

  async function remove(name: string, id: string): Promise<void> {
    await shop.admin(`mutation ($id: ID!) { ${name}(id: $id) { result message } }`, { id });
  }
}

export type Merchant = ReturnType<typeof openMerchant>;
