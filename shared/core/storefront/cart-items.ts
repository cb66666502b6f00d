import { type Amount, multiply, readAmount, sum } from '../../store/money.ts';

/** One product of a page or a cart, with what is to be paid for all of it. */
export interface CartItem {
  readonly id: string;
  readonly price: Amount;
}

export const MOST_ITEMS = 50;

/** `<product id>:<price>:<quantity>`, such as `8012300032771:64.90:2`. */
const ITEM = /^(\d{1,19}):(\d{1,9}(?:\.\d{1,4})?):([1-9]\d{0,3})$/;

/**
 * The lines of a cart by product, because that is how an order tells them: lines of one product
 * are summed. Undefined for what cannot be read, or is too much.
 */
export function readCartItems(text: string): readonly CartItem[] | undefined {
  const lines = text.split(',');
  if (lines.length > MOST_ITEMS) return undefined;
  const prices = new Map<string, Amount>();
  for (const line of lines) {
    const [, id = '', priceText, quantity] = ITEM.exec(line) ?? [];
    const price = readAmount(priceText);
    if (price === undefined) return undefined;
    const whole = multiply(price, Number(quantity));
    const known = prices.get(id);
    prices.set(id, known === undefined ? whole : sum([known, whole]));
  }
  return [...prices].map(([id, price]) => ({ id, price }));
}
