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
  /** What was removed or refunded, with the value according to the store. */
  readonly takenBack: { readonly quantity: number; readonly worth: Amount };
}

/**
 * What the customer paid for the quantity still kept.
 *
 * The store's own figures are preferred: a discount of 1.00 on three items cannot be split evenly, and
 * only the store knows which item has the extra cent. If its records do not cover exactly the missing
 * items, the kept share is computed and rounded to the currency.
 */
export function amountKept(line: SoldLine, currency: string): Amount {
  if (line.kept <= 0 || line.quantity <= 0) return ZERO;
  const paid = subtract(multiply(line.unitPrice, line.quantity), line.discount);
  if (line.kept === line.quantity) return atLeastZero(paid);

  if (line.takenBack.quantity === line.quantity - line.kept) {
    return atLeastZero(subtract(paid, line.takenBack.worth));
  }
  return atLeastZero(share(paid, line.kept, line.quantity, minorDigits(currency)));
}
