/**
 * What the loyalty service holds of an order: the one record of it, which is part of the order's ledger entry. It is
 * written before each call that changes an amount, so the service never holds one that the ledger does not know.
 * Without a record nothing is known, which is not the same as never sent: the ledger may have been lost.
 *
 * Amounts are in thousandths: the smallest unit of every currency is a whole number of them. The record is bounded: it
 * has the sum of what was taken, and the keys of partial cancels follow from that sum.
 * See docs/decisions/0014-what-is-taken-is-named-by-its-sum.md.
 */
export interface ServiceOrder {
  /** Its id there, where another integration sent it under another one than the store's. */
  readonly id?: string;
  readonly placedAt?: string;
  /** Undefined while it is pending there: then nothing of it counts yet. */
  readonly completedAt?: string;
  /** What it was told last, before anything was taken from it. */
  readonly total: number;
  /** Empty for a pending order, and for one with more products than the ledger can keep. */
  readonly products: readonly SentProduct[];
  /** Hash of the other fields; undefined where they are not known. */
  readonly rest?: string;
  /** The sum that is taken: partial cancels that were accepted, or whose keys turned out to be used. It only grows. */
  readonly taken: number;
  /** A partial cancel that was begun and is not recorded as done. */
  readonly step?: CancelStep;
  /**
   * Of an order that another integration sent: what its total is more than ours at the takeover, or less. Only later
   * differences count.
   */
  readonly theirs?: number;
  /** It was cancelled, which is final. */
  readonly ended?: true;
}

/** `taken` is the part of the price that partial cancels named for this product. */
type SentProduct = readonly [id: string, price: number, taken: number];

export interface CancelStep {
  /** What is taken in sum once it is done: names its key. */
  readonly sum: number;
  readonly value: number;
  /** Empty: the parts are not known by product. */
  readonly products: readonly (readonly [id: string, value: number])[];
  /**
   * How much was taken before is not known: sums are tried from this one down, until a key turns out to be used. Then
   * all of it is taken.
   */
  readonly searchedFrom?: number;
}

export const cancelKey = (id: string, { sum }: CancelStep): string => `${id}-${sum}`;

/** What the order counts there; undefined where it does not count yet. */
export function countsOf({ completedAt, total, taken, ended }: ServiceOrder): number | undefined {
  if (ended) return 0;
  return completedAt === undefined ? undefined : total - taken;
}

/** What a completed order counts by our own rules, as it was told last. */
export const ownCount = ({ total, taken, theirs = 0 }: ServiceOrder): number =>
  total - taken - theirs;

export const toThousandths = (amount: number | null | undefined): number =>
  Math.round((amount ?? 0) * 1000);

export const fromThousandths = (amount: number): number => amount / 1000;

/** Undefined for what is not the form of this release. */
export function readServiceOrder(value: unknown): ServiceOrder | undefined {
  const record = (value ?? {}) as Partial<ServiceOrder>;
  const { id, placedAt, completedAt, total, products, rest, taken, step, theirs = 0 } = record;
  const isRead =
    [id, placedAt, completedAt, rest].every((text) => text === undefined || isText(text)) &&
    [total, taken, theirs].every(isWhole) &&
    isList(products, 3) &&
    (step === undefined || isStep(step));
  return isRead ? (value as ServiceOrder) : undefined;
}

function isStep({ sum, value, products, searchedFrom = 0 }: Partial<CancelStep>): boolean {
  return [sum, value, searchedFrom].every(isWhole) && isList(products, 2);
}

function isList(value: unknown, size: number): boolean {
  const isRow = (row: unknown) =>
    Array.isArray(row) && row.length === size && row.every((cell, i) => i === 0 || isWhole(cell));
  return Array.isArray(value) && value.every(isRow);
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
