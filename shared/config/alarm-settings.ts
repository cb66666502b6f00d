import { type Check, either, listOf, matching, must, shapeOf, wholeNumber } from './checks.ts';

interface OrderSilence {
  /** Hours without any order webhook after which somebody is told, from 1 to 24. */
  readonly hours: number;
  /** The hours of the day, from 0 to 24, between which orders are expected, in `timeZone`. */
  readonly opens: number;
  readonly closes: number;
  /** Such as `America/Sao_Paulo`. */
  readonly timeZone: string;
}

/** Who is told, and when. */
export interface AlarmSettings {
  /** Addresses that get every alarm; each must confirm the subscription once. Default: none. */
  readonly emails?: readonly string[];

  /**
   * Says when a shop that should be selling is silent: webhooks may have stopped. `false` for a shop
   * with few orders. Default: `false`.
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

export interface Alarms {
  readonly emails: readonly string[];
  readonly orderSilence: false | OrderSilence;
  readonly healedPercent: number;
  readonly oldestMessageMinutes: number;
}

export function completeAlarms(settings: AlarmSettings = {}): Alarms {
  return {
    emails: settings.emails ?? [],
    orderSilence: settings.orderSilence ?? false,
    healedPercent: settings.healedPercent ?? 5,
    oldestMessageMinutes: settings.oldestMessageMinutes ?? 30,
  };
}

const timeZone = must('be a time zone such as America/Sao_Paulo', (value) => {
  if (typeof value !== 'string') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
});

const silence = shapeOf({
  required: {
    hours: wholeNumber(1, 24, 'hours'),
    opens: wholeNumber(0, 24, 'hours'),
    closes: wholeNumber(0, 24, 'hours'),
    timeZone,
  },
});

const alarmChecks: Record<keyof AlarmSettings, Check> = {
  emails: listOf(matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'be an e-mail address'), 0),
  orderSilence: either(
    (value) => value === false,
    () => [],
    silence,
  ),
  healedPercent: wholeNumber(1, 100, 'percent'),
  oldestMessageMinutes: wholeNumber(1, 10_080, 'minutes'),
};

export const alarmCheck: Check = shapeOf({ optional: alarmChecks });
