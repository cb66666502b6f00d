import type { EntityKey } from '../events/entity.ts';

/** One line of an entity's history, for the operator. Holds no personal data. */
export interface PastOutcome {
  /** ISO 8601. */
  readonly at: string;
  /** `applied`, `unchanged`, `skipped`, `rejected`, … */
  readonly outcome: string;
  readonly version: number;
  readonly topic: string;
  readonly why?: string;
}

export const OUTCOMES_KEPT = 10;

/**
 * What the connector knows of one entity.
 *
 *            first send            change                 change applied
 *  (none) ───────────────▶ known ─────────▶ uncertain ─────────────────▶ known
 *                                              │  ▲
 *                                              └──┘ crash, time-out, retry: still uncertain
 * See docs/decisions/0006-the-ledger-counts-revisions.md.
 */
export interface LedgerEntry {
  /** The entity's own `updated_at` as epoch milliseconds, of the newest snapshot settled so far. */
  readonly version: number;
  /**
   * Hash of the wanted state that was last applied; undefined while nothing was (skipped only).
   * Kept while uncertain too: it says that the loyalty service knows the entity.
   */
  readonly appliedKey?: string;
  /** A call that replaces the applied state was begun and not recorded as applied. */
  readonly uncertain: boolean;
  /** What later events need of the applied state: a product's last form, an order's customer. */
  readonly remembered?: string;
  /** Of a coupon: the discount whose code it is. */
  readonly discountId?: string;
  /** Of an order: the loyalty service first heard of it as history, and so it stays. */
  readonly history?: boolean;
  /** Epoch milliseconds: what is dated up to then is told without the person it names. */
  readonly redactedAt?: number;
  readonly outcomes: readonly PastOutcome[];
  /** Epoch seconds after which the item may vanish; undefined: never. */
  readonly expiresAt?: number;
  /**
   * Counts the writes of this item. Every write names the revision it was decided on and fails when
   * another worker wrote in between: a version alone lets a late worker's call land after the newer
   * one and still be recorded before it.
   */
  readonly revision: number;
}

/** An entry as it is to be written: the ledger counts revisions itself. */
export type LedgerWrite = Omit<LedgerEntry, 'revision'>;

export interface RedactionMark {
  /** Epoch milliseconds. */
  readonly redactedAt: number;
  /** Epoch seconds: after that nothing can be left on its way. */
  readonly expiresAt: number;
}

export interface Ledger {
  /**
   * Strongly consistent: sees every write that returned before this call began.
   * Keyed by `entityKeyText`; entities without an entry are absent.
   */
  readMany(keys: readonly EntityKey[]): Promise<ReadonlyMap<string, LedgerEntry>>;

  /**
   * Writes only if the entry still is the one that was read (`readRevision` undefined: there was none).
   * `conflict` means that another worker wrote in between; nothing was changed then.
   */
  write(
    key: EntityKey,
    entry: LedgerWrite,
    readRevision: number | undefined,
  ): Promise<
    { readonly kind: 'written'; readonly revision: number } | { readonly kind: 'conflict' }
  >;

  /**
   * Sets the uncertain mark on whatever is there now, or creates an uncertain entry: for a worker
   * that has called the service and then found that another one wrote meanwhile. Unconditional but
   * harmless: it can only cause one more call, never prevent one.
   */
  markUncertain(key: EntityKey): Promise<void>;

  /**
   * The codes of a discount that have an entry, in pages. Eventually consistent: meant for a discount
   * that the store no longer knows, long after its codes were sent.
   */
  listCodes(
    shop: string,
    discountId: string,
    from?: string,
  ): Promise<{ readonly codes: readonly string[]; readonly next?: string }>;

  /**
   * Everything in the ledger, in pages and in no order, each entry once. Eventually consistent. Left
   * out is what cannot be named any more: a code of no discount whose key had to be a hash.
   */
  scan(from?: string): Promise<{
    readonly entries: readonly { readonly key: EntityKey; readonly entry: LedgerEntry }[];
    readonly next?: string;
  }>;

  /**
   * Erases what the ledger remembers of a person and says when that was; keeps version, key and outcomes.
   * An order without an entry gets a bare one: a message that is still on its way must find the mark too.
   * Nothing else does: the key of a customer would name somebody of whom nothing was known.
   */
  redact(keys: readonly EntityKey[], mark: RedactionMark): Promise<void>;
}
