import {
  type Check,
  either,
  must,
  oneOf,
  type SettingFault,
  shapeOf,
  wholeNumber,
} from './checks.ts';

/** When a shop that should be selling counts as silent. */
export interface OrderSilence {
  /** So many hours without any order webhook, all within the opening hours; from 1 to 24. */
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
 * CloudWatch knows UTC only, so that an hour which is open in summer or in winter alone is not watched;
 * and what is measured must end before the shop closes.
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

/** An alarm that can never ring would be worse than none. */
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
