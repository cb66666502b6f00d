import { type Amount, atLeastZero, minorDigits, multiply, share, subtract, ZERO } from './money.ts';

/** A line of an order, as sold and after edits, returns and refunds. Every source knows these fields. */
export interface SoldLine {
  readonly unitPrice: Amount;
  /** As sold, including additions by edits. */
  readonly quantity: number;
  /** The quantity left after edits, returns and refunds. */
  readonly kept: number;
  /** All discounts on the line, including its share of order discounts. */
  readonly discount: Amount;
  /** On the quantity sold. */
  readonly tax: Amount;
  /** What was removed or refunded, with the value and tax according to the store. */
  readonly takenBack: { readonly quantity: number; readonly worth: Amount; readonly tax: Amount };
}

/**
 * What the customer paid for the quantity still kept, and the taxes on it.
 *
 * The store's own figures are preferred: a discount of 1.00 on three items cannot be split evenly, and
 * only the store knows which item has the extra cent. Items that came back without a refund are in no record:
 * the rest is then shared among them and the kept ones, and rounded to the currency.
 */
export function amountKept(
  line: SoldLine,
  currency: string,
): { readonly paid: Amount; readonly tax: Amount } {
  const { quantity, kept, takenBack } = line;
  if (kept <= 0 || quantity <= 0) return { paid: ZERO, tax: ZERO };
  const keptOf = (sold: Amount, back: Amount): Amount => {
    if (kept === quantity) return atLeastZero(sold);
    const unrecorded = quantity - takenBack.quantity;
    // Fewer than are kept: the records cannot be right.
    return unrecorded < kept
      ? atLeastZero(share(sold, kept, quantity, minorDigits(currency)))
      : atLeastZero(share(subtract(sold, back), kept, unrecorded, minorDigits(currency)));
  };
  const sold = subtract(multiply(line.unitPrice, quantity), line.discount);
  return { paid: keptOf(sold, takenBack.worth), tax: keptOf(line.tax, takenBack.tax) };
}
