import type { MappingRules, MappingSettings } from './mapping-settings.ts';
import type { Monitoring } from './metrics.ts';

/** Each has a folder of this name in shared/. */
export const PLATFORMS = ['shopify', 'vendure'] as const;

export type PlatformName = (typeof PLATFORMS)[number];

export interface ShopSettings {
  /** The shop's permanent domain: `example-store.myshopify.com`; of a Vendure shop, the host name of its pages. */
  readonly domain: string;

  /** What the shop runs on. Default: `shopify`. */
  readonly platform?: PlatformName;

  /** Of a Vendure shop only, and needed there. */
  readonly vendure?: VendureSettings;

  /**
   * The part of the webhook address that belongs to this shop alone, as in `https://…/example-store`.
   * Default: the domain up to its first dot.
   */
  readonly path?: string;

  /** Rules that differ for this shop; all others are those of `rules`. */
  readonly rules?: MappingSettings;

  /**
   * `observe`: everything runs, and nothing is changed at the loyalty service or in the store. What would have been
   * sent is recorded for `compare`. After it, `go-live` says from when on orders are sent. Default: `live`.
   */
  readonly mode?: 'live' | 'observe';

  /**
   * Under which ids another integration may have sent the orders of this shop, beside the store's own: `name` is
   * `#1001`, `number` is `1001`. They are looked up while observing and after `go-live`. The service does not document
   * which its own integration uses. Default: both.
   */
  readonly otherOrderIds?: readonly OtherOrderId[];

  /** The ids of customers who see the storefront while the shop is observed. Default: nobody. */
  readonly observers?: readonly string[];
}

export type OtherOrderId = 'name' | 'number';

/** A channel of a Vendure server. */
export interface VendureSettings {
  /** The address of its Admin API: `https://shop.example.com/admin-api`. */
  readonly adminApi: string;
  /** The currency of the channel: orders in another one belong to another channel. */
  readonly currency: string;
  /** The token of the channel. Default: the default channel. */
  readonly channel?: string;
  /**
   * How long after an order was placed it may still change, in days from 1 to 400: the hourly comparison reads all orders
   * that are younger, because no date of an order moves with a refund. Default: 60.
   */
  readonly changeDays?: number;
  /** Digits after the point of the server's amounts (its `MoneyStrategy`). Default: 2. */
  readonly precision?: number;
}

/** The settings in `connector.config.ts`. Secrets are not settings and are in no file. */
export interface ConnectorSettings {
  /** The shops that the connector syncs with the loyalty service; one or more. */
  readonly shops: readonly ShopSettings[];

  readonly loyalty: {
    /** Base address of the loyalty service: `https://loyalty.example.com`. */
    readonly address: string;
    /**
     * The most calls a second to an account of the service, by all functions of the stack together, from 0.1 to
     * 1000. Shops with `rules.sharedAccount` share it. Shoppers do not wait for it: the workers leave
     * them up to half, and what is more is refused.
     * Default: no limit, because the service documents none. It costs a write a second and worker.
     */
    readonly callsPerSecond?: number;
    /** Assumptions where its documentation is silent. */
    readonly assumptions?: LoyaltyAssumptions;
  };

  /** How entities of the store become entities of the loyalty service, in all shops. */
  readonly rules?: MappingSettings;

  /**
   * How long an event is retried before it is parked for a person, in days from 1 to 10. Must be longer
   * than an outage of the loyalty service. Default: 4.
   */
  readonly retryWindowDays?: number;

  /**
   * How long the connector remembers an order after its last event, in days from 35 (longer than any
   * event can wait in a queue or as a dead letter) to 3650. A later event reads the order from the
   * store again. Default: 400, so that a return after a year still finds its order. Raise it before the first
   * entry expires: an order that was forgotten under a lower number counts as never sent until then.
   */
  readonly orderRetentionDays?: number;

  /** How lost webhooks are found and made up for. */
  readonly healing?: HealingSettings;

  /** Who gets alarms. */
  readonly alarms?: AlarmSettings;

  /** Events on EventBridge, for other tools of yours (docs/events.md). `{}` turns them on. Default: none. */
  readonly events?: EventSettings;

  /** How it is deployed. */
  readonly deployment?: DeploymentSettings;

  /** Balances and rewards in the store. Default: not deployed. */
  readonly storefront?: StorefrontSettings;
}

export interface Shop {
  readonly domain: string;
  readonly path: string;
  readonly rules: MappingRules;
  readonly mode: 'live' | 'observe';
  readonly otherOrderIds: readonly OtherOrderId[];
  readonly observers: readonly string[];
  readonly platform: PlatformName;
  /** Of a Vendure shop only. */
  readonly vendure: CompleteVendure | undefined;
}

interface CompleteVendure extends Required<Omit<VendureSettings, 'channel'>> {
  readonly channel: string | undefined;
}

