export type NotUsed =
  | 'empty-cart'
  | 'below-minimum'
  | 'product-missing'
  | 'other-customer'
  | 'not-logged-in'
  | 'not-cumulative'
  | 'already-used'
  | 'code-gone'
  /** The cart does not say why. */
  | 'cart-conditions'
  | 'network';

export type Used =
  /** `off`: what came off, in `currency`; not above 0 where the cart does not show it, as for shipping. */
  | { readonly kind: 'used'; readonly off: number; readonly currency: string }
  | { readonly kind: 'not-used'; readonly why: NotUsed };

/** Warnings of the cart. Shopify's page "CartWarningCode" (Storefront API, enums) has no others about discounts. */
const REASONS: Readonly<Record<string, NotUsed>> = {
  DISCOUNT_PURCHASE_NOT_IN_RANGE: 'below-minimum',
  DISCOUNT_QUANTITY_NOT_IN_RANGE: 'below-minimum',
  DISCOUNT_NO_ENTITLED_LINE_ITEMS: 'product-missing',
  DISCOUNT_CUSTOMER_NOT_ELIGIBLE: 'other-customer',
  DISCOUNT_ELIGIBLE_CUSTOMER_MISSING: 'not-logged-in',
  DISCOUNT_CUSTOMER_USAGE_LIMIT_REACHED: 'already-used',
  DISCOUNT_USAGE_LIMIT_REACHED: 'already-used',
  DISCOUNT_NOT_FOUND: 'code-gone',
  DISCOUNT_CURRENTLY_INACTIVE: 'code-gone',
};

/** "Cannot be honored": beside other codes that is the reason. */
const NOT_HONOURED = 'DISCOUNT_CODE_NOT_HONOURED';

/** Puts a code into the cart of this browser, beside those that are in it. Never throws. */
export async function useInCart(code: string, shopify = pageOf(globalThis)): Promise<Used> {
  const notUsed = (why: NotUsed): Used => ({ kind: 'not-used', why });
  try {
    const cart = shopify?.actions?.updateCart
      ? throughActions(shopify.actions)
      : throughCartApi(shopify?.routes?.root ?? '/');
    const before = await cart.read();
    if (before.count === 0) return notUsed('empty-cart');
    const isOwn = (one: CartCode) => one.code.toLowerCase() === code.toLowerCase();
    // Both ways replace the codes of the cart by those that are sent.
    const others = before.codes.filter((one) => one.applicable && !isOwn(one));
    const after = await cart.write([...others, { code }].map((one) => one.code));
    const own = after.codes.find(isOwn);
    if (own ? own.applicable : after.total < before.total) {
      const { total, currency } = after;
      return { kind: 'used', off: before.total - total, currency };
    }
    const [why] = after.warnings.flatMap((name) => REASONS[name] ?? []);
    if (why) return notUsed(why);
    const isBesideOthers = others.length > 0 && after.warnings.includes(NOT_HONOURED);
    return notUsed(isBesideOthers ? 'not-cumulative' : 'cart-conditions');
  } catch {
    return notUsed('network');
  }
}

interface CartCode {
  readonly code: string;
  readonly applicable: boolean;
}

interface CartState {
  readonly count: number;
  readonly codes: readonly CartCode[];
  readonly total: number;
  readonly currency: string;
  readonly warnings: readonly string[];
}

interface BrowserCart {
  read(): Promise<CartState>;
  /** `codes`: all that the cart shall have. */
  write(codes: readonly string[]): Promise<CartState>;
}

/** What a store's pages have of Shopify. */
export interface ShopifyPage {
  readonly actions?: Actions;
  readonly routes?: { readonly root?: string };
}

const pageOf = (page: object): ShopifyPage | undefined =>
  (page as { readonly Shopify?: ShopifyPage }).Shopify;

/** Shopify's pages "getCart" and "updateCart" (Storefront events and actions): the theme redraws its cart by itself. */
interface Actions {
  getCart(payload: undefined, options: Options): Promise<ActionResult>;
  updateCart(
    payload: { discountCodes: readonly string[] },
    options: Options,
  ): Promise<ActionResult>;
}

interface Options {
  readonly signal: AbortSignal;
}

interface ActionResult {
  /** Null: the visitor has none yet. */
  readonly cart: {
    readonly totalQuantity: number;
    readonly cost: {
      readonly totalAmount: { readonly amount: string | number; readonly currencyCode: string };
    };
    readonly discountCodes: readonly CartCode[];
  } | null;
  readonly warnings?: readonly { readonly code: string }[];
}

/** A cart that does not answer must not block the button for ever. */
const inTime = (): Options => ({ signal: AbortSignal.timeout(20_000) });

function throughActions({ getCart, updateCart }: Actions): BrowserCart {
  const stateOf = ({ cart, warnings = [] }: ActionResult): CartState => ({
    count: cart?.totalQuantity ?? 0,
    codes: cart?.discountCodes ?? [],
    total: Number(cart?.cost.totalAmount.amount),
    currency: cart?.cost.totalAmount.currencyCode ?? '',
    warnings: warnings.map(({ code }) => code),
  });
  return {
    read: async () => stateOf(await getCart(undefined, inTime())),
    write: async (discountCodes) => stateOf(await updateCart({ discountCodes }, inTime())),
  };
}

/** Shopify's page "Cart API reference": `discount` replaces the codes. The answer gives no reasons. */
function throughCartApi(root: string): BrowserCart {
  const ask = async (path: string, body?: object): Promise<CartState> => {
    const response = await fetch(`${root}${path}`, {
      ...inTime(),
      headers: { 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const cart = (await response.json()) as CartApiAnswer;
    // Of a cart that does not show its codes, ours would remove them.
    if (!response.ok || !(body || cart.discount_codes)) throw cart;
    return {
      count: cart.item_count,
      codes: cart.discount_codes ?? [],
      // Hundredths, in currencies without decimals too.
      total: cart.total_price / 100,
      currency: cart.currency,
      warnings: [],
    };
  };
  return {
    read: () => ask('cart.js'),
    write: (codes) => ask('cart/update.js', { discount: codes.join() }),
  };
}

interface CartApiAnswer {
  readonly item_count: number;
  readonly total_price: number;
  readonly currency: string;
  /** Missing in what older pages of Shopify show. */
  readonly discount_codes?: readonly CartCode[];
}
