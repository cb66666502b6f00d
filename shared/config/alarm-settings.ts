import { type Check, listOf, matching, shapeOf, wholeNumber } from './checks.ts';
import { type OrderSilence, orderSilenceCheck } from './order-silence.ts';

/** Who is told, and when. */
export interface AlarmSettings {
  /** Addresses that get every alarm; each must confirm the subscription once. Default: none. */
  readonly emails?: readonly string[];

  /**
   * Says when a shop that should be selling is silent: webhooks may have stopped. A shop can have its
   * own. `false` for shops with few orders. Default: `false`.
   */
  readonly orderSilence?: false | OrderSilence;

  /**
   * The share of looked-at entities, in percent from 1 to 100, that reconciliation may heal before
   * somebody is told that webhooks get lost. Default: 5.
   */
  readonly healedPercent?: number;

  /** Minutes that a message may wait in a queue before somebody is told. Default: 30. */
  readonly oldestMessageMinutes?: number;
}

/** Without the silence, which is a matter of each shop. */
export interface Alarms {
  readonly emails: readonly string[];
  readonly healedPercent: number;
  readonly oldestMessageMinutes: number;
}

export function completeAlarms(settings: AlarmSettings = {}): Alarms {
  return {
    emails: settings.emails ?? [],
    healedPercent: settings.healedPercent ?? 5,
    oldestMessageMinutes: settings.oldestMessageMinutes ?? 30,
  };
}

const alarmChecks: Record<keyof AlarmSettings, Check> = {
  emails: listOf(matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'be an e-mail address'), 0),
  orderSilence: orderSilenceCheck,
  healedPercent: wholeNumber(1, 100, 'percent'),
  oldestMessageMinutes: wholeNumber(1, 10_080, 'minutes'),
};

export const alarmCheck: Check = shapeOf({ optional: alarmChecks });