/** The settings, checked and complete. */
export interface Connector {
  readonly shops: readonly Shop[];
  readonly loyalty: {
    readonly address: string;
    readonly callsPerSecond: number | undefined;
    readonly assumptions: CompleteAssumptions;
  };
  readonly retryWindowDays: number;
  readonly orderRetentionDays: number;
  readonly healing: Healing;
  readonly alarms: { readonly emails: readonly string[] };
  /** Undefined where there are none. */
  readonly events: Required<EventSettings> | undefined;
  readonly deployment: Deployment;
  /** Undefined where the storefront is not deployed. */
  readonly storefront: Storefront | undefined;
}

/**
 * An HTTP API in front of the receiver, instead of its function URL. About a dollar per million. The storefront's two
 * addresses stay function URLs.
 */
interface HttpApiEndpoint {
  readonly kind: 'http-api';
  /** Requests per second that are let through, and how many at once; more is answered with 429. */
  readonly throttle?: { readonly ratePerSecond: number; readonly burst: number };
  /** A domain of your own, with the ARN of its certificate in the region of the stack. */
  readonly domain?: { readonly name: string; readonly certificateArn: string };
}

interface MaxConcurrency {
  readonly orders?: number;
  readonly products?: number;
  readonly coupons?: number;
  /** Of the storefront: each writes about 20 a second. Default: half as many as for orders, up to 25. */
  readonly balances?: number;
  /**
   * Reserved for the receiver of webhooks, which is also its limit: ten times as many a second, of all shops together.
   * Default: up to 50. With many shops more is advised (docs/limits.md, "Forged webhooks").
   */
  readonly receiver?: number;
  /** Reserved for each of the storefront's two addresses, which is also their limit. Default: up to 50. */
  readonly storefront?: number;
}

/** How the connector is deployed. All have a default that suits a shop of up to a million events. */
export interface DeploymentSettings {
  /**
   * Where webhooks arrive. `function-url` costs nothing beyond the function; an HTTP API adds throttling and a domain of
   * your own. Default: `{ kind: 'function-url' }`.
   */
  readonly endpoint?: { readonly kind: 'function-url' } | HttpApiEndpoint;

  /**
   * How many workers of a queue run in parallel at most, from 2 to 100. This limits the load on the
   * loyalty service: each worker makes up to five calls at once. Default: 10 for orders, 5 for others,
   * or fewer, as the quota of the AWS account allows.
   */
  readonly maxConcurrency?: MaxConcurrency;

  /** How long logs are kept, in days as CloudWatch offers them. Default: 30. */
  readonly logRetentionDays?: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365;

  /**
   * Keep the ledger, the queues and the logs when the stack is deleted, logs for `logRetentionDays`, and protect the
   * stage `prod` from deletion. Set `false` for a test stage.
   * Default: `true`.
   */
  readonly retainData?: boolean;

  /**
   * `full`: every alarm, and the figures of the last hour in `status`. `basic`: one alarm for everything
   * that needs a person, and alarms when a queue or the receiver stands still, for less than half the
   * price (docs/cost.md). Default: `full`.
   */
  readonly monitoring?: Monitoring;

  /**
   * The ARN of a key of your own in KMS, in the region of the stack, for queues, ledger, secrets, logs and alarms. It
   * costs about two dollars a month, and its key policy must allow the use: docs/security.md. Default: keys of AWS,
   * which cost nothing.
   */
  readonly encryptionKey?: string;

  /** The ARN of the policy that bounds the permissions of every role. Default: none. */
  readonly permissionsBoundary?: string;

  /** On every resource that takes tags, and on the secrets. Default: `application` and `stage` alone. */
  readonly tags?: Readonly<Record<string, string>>;

  /**
   * Stands before the name of the stack, and so before all names of its resources and secrets: up to 20 characters, the
   * last a hyphen, such as `team-a-`. Set it before the first deployment: another one makes another stack. Default: none.
   */
  readonly namePrefix?: string;

  /** The qualifier with which the account was prepared for CDK (`cdk bootstrap --qualifier`). Default: that of CDK. */
  readonly bootstrapQualifier?: string;
}

/** Have no default, and no function holds them. */
type Governed = 'encryptionKey' | 'permissionsBoundary' | 'bootstrapQualifier';

/** `maxConcurrency` as stated: `deploy` chooses the others. */
export type Deployment = Required<Omit<DeploymentSettings, Governed>> &
  Pick<DeploymentSettings, Governed>;

const DEPLOYMENT = {
  endpoint: { kind: 'function-url' },
  logRetentionDays: 30,
  retainData: true,
  monitoring: 'full',
  tags: {},
  namePrefix: '',
} as const;

