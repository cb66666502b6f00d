/** A webhook subscription as the connector wants it. */
export interface WantedSubscription {
  /** `orders/create` */
  readonly topic: string;
  readonly uri: string;
  /** Sorted; empty: the whole body. */
  readonly includeFields: readonly string[];
}

/** One that the store has, made through the Admin API. */
export interface ExistingSubscription extends WantedSubscription {
  /** Global id. */
  readonly id: string;
  /** `JSON`, `XML` */
  readonly format: string;
  readonly filter: string | undefined;
  readonly metafieldNamespaces: readonly string[];
  /** The app's setting at Shopify: no subscription can have another. */
  readonly apiVersion: { readonly handle: string; readonly supported: boolean };
}
