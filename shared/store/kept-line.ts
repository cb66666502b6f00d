import { minorDigits } from './currency.ts';
import { type Amount, atLeastZero, multiply, share, subtract, ZERO } from './money.ts';

/** A line of an order as every source can tell it: as sold, and what became of it. */
export interface SoldLine {
  readonly unitPrice: Amount;
  /** As sold, additions by edits included. */
  readonly quantity: number;
  /** What edits, returns and refunds have left. */
  readonly kept: number;
  /** Every discount on the line, its share of order discounts included. */
  readonly discount: Amount;
  /** What was taken back, with the worth the store itself gave it. */
  readonly takenBack: { readonly quantity: number; readonly worth: Amount };
}

/**
 * What the customer paid for the quantity still kept.
 *
 * The store's own figures come first: a discount of 1.00 on three pieces cannot be split evenly, and
 * only the store knows which piece bore the odd cent. Where its records do not account for exactly
 * the missing pieces, the kept share is worked out and rounded to the currency.
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