export function completeDeployment(settings: DeploymentSettings = {}): Deployment {
  return { ...DEPLOYMENT, ...given(settings), maxConcurrency: given(settings.maxConcurrency) };
}

/** A setting written as undefined takes the default, like one that is not written. */
export function given<T extends object>(settings: T | undefined): Partial<T> {
  const entries = Object.entries(settings ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<T>;
}

/** A shop's part of the webhook address when none is set: the domain up to its first dot. */
export function defaultPath(domain: string): string {
  return domain.split('.', 1)[0] ?? domain;
}

/** How the connector finds changes in the store that no webhook announced, and sends them. */
export interface HealingSettings {
  /**
   * How often the whole store is compared, in days; `false` for never. This applies a corrected rule to
   * old products and codes and finds deletions that no webhook announced. Default: 7.
   */
  readonly deepEveryDays?: number | false;

  /**
   * How changes of products arrive.
   *
   * - `webhooks`: `products/create`, `products/update` and `products/delete`. Each sale sends an update, which
   *   nearly always changes nothing for the loyalty service.
   * - `events`: Shopify's Events, only when a field changes that the connector sends. They exist only in
   *   `shopify.app.toml`, so write the app's folder again and release it after you choose this
   *   (`npx loyalty-connector app write`, `shopify app deploy`). Existing webhooks of products stay until
   *   `npx loyalty-connector webhooks sync --covered --yes`.
   *
   * Default: `webhooks`.
   */
  readonly productChanges?: 'webhooks' | 'events';
}

export type Healing = Required<HealingSettings>;

const HEALING: Healing = {
  deepEveryDays: 7,
  productChanges: 'webhooks',
};

export function completeHealing(settings?: HealingSettings): Healing {
  return { ...HEALING, ...given(settings) };
}

/** Who gets alarms. */
export interface AlarmSettings {
  /** E-mail addresses that get every alarm; each must confirm the subscription once. Default: none. */
  readonly emails?: readonly string[];
}

export interface EventSettings {
  /** The name of an event bus in the account and region of the stack. Default: `default`. */
  readonly bus?: string;
}

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
   * also take the customer's id in the store (`store-id`, which no other member can have) is not known.
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
   * are not logged in share ten times as many. One user of the point of sale may make twice as many, all tills of
   * a shop together twenty times. Each running function counts on its own, so this stops
   * a runaway page and is no exact quota. As many calls a minute ask the service what unknown prices earn. Default: 60.
   */
  readonly readsPerMinute?: number;

  /**
   * The tax inside the store's prices, in percent, such as 19: pages that say what a product or a cart earns
   * leave it out where orders count without taxes (`taxes: 'exclude'`). Pages of a store do not
   * know its rates. Default: 0, for prices without tax.
   */
  readonly taxInPrices?: number;

  /**
   * What becomes of cashback that a customer chooses: a discount `code`, or `store-credit` on their account in the store,
   * which needs further scopes (`app write`) and customer accounts that are not the legacy ones. What orders paid with
   * that credit earn is in docs/mapping.md. Default: `code`.
   */
  readonly cashback?: 'code' | 'store-credit';

  /**
   * How many rewards one customer may redeem in an hour, from 1 to 1000. Default: 10.
   */
  readonly redeemsPerHour?: number;

  /**
   * Who may take back a reward whose code is unused, and get the points back: the `customer` (and staff at the till for
   * them), only `staff`, or `nobody`; and for how many days after the code was made, from 1 to 60, never longer than the
   * code is valid. Orders of the last 60 days are what an app sees without `read_all_orders`. Default:
   * `{ by: 'customer', withinDays: 30 }`.
   */
  readonly takeBack?: {
    readonly by?: 'customer' | 'staff' | 'nobody';
    readonly withinDays?: number;
  };

  /**
   * Shopify Flow: triggers for changed points and tiers, redeemed rewards and points about to expire, and the action
   * "Give loyalty points". `{}` turns it on; then write and release the app's folder. Default: off.
   */
  readonly flow?: FlowSettings;
}

