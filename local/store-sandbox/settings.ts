/** All values are invented. */
export const defaultShop = {
  id: '65441940000',
  domain: 'sandbox.myshopify.com',
  name: 'Sandbox Store',
  currency: 'EUR',
  taxesIncluded: true,
  /** The default for orders. 20 % is 200 000. */
  taxes: [{ title: 'VAT', ratePpm: 200_000 }] as readonly Readonly<{
    title: string;
    ratePpm: number;
  }>[],
  /** Webhooks write times with the shop's offset, GraphQL in UTC. */
  utcOffset: '+02:00',
  /** Every sale changes the inventory, which sends products/update. */
  inventoryNoise: true,
  /** Of an account, in whole units of its currency: the real limit is 15,000 US dollars or their equivalent. */
  storeCreditLimit: 15_000,
  customerAccounts: 'NEW_CUSTOMER_ACCOUNTS' as 'NEW_CUSTOMER_ACCOUNTS' | 'CLASSIC',
  /** The checkout takes store credit. */
  storeCreditEnabled: true,
  /** Accounts may have these currencies and the shop's own. */
  storeCreditCurrencies: ['USD'] as readonly string[],
  /** What the customer gets instead: in the agreement of the return, as documented, or in one of an edit. */
  exchangeAgreement: 'return' as 'return' | 'order-edit',
  /** Not documented: the order of agreements that were made within one second. */
  sameSecondAgreements: 'as-made' as 'as-made' | 'reversed',
  /**
   * Not documented: whether a refund of an amount that an edit left over is a discrepancy, and so an adjustment, or only
   * what exceeds it.
   */
  owedRefund: 'discrepancy' as 'discrepancy' | 'settlement',
};

export type ShopSettings = Readonly<typeof defaultShop>;

/** The only version that the sandbox supports. */
export const apiVersion = '2026-10';

/** How the server around the store behaves. */
export const defaultServerSettings = {
  /** How many finished deliveries are kept. */
  deliveriesKept: 5_000,
  deliveryTimeoutMs: 5_000,
  /**
   * How many deliveries are sent at once; delayed ones and retries have a limit of the same size. With
   * more than one, deliveries may overtake each other.
   */
  deliveriesAtOnce: 1,
  /**
   * Pauses before the retries: eight within four hours, according to the page "Troubleshoot webhooks".
   * The single pauses are not documented.
   */
  retryPausesSeconds: [60, 120, 300, 600, 1_200, 2_400, 3_600, 6_120] as readonly number[],
  /** With 0.001, a pause of 15 minutes becomes 0.9 s. */
  retryTimeScale: 1,
  /** The GraphQL cost bucket; the defaults are those of the Standard plan. */
  bucketSize: 2_000,
  restorePerSecond: 100,
  /**
   * The cost of a connection. `eased`: grows slowly with its size, as measured; `sized`: in proportion
   * to its size, as documented.
   */
  connectionCost: 'eased' as 'eased' | 'sized',
  /** The lifetime of a token of the client-credentials grant. */
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
    'read_rollouts',
    'read_shopify_payments_disputes',
    'read_store_credit_account_transactions',
    'read_store_credit_accounts',
    'read_users',
    'write_app_proxy',
    'write_customers',
    'write_discounts',
    'write_orders',
    'write_products',
    'write_store_credit_account_transactions',
  ] as readonly string[],
  /** Who made the app. */
  developerType: 'MERCHANT' as 'MERCHANT' | 'PARTNER' | 'SHOPIFY' | 'UNKNOWN',
  /** How many calls to the Admin API the journal holds. */
  journalLimit: 2_000,
};

export type ServerSettings = Readonly<typeof defaultServerSettings>;
