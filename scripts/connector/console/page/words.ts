const LOCALE = 'en-GB';

export function numberText(value: number): string {
  return value.toLocaleString(LOCALE);
}

/** Date and time where the browser is. */
export function momentText(moment: string | number): string {
  const style = { dateStyle: 'medium', timeStyle: 'medium' } as const;
  return new Date(moment).toLocaleString(LOCALE, style);
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 hours ago`, `in 2 minutes`. */
export function agoText(moment: string | number, now = Date.now()): string {
  const seconds = Math.round((new Date(moment).getTime() - now) / 1000);
  const [unit, size] = UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? UNITS[3];
  const format = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
  return format.format(Math.trunc(seconds / size), unit);
}

/** `14:05` */
export function clockText(seconds: number): string {
  const style = { hour: '2-digit', minute: '2-digit' } as const;
  return new Date(seconds * 1000).toLocaleTimeString(LOCALE, style);
}

/** `1.2s`, `3min` */
export function durationText(milliseconds: number): string {
  const [unit, size] =
    milliseconds < 120_000 ? (['second', 1_000] as const) : (['minute', 60_000] as const);
  return (milliseconds / size).toLocaleString(LOCALE, {
    ...({ style: 'unit', unit, unitDisplay: 'narrow' } as const),
    maximumFractionDigits: milliseconds < 10_000 ? 1 : 0,
  });
}
