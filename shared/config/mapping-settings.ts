import type { CouponKind, StoreOrder } from '../store/store-entities.ts';

/**
 * The source of a customer detail that the store has no field for.
 *
 * - `note-attribute`: an additional detail of the order, as the cart or checkout stored it.
 * - `metafield`: a metafield of the order or of its customer. Webhooks carry none, so with this source
 *   the connector reads an order from the store before it sends it or a change of it.
 * - `localized-field`: a field that the checkout asks for by country, by its key in Shopify's spelling, such as
 *   `TAX_CREDENTIAL_BR`. Read from the store like a metafield.
 * - a function of yours. It gets the order and returns a text or undefined. If it throws, that order is
 *   parked with the name of the setting; other orders are not affected.
 */
export type DetailSource =
  | { readonly from: 'note-attribute'; readonly name: string }
  | {
      readonly from: 'metafield';
      readonly owner: 'order' | 'customer';
      readonly namespace: string;
      readonly key: string;
    }
  | { readonly from: 'localized-field'; readonly key: string }
  | ((order: StoreOrder) => string | undefined);

interface Enrichment {
  /** The card's brand and type as the payment method, instead of the gateway's name. */
  readonly cardDetails?: boolean;
  /** The name of the retail location of a point-of-sale order. Needs the scope `read_locations`. */
  readonly locationNames?: boolean;
  /** The name of the staff member. Needs the scope `read_users`, which some plans only have. */
  readonly staffNames?: boolean;
}

/** How entities of the store become entities of the loyalty service. All have a default. */
export interface MappingSettings {
  /**
   * When the program went live in this shop: a date (`2026-11-01`, from midnight UTC) or a moment with its
   * offset (`2026-11-01T09:00:00-03:00`). Orders placed before it are history: an event about one that was never
   * sent is skipped (`before-go-live`), and a backfill sends it with the history mark. Orders that were sent
   * already stay as they are. Default: when the stack was created; an upgrade does not change it.
   */
  readonly goLive?: string;

  /**
   * When an order counts as completed, so that points may be given.
   *
   * - `fulfilled`: when all of it was shipped.
   * - `paid`: when all of it was paid. Points come earlier; a cancellation before shipping takes them back.
   *
   * A completed order stays completed until it is cancelled: an exchange or an edit changes only its
   * amount. Default: `fulfilled`.
   */
  readonly completeWhen?: 'fulfilled' | 'paid';

  /**
   * Orders that are not completed yet. The service gives no points for them and needs them only for
   * its own statistics.
   *
   * - `skip`: an order is sent when it completes, and never if it is cancelled before.
   * - `send`: sent from its first event on.
   *
   * An order that was sent once is always corrected and cancelled. Default: `skip`.
   */
  readonly pendingOrders?: 'skip' | 'send';

  /**
   * Whether taxes count. The loyalty service documents that the amount is without them. `exclude` deducts
   * the order's own taxes where prices include them. Default: `exclude`.
   */
  readonly taxes?: 'exclude' | 'include';

  /**
   * When the money of a gift card earns points. Store credit is treated like a gift card, unless
   * `storefront.cashback` is `store-credit` (docs/mapping.md).
   *
   * - `earn-when-bought`: the purchase of a gift card counts; what is paid with one does not, as the
   *   loyalty service documents it.
   * - `earn-when-used`: the other way round.
   * - `never`: neither counts.
   *
   * No webhook says how much was paid with a gift card. Unless this is `earn-when-used`, the connector
   * reads such orders from the store. Default: `earn-when-bought`.
   */
  readonly giftCards?: 'earn-when-bought' | 'earn-when-used' | 'never';

  /**
   * Chargebacks that the merchant lost or accepted. No status of an order shows them.
   *
   * - `ignore`: the order keeps its points.
   * - `take-back`: its amount becomes 0. Not for an inquiry, nor while the dispute is open. For Shopify Payments
   *   only; needs the scope `read_shopify_payments_disputes`, and then `webhooks sync`.
   *
   * Orders that were sent before the setting changed keep the one they were sent under. Default: `ignore`.
   */
  readonly lostDisputes?: 'ignore' | 'take-back';

  /**
   * Customers with neither an e-mail address nor a document (see `document`), such as those of a till with a
   * telephone number only.
   *
   * - `skip`: their orders and coupons are not sent, until the customer has one of the two.
   * - `send`: sent like those of any other customer.
   *
   * The loyalty service has an error for such customers (50); when it comes is not documented. Orders
   * without any customer are never sent. Default: `skip`.
   */
  readonly customersWithoutEmail?: 'skip' | 'send';

  /**
   * When the loyalty service gets to know a customer.
   *
   * - `from-sign-up`: when the store does. Changes of name, e-mail address, telephone number, birthday and
   *   document follow; a deletion is noted, and in Vendure a request to erase the customer.
   * - `with-orders`: with the first order or coupon, and changes with the next one.
   *
   * Birthday and document come from here only if they are metafields of the customer; the connector then
   * reads each changed customer from the store. Default: `from-sign-up`.
   */
  readonly customers?: 'from-sign-up' | 'with-orders';

