/** ISO 4217: the currencies whose smallest unit is not a hundredth. */
const WHOLE_UNITS = /^(?:BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|UYI|VND|VUV|XAF|XOF|XPF)$/;
const THOUSANDTHS = /^(?:BHD|IQD|JOD|KWD|LYD|OMR|TND)$/;

/** How many digits after the point an amount of this currency can have. */
export function minorDigits(currency: string): number {
  if (WHOLE_UNITS.test(currency)) return 0;
  return THOUSANDTHS.test(currency) ? 3 : 2;
}
