const SHOP_CURRENCY = 'query { shop { paymentSettings { currencyCode } } }';

interface ShopAnswer {
  readonly shop: { readonly paymentSettings: { readonly currencyCode: string } };
}

/** Shopify's access of an extension to the Storefront API: the capability `api_access`. */
interface StorefrontQuery {
  query<T>(text: string): Promise<{ readonly data?: T }>;
}

/**
 * The store's own currency, which is the program's: an order's page has that of its customer, other pages of an account
 * have none. Undefined where the store does not say it; amounts then have no currency.
 */
export async function readShopCurrency(shopify: StorefrontQuery): Promise<string | undefined> {
  try {
    const { data } = await shopify.query<ShopAnswer>(SHOP_CURRENCY);
    return data?.shop.paymentSettings.currencyCode;
  } catch {
    return undefined;
  }
}
