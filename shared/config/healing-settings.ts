/** How the connector finds changes in the store that no webhook announced, and sends them. */
export interface HealingSettings {
  /** How often recent changes in the store are compared with the ledger, in minutes. Default: 60. */
  readonly everyMinutes?: number;

  /**
   * How often the whole store is compared, in days; `false` for never. This applies a corrected rule to
   * old products and codes and finds deletions that no webhook announced. Default: 7.
   */
  readonly deepEveryDays?: number | false;

  /**
   * How the webhook subscriptions are created. Each way sees only its own subscriptions, and both at once
   * would send every event twice.
   *
   * - `admin-api`: by the connector (`npx loyalty-connector webhooks sync`).
   * - `app-configuration`: by `shopify.app.toml`, with `shopify app deploy`.
   *
   * Default: `admin-api`.
   */
  readonly subscriptions?: 'admin-api' | 'app-configuration';

  /**
   * Whether the scheduled run repairs missing or wrong subscriptions; otherwise it only raises the alarm.
   * Default: `true`.
   */
  readonly repairSubscriptions?: boolean;

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

  /**
   * With `productChanges: 'events'`: the fields whose change sends an Event, in place of the connector's own list
   * (`PRODUCT_TRIGGERS` in shared/shopify/subscriptions/wanted-subscriptions.ts). For the case that `shopify app deploy`
   * refuses a path; `['product.*']` is every field.
   */
  readonly productTriggers?: readonly string[];
}

export interface Healing {
  readonly everyMinutes: number;
  readonly deepEveryDays: number | false;
  readonly subscriptions: 'admin-api' | 'app-configuration';
  readonly repairSubscriptions: boolean;
  readonly productChanges: 'webhooks' | 'events';
  readonly productTriggers: readonly string[] | undefined;
}

export function completeHealing(settings: HealingSettings = {}): Healing {
  return {
    everyMinutes: settings.everyMinutes ?? 60,
    deepEveryDays: settings.deepEveryDays ?? 7,
    subscriptions: settings.subscriptions ?? 'admin-api',
    repairSubscriptions: settings.repairSubscriptions ?? true,
    productChanges: settings.productChanges ?? 'webhooks',
    productTriggers: settings.productTriggers,
  };
}