export interface FlowSettings {
  /** How many days before points expire the trigger is sent, from 1 to 90. Default: 14. */
  readonly expiryNoticeDays?: number;
  /** The most points that one run of the action gives, from 1 to 1000000. Default: 500. */
  readonly mostPointsPerRun?: number;
  /** The most points that all runs give in a shop on a day of UTC, from 1 to 1000000. Default: 5000. */
  readonly mostPointsPerDay?: number;
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

export type Storefront = Required<Omit<StorefrontSettings, 'flow' | 'rewardTypes'>> & {
  /** `store-credit`: cashback, where `cashback` says so. */
  readonly rewardTypes: Readonly<Record<number, RewardMeaning | 'store-credit'>>;
  /** Undefined where it is off. */
  readonly flow: Required<FlowSettings> | undefined;
  readonly takeBack: Required<NonNullable<StorefrontSettings['takeBack']>>;
};

const FLOW: Required<FlowSettings> = {
  expiryNoticeDays: 14,
  mostPointsPerRun: 500,
  mostPointsPerDay: 5_000,
};

const STOREFRONT = {
  customerIdIn: 'Id',
  metafieldNamespace: 'loyalty',
  posCustomerId: 'email-or-document',
  readsPerMinute: 60,
  taxInPrices: 0,
  cashback: 'code',
  redeemsPerHour: 10,
} as const;

const REWARD_TYPES = {
  0: 'percent',
  1: 'fixed',
  3: 'cashback',
  4: 'custom',
  5: 'product',
} as const;

const TAKE_BACK = { by: 'customer', withinDays: 30 } as const;

/** Undefined where it is not configured. */
export function completeStorefront(
  settings: StorefrontSettings | undefined,
): Storefront | undefined {
  if (!settings) return undefined;
  const complete = { ...STOREFRONT, ...given(settings) };
  const rewardTypes: Storefront['rewardTypes'] = { ...REWARD_TYPES, ...settings.rewardTypes };
  const meanings = Object.entries(rewardTypes).map(([type, meaning]) => [
    type,
    meaning === 'cashback' && complete.cashback === 'store-credit' ? complete.cashback : meaning,
  ]);
  return {
    ...complete,
    rewardTypes: Object.fromEntries(meanings),
    takeBack: { ...TAKE_BACK, ...given(settings.takeBack ?? {}) },
    flow: settings.flow && { ...FLOW, ...given(settings.flow) },
  };
}

/**
 * What the connector assumes where the loyalty service's documentation is silent. Each assumption is a
 * setting, so that a wrong one is corrected in one place.
 * See docs/decisions/0003-one-contract-and-a-setting-for-each-gap.md.
 */
export interface LoyaltyAssumptions {
  /**
   * An order sent again under the same id replaces the earlier one. If `false`, a change of an order
   * that was sent already is parked for a person. Default: `true`.
   */
  readonly ordersAreReplaced?: boolean;

  /**
   * A coupon sent again under the same id replaces the earlier one. If `false`, a change of a coupon
   * that was sent already is parked for a person. Default: `true`.
   */
  readonly couponsAreReplaced?: boolean;

  /**
   * A completed order, which the service refuses to cancel (error 13), can be sent again marked as
   * cancelled or returned. If `false`, that second attempt is not made and the order is parked.
   * Default: `true`.
   */
  readonly completedOrdersTakeTheCancelledMark?: boolean;

  /**
   * How a refund, return or edit lowers the amount of a completed order.
   *
   * - `partial-cancel`: the difference is taken by the service's partial cancel, under a key of its own.
   * - `resend`: the order is sent again with the lower total. Only for a program that takes points back
   *   then, which is not documented.
   *
   * Orders from which something was taken stay with partial cancels. Default: `partial-cancel`.
   */
  readonly refunds?: 'partial-cancel' | 'resend';

  /**
   * What to do when the amount of an order rises after a part of it was cancelled. How the service
   * counts then is not documented.
   *
   * - `park`: for a person.
   * - `send-gross`: sent again with the amount before all partial cancels, so that the service's total less
   *   these is the new amount.
   *
   * Default: `park`.
   */
  readonly raiseAfterPartialCancel?: 'park' | 'send-gross';

  /**
   * Whether the total of an order that is read from the service already shows partial cancels. Decides
   * how much of an order counts that the ledger has forgotten. Default: `as-sent`.
   */
  readonly readTotals?: 'as-sent' | 'less-partial-cancels';

  /**
   * The number of the error by which the service refuses a partial cancel whose key was used before.
   * Not documented. Unset: only a refusal that names the field `CancelKey` counts as that, and any other
   * refusal of a repeated partial cancel is parked.
   */
  readonly usedCancelKeyError?: number;

  /**
   * The service keeps the metadata of a redemption and shows them in the customer's history of points. If the ledger
   * is lost, `recover` finds the codes of customers by them. If `false`, none are sent. Default: `true`.
   */
  readonly redemptionsKeepMetadata?: boolean;
}

export const defaultAssumptions = {
  ordersAreReplaced: true,
  couponsAreReplaced: true,
  completedOrdersTakeTheCancelledMark: true,
  refunds: 'partial-cancel',
  raiseAfterPartialCancel: 'park',
  readTotals: 'as-sent',
  redemptionsKeepMetadata: true,
} as const satisfies LoyaltyAssumptions;

/** The assumptions with every default filled in. */
export type CompleteAssumptions = Required<Omit<LoyaltyAssumptions, 'usedCancelKeyError'>> &
  Pick<LoyaltyAssumptions, 'usedCancelKeyError'>;
