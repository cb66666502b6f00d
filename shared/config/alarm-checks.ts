import type { AlarmSettings, OrderSilence } from './alarm-settings.ts';
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
