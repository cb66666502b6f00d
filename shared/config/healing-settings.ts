import { type Check, either, oneOf, shapeOf, trueOrFalse, wholeNumber } from './checks.ts';

/** How the connector finds and mends what the store never told it. */
export interface HealingSettings {
  /** How often what the store changed is compared with what was sent, in minutes. Default: 60. */
  readonly everyMinutes?: number;

  /**
   * How often everything is compared, so that a corrected rule reaches old entities and deletions that
   * were never announced are found, in days; `false` for never. Default: 7.
   */
  readonly deepEveryDays?: number | false;

  /**
   * How the webhook subscriptions are made. They can be seen only by the way they were made, and both at
   * once would send every event twice.
   *
   * - `admin-api`: by the connector (`npx connector webhooks sync`).
   * - `app-configuration`: by `shopify.app.toml`, with `shopify app deploy`.
   *
   * Default: `admin-api`.
   */
  readonly subscriptions?: 'admin-api' | 'app-configuration';

  /**
   * Whether subscriptions that are missing or wrong are mended by the scheduled run; otherwise it only
   * raises the alarm. Default: `true`.
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
