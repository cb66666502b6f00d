/** What kind of shop it is. Everything in it is invented. */
export interface ShopSettings {
  readonly id: string;
  readonly domain: string;
  readonly name: string;
  readonly currency: string;
  readonly taxesIncluded: boolean;
  /** Of an order that states none. A fifth is 200 000. */
  readonly taxes: readonly { readonly title: string; readonly ratePpm: number }[];
  /** Webhooks write moments with the shop's offset, GraphQL in UTC. */
  readonly utcOffset: string;
  /** Every sale changes the inventory and so sends products/update. */
  readonly inventoryNoise: boolean;
}

export const defaultShop: ShopSettings = {
  id: '65441940000',
  domain: 'sandbox.myshopify.com',
  name: 'Sandbox Store',
  currency: 'EUR',
  taxesIncluded: true,
  taxes: [{ title: 'VAT', ratePpm: 200_000 }],
  utcOffset: '+02:00',
  inventoryNoise: true,
};

/** The one version the sandbox speaks. */
export const apiVersion = '2026-10';

/** How the server around the store behaves. */
export interface ServerSettings {
  /** Settled deliveries kept to look at. */
  readonly deliveriesKept: number;
  readonly deliveryTimeoutMs: number;
  /**
   * How many deliveries are on their way at once, and how many late ones beside them. More than one may
   * overtake each other.
   */
  readonly deliveriesAtOnce: number;
  /**
   * Pauses before the retries: eight over four hours, as the page "Troubleshoot webhooks" says. The
   * single steps are not documented.
   */
  readonly retryPausesSeconds: readonly number[];
  /** 0.001 makes a retry after 15 minutes one after 0.9 s. */
  readonly retryTimeScale: number;
  /** An address made through the Admin API is removed once a delivery has used up its tries. */
  readonly removeFailingSubscriptions: boolean;
  /** The GraphQL bucket and what flows back each second: those of the Standard plan. */
  readonly bucketSize: number;
  readonly restorePerSecond: number;
  /**
   * What a connection costs. `eased`: grows slowly with its size, as measured costs do; `sized`: in
   * proportion to it, as the documentation says.
   */
  readonly connectionCost: 'eased' | 'sized';
  /** Lifetime of a token from the client-credentials grant. */
  readonly tokenSeconds: number;
  readonly scopes: readonly string[];
  /** How long a bulk operation takes. */
  readonly bulkMs: number;
  /** Calls of the Admin API the journal holds. */
  readonly journalLimit: number;
}

export const defaultServerSettings: ServerSettings = {
  deliveriesKept: 5_000,
  deliveryTimeoutMs: 5_000,
  deliveriesAtOnce: 1,
  retryPausesSeconds: [60, 120, 300, 600, 1_200, 2_400, 3_600, 6_120],
  retryTimeScale: 1,
  removeFailingSubscriptions: true,
  bucketSize: 2_000,
  restorePerSecond: 100,
  connectionCost: 'eased',
  tokenSeconds: 86_399,
  scopes: [
    'read_all_orders',
    'read_customers',
    'read_discounts',
    'read_inventory',
    'read_locations',
    'read_orders',
    'read_products',
    'read_users',
    'write_app_proxy',
    'write_customers',
    'write_discounts',
    'write_orders',
    'write_products',
  ],
  bulkMs: 50,
  journalLimit: 2_000,
};
