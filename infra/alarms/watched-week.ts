import type { OrderSilence } from '../../shared/config/order-silence.ts';

/** A part of the week in minutes of UTC, from Monday 00:00. */
export interface WeekSpan {
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

export const WEEK_MINUTES = 7 * 1440;
/** Every time zone's distance from UTC is a multiple of it. */
export const QUARTER = 15;

/**
 * When a silence counts, in UTC, which is all that CloudWatch knows. A quarter of an hour is watched only if
 * the shop is open in it whatever the zone's clocks say in the year to come: where they are changed,
 * the hour that is open in one half of the year only is left out, and no night ever counts as open.
 */
export function watchedWeek(silence: OrderSilence, now: Date): readonly WeekSpan[] {
  const offsets = offsetsMinutes(silence.timeZone, now);
  const spans: WeekSpan[] = [];
  for (let from = 0; from < WEEK_MINUTES; from += QUARTER) {
    if (!offsets.every((offset) => isOpen(from + offset, silence))) continue;
    const last = spans.at(-1);
    if (last?.to === from) spans[spans.length - 1] = { from: last.from, to: from + QUARTER };
    else spans.push({ from, to: from + QUARTER });
  }
  return spans;
}

const LAST_DAY = { 'monday-to-friday': 5, 'monday-to-saturday': 6, 'every-day': 7 } as const;

function isOpen(localMinute: number, { opens, closes, days = 'every-day' }: OrderSilence): boolean {
  const ofWeek = (localMinute + WEEK_MINUTES) % WEEK_MINUTES;
  const ofDay = ofWeek % 1440;
  return ofWeek < LAST_DAY[days] * 1440 && ofDay >= opens * 60 && ofDay < closes * 60;
}

/** Every distance from UTC, east positive, that the zone has in some week of the year to come. */
function offsetsMinutes(timeZone: string, now: Date): readonly number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const found = new Set<number>();
  for (let day = 0; day <= 371; day += 7) {
    const parts = format.formatToParts(now.getTime() + day * 86_400_000);
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    const distance = Number(hours) * 60 + Number(minutes);
    found.add(sign === '-' ? -distance : distance);
  }
  return [...found];
}
