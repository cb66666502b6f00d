/**
 * What the ledger remembers is a text: the letter of its kind, the version of its form, and JSON, so that a later
 * release recognizes an older form.
 */
const LETTERS = {
  order: 'o',
  product: 'p',
  coupon: 'c',
  member: 'm',
  customer: 'b',
  merge: 'k',
  redemption: 'r',
  cursor: 's',
  control: 'w',
  parked: 'd',
  waiting: 'a',
  letter: 'l',
} as const;

export interface RememberedForm<Value> {
  write(value: Value): string;
  /** Undefined for what another release wrote or redaction erased: callers must work without it. */
  read(remembered: string | undefined): Value | undefined;
}

export function rememberedForm<Value>(
  kind: keyof typeof LETTERS,
  version: number,
): RememberedForm<Value> {
  const form = `${LETTERS[kind]}${version}`;
  return {
    write: (value) => `${form}${JSON.stringify(value)}`,
    read(remembered) {
      if (!remembered?.startsWith(form)) return undefined;
      try {
        return JSON.parse(remembered.slice(form.length)) as Value;
      } catch {
        return undefined;
      }
    },
  };
}
