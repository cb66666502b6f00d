import {
  type Check,
  either,
  listOf,
  matching,
  must,
  oneOf,
  type SettingFault,
  shapeOf,
  wholeNumber,
} from './checks.ts';

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

/**
 * CloudWatch knows UTC only, so an hour that is open only in summer or only in winter is not monitored;
 * and every measured period must end before the shop closes.
 */
const LOST_HOURS = 2;

const timeZone = must('be a time zone such as America/Sao_Paulo', (value) => {
  if (typeof value !== 'string') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
});

const shape = shapeOf({
  required: {
    hours: wholeNumber(1, 24, 'hours'),
    opens: wholeNumber(0, 23, 'hours'),
    closes: wholeNumber(1, 24, 'hours'),
    timeZone,
  },
  optional: { days: oneOf('every-day', 'monday-to-friday', 'monday-to-saturday') },
});

/** An alarm that can never trigger would be worse than none. */
function roomFault(silence: OrderSilence, path: string): SettingFault[] {
  const { hours, opens, closes, days = 'every-day' } = silence;
  if (closes <= opens) return [{ path: `${path}.closes`, problem: 'must be later than opens' }];
  const always = opens === 0 && closes === 24 && days === 'every-day';
  if (always || hours <= closes - opens - LOST_HOURS) return [];
  const problem = `must be at least ${LOST_HOURS} less than the hours between opens and closes`;
  return [{ path: `${path}.hours`, problem }];
}

export const orderSilenceCheck: Check = either(
  (value) => value === false,
  () => [],
  (value, path) => {
    const faults = shape(value, path);
    return faults.length > 0 ? faults : roomFault(value as OrderSilence, path);
  },
);

const alarmChecks: Record<keyof AlarmSettings, Check> = {
  emails: listOf(matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'be an e-mail address'), 0),
  orderSilence: orderSilenceCheck,
  healedPercent: wholeNumber(1, 100, 'percent'),
  oldestMessageMinutes: wholeNumber(1, 10_080, 'minutes'),
  monthlyBudget: shapeOf({
    required: { dollars: wholeNumber(1, 1_000_000, 'dollars'), of: oneOf('account', 'stack') },
  }),
};

export const alarmCheck: Check = shapeOf({ optional: alarmChecks });
