/**
 * What the loyalty service was given for an order that was sent as completed. It is written before
 * each call that changes it, so the service never holds an amount that the ledger does not know.
 *
 * Amounts are in thousandths: the smallest unit of every currency is a whole number of them.
 * See docs/decisions/0014-each-refund-is-a-partial-cancel-with-its-own-key.md.
 */
export interface SentAmounts {
  /** What was sent last, before anything was taken from it. */
  readonly sent: SentOrder;
  /** The sum of confirmed partial cancels. It only grows. A ledger that was lost or restored knows too little. */
  readonly taken: number;
  /** A partial cancel that was begun and is not recorded as done. */
  readonly step?: CancelStep;
}

export interface SentOrder {
  readonly total: number;
  /** Empty for an order with more products than the ledger can keep. */
  readonly products: readonly SentProduct[];
  readonly completedAt: string;
  /** Hash of the other fields; undefined where the amounts were read from the service. */
  readonly rest?: string;
}

/** `taken` is the part of the price that partial cancels named for this product. */
type SentProduct = readonly [id: string, price: number, taken: number];

export interface CancelStep {
  readonly key: string;
  readonly value: number;
  /** Empty: the parts are not known by product. */
  readonly products: readonly (readonly [id: string, value: number])[];
  /** Of several refunds, which are taken one by one, the newest first. */
  readonly rest?: {
    /** The sum of partial cancels once all are taken. */
    readonly upTo: number;
    /** The sums of the refunds before, the largest first. */
    readonly below: readonly number[];
  };
}

export const toThousandths = (amount: number | null | undefined): number =>
  Math.round((amount ?? 0) * 1000);

export const fromThousandths = (amount: number): number => amount / 1000;

/** Undefined for what is not the form of this release. */
export function readAmounts(value: unknown): SentAmounts | undefined {
  const { sent, taken, step } = (value ?? {}) as Partial<SentAmounts>;
  const isRead =
    isWhole(sent?.total) &&
    typeof sent.completedAt === 'string' &&
    ['string', 'undefined'].includes(typeof sent.rest) &&
    isList(sent.products, 3) &&
    isWhole(taken) &&
    (step === undefined || isStep(step));
  return isRead ? (value as SentAmounts) : undefined;
}

function isStep({ key, value, products, rest }: Partial<CancelStep>): boolean {
  const isRest = rest === undefined || (isWhole(rest.upTo) && rest.below.every(isWhole));
  return typeof key === 'string' && isWhole(value) && isList(products, 2) && isRest;
}

function isList(value: unknown, size: number): boolean {
  const isRow = (row: unknown) =>
    Array.isArray(row) && row.length === size && row.every((cell, i) => i === 0 || isWhole(cell));
  return Array.isArray(value) && value.every(isRow);
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
