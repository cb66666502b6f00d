/**
 * The storefront: balances and rewards of the loyalty service in the store. Without this setting none of
 * its parts is deployed, and it costs nothing.
 */
export interface StorefrontSettings {
  /**
   * The field of a point event's customer that holds the customer's id in the store. The service
   * documents `Id` for it, and that on some platforms it holds something else: for a document, set
   * `OriginalId`, so that no document is taken for an id. Default: `Id`.
   */
  readonly customerIdIn?: string;

  /**
   * The namespace of the customer metafields `points`, `cashback` and `tier`. Themes name it, so change
   * it only before the first balance is written. Default: `loyalty`.
   */
  readonly metafieldNamespace?: string;

  /**
   * How the service's reward operations name a customer. They are documented to take e-mail or
   * document, which the connector reads from the service's own record of the customer; whether they
   * also take the customer's id in the store (`store-id`, which saves a request) is not known.
   * Default: `email-or-document`: the e-mail address, else the digits of the document.
   */
  readonly posCustomerId?: 'email-or-document' | 'store-id';

  /**
   * Replaces the meaning of single numbers of a reward's `RewardType`. Only the service's sample client
   * shows them, so check a reward of each kind before customers can redeem. A reward of meaning
   * `custom`, or of a number that is not here, is shown and cannot be redeemed. Default:
   * `{ 0: 'percent', 1: 'fixed', 3: 'cashback', 4: 'custom', 5: 'product' }`. Coupons are numbered
   * otherwise.
   */
  readonly rewardTypes?: Readonly<Record<number, RewardMeaning>>;

  /**
   * How many requests the pages of one customer may make in a minute, from 10 to 1000; all visitors who
   * are not logged in share ten times as many. Each running function counts on its own, so this stops
   * a runaway page and is no exact quota. Default: 60.
   */
  readonly readsPerMinute?: number;

  /**
   * How many requests one user of the point of sale may make in a minute, from 10 to 1000; all of a shop
   * together ten times as many. Tills that are logged in as the same user share it, whichever member of
   * staff has entered a PIN. Counted as `readsPerMinute` is. Default: 120.
   */
  readonly tillRequestsPerMinute?: number;

  /**
   * The tax inside the store's prices, in percent, such as 19: pages that say what a product or a cart earns
   * leave it out where orders count without taxes (`taxes: 'exclude'`). Pages of a store do not
   * know its rates. Default: 0, for prices without tax.
   */
  readonly taxInPrices?: number;

  /**
   * How many rewards one customer may redeem in an hour, from 1 to 1000. Default: 10.
   */
  readonly redeemsPerHour?: number;
}

/** What a type of reward may be. */
export const MEANINGS = [
  'percent',
  'fixed',
  'free-shipping',
  'cashback',
  'product',
  'custom',
] as const;

type RewardMeaning = (typeof MEANINGS)[number];

export type Storefront = Required<StorefrontSettings>;

const REWARD_TYPES = {
  0: 'percent',
  1: 'fixed',
  3: 'cashback',
  4: 'custom',
  5: 'product',
} as const;

/** Undefined where it is not configured. */
export function completeStorefront(
  settings: StorefrontSettings | undefined,
): Storefront | undefined {
  return (
    settings && {
      customerIdIn: settings.customerIdIn ?? 'Id',
      metafieldNamespace: settings.metafieldNamespace ?? 'loyalty',
      posCustomerId: settings.posCustomerId ?? 'email-or-document',
      rewardTypes: { ...REWARD_TYPES, ...settings.rewardTypes },
      readsPerMinute: settings.readsPerMinute ?? 60,
      tillRequestsPerMinute: settings.tillRequestsPerMinute ?? 120,
      taxInPrices: settings.taxInPrices ?? 0,
      redeemsPerHour: settings.redeemsPerHour ?? 10,
    }
  );
}
