import { add, decimalOf, textOf as decimalTextOf } from '../../store/money.ts';
import { decimalText } from './decimal-text.ts';

/** The points that expire next. */
export interface Expiring {
  /** An exact decimal in plain notation. */
  readonly points: string;
  /** ISO 8601 in UTC, to the second. */
  readonly at: string;
}

interface Dated {
  readonly points: number;
  readonly at: number;
}

/**
 * Of what the service lists, the next day on which points expire and all points of that day: a page has
 * room for one sentence. Null: none. The service lists only what is close to its expiry, and only where
 * points expire.
 */
export function expiringNext(listed: unknown, now: number): Expiring | null {
  const coming = (Array.isArray(listed) ? listed : [])
    .flatMap(readDated)
    .filter(({ at }) => at > now)
    .toSorted((one, other) => one.at - other.at);
  const [first] = coming;
  if (!first) return null;
  const points = coming
    .filter(({ at }) => dayOf(at) === dayOf(first.at))
    .map((one) => decimalOf(one.points))
    .reduce(add);
  const text = decimalText(Number(decimalTextOf(points)));
  return text === undefined ? null : { points: text, at: textOf(first.at) };
}

/** The client checks the containers of an answer, not every field in them. */
function readDated(listed: unknown): readonly Dated[] {
  if (typeof listed !== 'object' || listed === null) return [];
  const { Points: points, When: when } = listed as { Points?: unknown; When?: unknown };
  const at = typeof when === 'string' ? Date.parse(when) : Number.NaN;
  const isUsable = typeof points === 'number' && Number.isFinite(points) && points > 0;
  return isUsable && isWritable(at) ? [{ points, at }] : [];
}

/** Dates beyond the year 9999 have another form. */
const isWritable = (at: number): boolean => Number.isFinite(at) && at < Date.UTC(10_000, 0);

const textOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
const dayOf = (at: number): string => textOf(at).slice(0, 10);
