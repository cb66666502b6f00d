/** The simulated store's own records: no more than what a webhook and the Admin API tell of. */
export interface OrderRow {
  readonly id: string;
  readonly number: number;
  readonly placedAt: number;
  updatedAt: number;
  readonly lines: {
    readonly id: number;
    readonly productId: string;
    cents: number;
    kept: number;
  }[];
  /** Undefined: a guest, or a customer who was deleted since. */
  customer: number | undefined;
  /** Who it was when the order was placed. */
  readonly buyer: number | undefined;
  readonly test: boolean;
  paid: 'pending' | 'paid' | 'partially_refunded' | 'refunded';
  fulfilled: 'fulfilled' | 'partial' | null;
  fulfilledAt: number | undefined;
  cancelledAt: number | undefined;
  refunds: {
    readonly at: number;
    readonly line: number;
    readonly quantity: number;
    readonly cents: number;
  }[];
  /** Long enough that the message carries it compressed. */
  readonly hasLongNote: boolean;
}

export interface ProductRow {
  readonly id: string;
  title: string;
  cents: number;
  status: 'active' | 'draft' | 'archived';
  inventory: number;
  updatedAt: number;
}

export interface DiscountRow {
  readonly id: string;
  percent: number;
  readonly createdAt: number;
  updatedAt: number;
  endsAt: number | undefined;
  codes: string[];
}

export interface StoreRows {
  readonly orders: Map<string, OrderRow>;
  readonly products: Map<string, ProductRow>;
  readonly discounts: Map<string, DiscountRow>;
}

/** Something the store tells its subscribers, with the body as it stood at that moment. */
export interface Notice {
  readonly topic: string;
  readonly body: string;
}
