/** A service that asks for more has sent nonsense, or a date by a wrong clock. */
const longestSeconds = 24 * 60 * 60;

/** Retry-After as seconds from now: it may be a number of seconds or an HTTP date. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : / GMT$/.test(text)
      ? Math.ceil((Date.parse(text) - now.getTime()) / 1000)
      : Number.NaN;
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), longestSeconds);
}
