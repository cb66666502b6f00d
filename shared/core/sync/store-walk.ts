import type { StoreOrder, StoreProduct } from '../../store/store-entities.ts';
import type { DiscountPage, StoreAnswer } from './store-reader.ts';

/** Moments in epoch milliseconds, both included. Versions have whole seconds. */
export interface Span {
  /** Undefined: from the beginning of what the store shows. */
  readonly from: number | undefined;
  readonly until: number;
}

/** One thing that the store changed. */
export interface Changed<Value> {
  readonly id: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Undefined: it could not be read, and only its version is known. */
  readonly value: Value | undefined;
}

export interface WalkPage<Value> {
  readonly changed: readonly Changed<Value>[];
  /** Where the next page begins; undefined on the last one. */
  readonly next?: string;
}

export type WalkAnswer<Value> = Exclude<StoreAnswer<Value>, { kind: 'gone' }>;

export type WalkedKind = 'order' | 'product' | 'discount';

/**
 * What the store changed within a span, in the order of its last change. An entity that changes during
 * the walk leaves the span, so no other is skipped.
 */
export interface StoreWalk {
  changedOrders(
    shop: string,
    span: Span,
    after?: string,
  ): Promise<WalkAnswer<WalkPage<StoreOrder>>>;
  changedProducts(
    shop: string,
    span: Span,
    after?: string,
  ): Promise<WalkAnswer<WalkPage<StoreProduct>>>;
  /** Discounts with codes only, each with the first page of them. */
  changedDiscounts(
    shop: string,
    span: Span,
    after?: string,
  ): Promise<WalkAnswer<WalkPage<DiscountPage>>>;

  /** Those of these ids that the store does not show. At most `MOST_ASKED_FOR`. */
  findAbsent(
    shop: string,
    kind: WalkedKind,
    ids: readonly string[],
  ): Promise<WalkAnswer<ReadonlySet<string>>>;

  /** False: only the orders of the last sixty days are shown, and an older one looks deleted. */
  seesAllOrders(shop: string): Promise<WalkAnswer<boolean>>;
}

/** The store answers for at most this many ids at once. */
export const MOST_ASKED_FOR = 250;
