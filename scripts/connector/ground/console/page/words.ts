import type { ChartBlock } from '../../terminal/document.ts';
import { relativeTime } from '../../terminal/text.ts';

const LOCALE = 'en-GB';

/** Of the clocks of a moment: `UTC`, `GMT-3`. Summer time may begin while a page is open. */
export function zoneOf(moment: string | number): string {
  const style = { hour: '2-digit', timeZoneName: 'short' } as const;
  return new Date(moment).toLocaleTimeString(LOCALE, style).replace(/^\S+ /, '');
}

export function numberText(value: number): string {
  return value.toLocaleString(LOCALE).replace('-', '−');
}

export function localText(moment: string | number): string {
  const style = { dateStyle: 'medium', timeStyle: 'medium' } as const;
  return new Date(moment).toLocaleString(LOCALE, style);
}

/** `Thu 12 Nov 2026` */
export function dayText(moment: string): string {
  const style = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return new Date(moment).toLocaleDateString(LOCALE, style);
}

const SECOND = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

/** `14:05:09` */
export function secondText(moment: string | number): string {
  return new Date(moment).toLocaleTimeString(LOCALE, SECOND);
}

/** `14:05:09`, or with the date where it is another day than `near`. */
export const timeText = (moment: string, near: string) =>
  dayText(moment) === dayText(near) ? secondText(moment) : localText(moment);

/** `14:05` */
export function clockText(moment: number): string {
  const { second: _, ...style } = SECOND;
  return new Date(moment).toLocaleTimeString(LOCALE, style);
}

/** `3 h ago`, `in 2 min`: as at a terminal. */
export const agoText = (moment: string) => relativeTime(Date.parse(moment), new Date());

/** Values up to `most` as texts in one unit: `0.5 s` and `12 s`, but `0.2 min` and `3 min`. */
export function textIn(kind: ChartBlock['unit'], most: number): (value: number | null) => string {
  const time = most < 1_000 ? [' ms', 1] : most < 120_000 ? [' s', 1_000] : [' min', 60_000];
  const [unit, size] = (kind === 'count' ? ['', 1] : time) as [string, number];
  const style = { maximumFractionDigits: most < 10 * size ? 1 : 0 };
  return (value) =>
    value === null ? '–' : `${(value / size).toLocaleString(LOCALE, style)}${unit}`;
}
