/**
 * What is wrong with a payload of the store, and where. Neither part ever contains a value of the
 * payload, because faults go into logs and dead letters, and payloads contain personal data.
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
