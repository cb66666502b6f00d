import { type Amount, readAmount } from '../../store/money.ts';

/** One line of a cart, or the product of a page. */
export interface CartLine {
  /** The product's id in the store. */
  readonly id: string;
  /** What is to be paid for one. */
  readonly price: Amount;
  readonly quantity: number;
}

/** The id of a line that stands for a purchase of that amount, of any products: for pages without a cart. */
export const ANY_PRODUCT = '0';

export const isAnyPurchase = (cart: readonly CartLine[]): boolean =>
  cart.some(({ id }) => id === ANY_PRODUCT);

export const MOST_LINES = 50;

/** `<product id>:<price>:<quantity>`, such as `8012300032771:64.90:2`. */
const LINE = /^(\d{1,19}):(\d{1,9}(?:\.\d{1,4})?):([1-9]\d{0,3})$/;

/** Undefined for what cannot be read, or is too long. */
export function readCart(text: string): readonly CartLine[] | undefined {
  const texts = text.split(',');
  if (texts.length > MOST_LINES) return undefined;
  const lines = texts.flatMap((line) => {
    const [, id = '', priceText, quantity] = LINE.exec(line) ?? [];
    const price = readAmount(priceText);
    return price === undefined ? [] : [{ id, price, quantity: Number(quantity) }];
  });
  return lines.length === texts.length ? lines : undefined;
}

/** An absent or empty text is an empty cart. */
export function readCartOrNone(text: string | undefined): readonly CartLine[] | undefined {
  return text === undefined || text === '' ? [] : readCart(text);
}
