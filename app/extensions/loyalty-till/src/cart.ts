import type { CartProblem } from '../../../program/strings/till.ts';

/** What the extension reads of the till's cart (Shopify, "Cart API"). */
export interface TillCart {
  /** Absent: it can be changed. */
  readonly editable?: boolean | undefined;
  readonly currency: string;
  readonly customer?: { readonly id: number } | undefined;
  readonly lineItems: readonly TillLine[];
  readonly cartDiscounts: readonly Discount[];
}

interface TillLine {
  readonly productId?: number | undefined;
  readonly price?: number | undefined;
  readonly quantity: number;
  readonly discounts: readonly Discount[];
  readonly discountAllocations?:
    | readonly { readonly allocatedAmount: { readonly amount: string } }[]
    | undefined;
}

interface Discount {
  readonly discountDescription?: string | undefined;
}

export interface Sale {
  /** The customer whose details are open. */
  readonly customerId: number;
  /** The currency of the program: that of the store. */
  readonly currency: string | undefined;
}

export function cartProblem(cart: TillCart, sale: Sale): CartProblem | undefined {
  if (!cart.customer) return 'no-customer';
  if (cart.customer.id !== sale.customerId) return 'other-customer';
  if (cart.lineItems.length === 0) return 'empty-cart';
  if (sale.currency !== undefined && cart.currency !== sale.currency) return 'other-currency';
  return cart.editable === false ? 'not-editable' : undefined;
}

/** A discount of the cart or of a line: a code for one product is shown at its line. */
export function hasCode({ cartDiscounts, lineItems }: TillCart, code: string): boolean {
  const discounts = [...cartDiscounts, ...lineItems.flatMap((line) => line.discounts)];
  const wanted = code.toLowerCase();
  return discounts.some((one) => one.discountDescription?.toLowerCase() === wanted);
}

/** The function reads no more than these. */
const MOST_LINES = 50;

/**
 * `id:price:quantity,…`, the price of one piece after discounts; undefined where no line has a product
 * and a price.
 */
export function itemsOf({ lineItems }: TillCart): string | undefined {
  const items = lineItems.flatMap((line) => {
    const { productId, price, quantity, discountAllocations = [] } = line;
    if (productId === undefined || price === undefined || quantity < 1) return [];
    const off = discountAllocations.reduce(
      (sum, one) => sum + Number(one.allocatedAmount.amount),
      0,
    );
    const paid = Math.max(0, Math.round((price - off / quantity) * 100) / 100);
    return [`${productId}:${paid.toFixed(2)}:${quantity}`];
  });
  return items.length > 0 ? items.slice(0, MOST_LINES).join(',') : undefined;
}
