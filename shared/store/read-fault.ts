/**
 * What is wrong with something read from the store, and where. Neither part ever holds a value of
 * the payload: faults travel into logs and dead letters, payloads hold personal data.
 */
export interface ReadFault {
  /** `line_items[2].price`; `$` is the whole body. */
  readonly path: string;
  /** Completes the sentence that the path begins: `is missing`, `is not an amount`. */
  readonly problem: string;
}

export interface Unreadable {
  readonly kind: 'unreadable';
  /** Every fault, not just the first. */
  readonly faults: readonly ReadFault[];
}
