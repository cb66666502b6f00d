/** All values are invented. */
export interface ShopSettings {
  readonly id: string;
  readonly domain: string;
  readonly name: string;
  readonly currency: string;
  readonly taxesIncluded: boolean;
  /** The default for orders. 20 % is 200 000. */
  readonly taxes: readonly { readonly title: string; readonly ratePpm: number }[];
  /** Webhooks write times with the shop's offset, GraphQL in UTC. */
  readonly utcOffset: string;
  /** Every sale changes the inventory, which sends products/update. */
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

/** The only version that the sandbox supports. */
export const apiVersion = '2026-10';

/** How the server around the store behaves. */
export interface ServerSettings {
  /** How many finished deliveries are kept. */
  readonly deliveriesKept: number;
  readonly deliveryTimeoutMs: number;
  /**
   * How many deliveries are sent at once; delayed ones and retries have a limit of the same size. With
   * more than one, deliveries may overtake each other.
   */
  readonly deliveriesAtOnce: number;
  /**
   * Pauses before the retries: eight within four hours, according to the page "Troubleshoot webhooks".
   * The single pauses are not documented.
   */
  readonly retryPausesSeconds: readonly number[];
  /** With 0.001, a pause of 15 minutes becomes 0.9 s. */
  readonly retryTimeScale: number;
  /** Removes a subscription created through the Admin API when all tries of a delivery have failed. */
  readonly removeFailingSubscriptions: boolean;
  /** The GraphQL cost bucket; the defaults are those of the Standard plan. */
  readonly bucketSize: number;
  readonly restorePerSecond: number;
  /**
   * The cost of a connection. `eased`: grows slowly with its size, as measured; `sized`: in proportion
   * to its size, as documented.
   */
  readonly connectionCost: 'eased' | 'sized';
  /** The lifetime of a token of the client-credentials grant. */
  readonly tokenSeconds: number;
  readonly scopes: readonly string[];
  /** Who made the app. */
  readonly developerType: 'MERCHANT' | 'PARTNER' | 'SHOPIFY' | 'UNKNOWN';
  /**
   * Whether the app may start bulk queries. A partner's app may only once it is allowed to, and not after 31
   * days without use ("Partner apps must enable bulk operations before use").
   */
  readonly bulkQueries: 'allowed' | 'denied';
  /** How long a bulk operation takes. */
  readonly bulkMs: number;
  /** How many calls to the Admin API the journal holds. */
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
    'read_customer_merge',
    'read_discounts',
    'read_inventory',
    'read_locations',
    'read_orders',
    'read_products',
    'read_shopify_payments_disputes',
    'read_users',
    'write_app_proxy',
    'write_customers',
    'write_discounts',
    'write_orders',
    'write_products',
  ],
  developerType: 'MERCHANT',
  bulkQueries: 'allowed',
  bulkMs: 50,
  journalLimit: 2_000,
};