  /**
   * What a request of the store to erase a customer, or their deletion in Vendure, does in the loyalty service,
   * besides erasing what the connector remembers. `deactivate` sets the customer inactive there: they earn and redeem nothing any more.
   * No operation of the service erases a customer; ask its operator. Default: `keep`.
   */
  readonly redactedCustomers?: 'keep' | 'deactivate';

  /**
   * Orders that the store marks as tests, the admin's "send test notification" among them.
   *
   * `send` treats them like any other order: for trying out a program, never with real customers.
   * Default: `skip`.
   */
  readonly testOrders?: 'skip' | 'send';

  /** Where the customer's document number is found. Default: none is sent. */
  readonly document?: DetailSource;

  /**
   * Where the customer's birthday is found. It must read like `1990-04-01`; anything else is left out.
   * Default: none is sent.
   */
  readonly birthday?: DetailSource;

  /**
   * What is read from the store before an order is sent, because its webhook does not carry it. Each
   * costs a request per order and change, and some an access scope of the app. Default: none.
   */
  readonly enrich?: Enrichment;

  /**
   * Whether the connector sends customers to the loyalty service as members of the points plan.
   *
   * - `unstated`: not sent; the service decides.
   * - `everyone`: every customer is a member. Make sure that they agreed.
   * - a function of yours: true, false, or undefined for not sent. It is asked for orders only.
   *
   * How the service enrols is not documented. Default: `unstated`.
   */
  readonly enrolment?: 'unstated' | 'everyone' | ((order: StoreOrder) => boolean | undefined);

  /**
   * Name and value pairs to add to an order's metadata, for information or for rules of the program.
   * They win over the connector's own of the same name (`order_name`, `source`, `currency`, `coupons`,
   * `payment_gateways`), but for `history`, which is `true` on orders from before `goLive`. Default: none.
   */
  readonly metadata?: (order: StoreOrder) => Readonly<Record<string, string>>;

  /**
   * A product's address, with `{domain}` for the shop's domain and `{handle}` for the product's.
   * Default: `https://{domain}/products/{handle}`.
   */
  readonly productUrl?: string;

  /**
   * The kinds of discount codes that are mirrored. Default: all of them, that is `percentage`,
   * `fixed-amount`, `free-shipping`, `buy-x-get-y` and `app`.
   */
  readonly couponKinds?: readonly CouponKind[];

  /**
   * Another shop uses the same account of the loyalty service, and may have the same codes. The service finds a
   * coupon by its code. If `true`, coupons are sent under an id with the shop's domain, only codes that were
   * sent for this shop are taken back, and a code that another shop has already is parked with that reason.
   * Coupons sent before keep their id. Default: `true` with more than one shop, else `false`.
   */
  readonly sharedAccount?: boolean;

  /**
   * The currency that the loyalty program counts in, such as `BRL`: that of the shop. An order in another one is
   * parked, because the service takes amounts without a currency. Shops with `sharedAccount` must state the same one;
   * `any` lets orders of every currency count alike, so that 50 BRL and 50 USD earn the same.
   * Default: that of the shop, unchecked.
   */
  readonly currency?: string;

  /**
   * Codes that any customer may use. A coupon of the loyalty service belongs to a customer; whether it
   * takes one without is not documented. `send`: sent without a customer. Default: `send`.
   */
  readonly couponForEveryone?: 'send' | 'skip';
}

type WithoutDefault = 'goLive' | 'document' | 'birthday' | 'metadata' | 'currency';

/** The settings with every default filled in. */
export type MappingRules = {
  readonly [K in Exclude<keyof MappingSettings, WithoutDefault>]-?: NonNullable<MappingSettings[K]>;
} & { readonly [K in WithoutDefault]: MappingSettings[K] | undefined } & {
  /**
   * Follows from `storefront.cashback`. `by-origin`: store credit that was given does not earn when it is used, and
   * credit from refunds does.
   */
  readonly storeCredit: 'like-gift-cards' | 'by-origin';
  /** Another integration was there before go-live: older is what was complete before it, not what was placed before. */
  readonly takesOver?: boolean;
};

export const defaultRules: MappingRules = {
  goLive: undefined,
  completeWhen: 'fulfilled',
  pendingOrders: 'skip',
  taxes: 'exclude',
  giftCards: 'earn-when-bought',
  storeCredit: 'like-gift-cards',
  lostDisputes: 'ignore',
  customersWithoutEmail: 'skip',
  customers: 'from-sign-up',
  redactedCustomers: 'keep',
  testOrders: 'skip',
  document: undefined,
  birthday: undefined,
  enrich: {},
  enrolment: 'unstated',
  metadata: undefined,
  productUrl: 'https://{domain}/products/{handle}',
  couponKinds: ['percentage', 'fixed-amount', 'free-shipping', 'buy-x-get-y', 'app'],
  sharedAccount: false,
  currency: undefined,
  couponForEveryone: 'send',
};
