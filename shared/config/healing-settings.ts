import { type Check, either, oneOf, shapeOf, trueOrFalse, wholeNumber } from './checks.ts';

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
}

export interface Healing {
  readonly everyMinutes: number;
  readonly deepEveryDays: number | false;
  readonly subscriptions: 'admin-api' | 'app-configuration';
  readonly repairSubscriptions: boolean;
}

export function completeHealing(settings: HealingSettings = {}): Healing {
  return {
    everyMinutes: settings.everyMinutes ?? 60,
    deepEveryDays: settings.deepEveryDays ?? 7,
    subscriptions: settings.subscriptions ?? 'admin-api',
    repairSubscriptions: settings.repairSubscriptions ?? true,
  };
}

const healingChecks: Record<keyof HealingSettings, Check> = {
  everyMinutes: wholeNumber(15, 1_440, 'minutes'),
  deepEveryDays: either(
    (value) => value === false,
    () => [],
    wholeNumber(1, 31, 'days'),
  ),
  subscriptions: oneOf('admin-api', 'app-configuration'),
  repairSubscriptions: trueOrFalse,
};

export const healingCheck: Check = shapeOf({ optional: healingChecks });
