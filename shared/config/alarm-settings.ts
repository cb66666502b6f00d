/** Who gets alarms, and when. */
export interface AlarmSettings {
  /** E-mail addresses that get every alarm; each must confirm the subscription once. Default: none. */
  readonly emails?: readonly string[];

  /**
   * Raises an alarm when a shop sends no order webhooks during its opening hours: webhooks may have
   * stopped. A shop can have its own. `false` for shops with few orders. Default: `false`.
   */
  readonly orderSilence?: false | OrderSilence;

  /**
   * The share of compared entities, in percent from 1 to 100, that reconciliation may heal before the
   * alarm says that webhooks get lost. Default: 5.
   */
  readonly healedPercent?: number;

  /** Minutes that a message may wait in a queue, or be retried, before the alarm. Default: 30. */
  readonly oldestMessageMinutes?: number;

  /**
   * Notifies when AWS costs more than this in a month, or is expected to. `of: 'account'` counts the whole
   * account. `of: 'stack'` counts what has the stack's tag `stage`; until that tag is activated as a cost
   * allocation tag in the billing console it counts nothing, and never notifies. Default: none.
   */
  readonly monthlyBudget?: { readonly dollars: number; readonly of: 'account' | 'stack' };
}

/** Without `orderSilence`, which is completed for each shop. */
export interface Alarms {
  readonly emails: readonly string[];
  readonly healedPercent: number;
  readonly oldestMessageMinutes: number;
  readonly monthlyBudget: AlarmSettings['monthlyBudget'];
}

export function completeAlarms(settings: AlarmSettings = {}): Alarms {
  return {
    emails: settings.emails ?? [],
    healedPercent: settings.healedPercent ?? 5,
    oldestMessageMinutes: settings.oldestMessageMinutes ?? 30,
    monthlyBudget: settings.monthlyBudget,
  };
}

/** When a shop counts as silent. */
export interface OrderSilence {
  /** Hours without any order webhook, all within the opening hours; from 1 to 24. */
  readonly hours: number;
  /** The hours of the day, from 0 to 24, between which orders are expected, in `timeZone`. */
  readonly opens: number;
  readonly closes: number;
  /** Default: `every-day`. */
  readonly days?: 'every-day' | 'monday-to-friday' | 'monday-to-saturday';
  /** Such as `America/Sao_Paulo`. */
  readonly timeZone: string;
}
