import { spanText } from '../terminal/text.ts';
import type { BackfillState } from './backfill-state.ts';

export interface PaceOptions {
  readonly rate?: number;
  readonly mostWaiting?: number;
  readonly shop?: string;
}

export interface StartOptions extends PaceOptions {
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly yes?: boolean;
  readonly again?: boolean;
}

/** Low, because the capacity of the loyalty service is unknown: 100 000 orders take three hours. */
export const DEFAULT_RATE = 10;

/** Half a minute of work for a few workers: the longest that a live order may have to wait. */
export const DEFAULT_MOST_WAITING = 500;

/** Limits the average rate, never more than one window ahead. */
export interface Pace {
  /** Messages that are sent together. */
  readonly window: number;
  /** How long to wait before `count` more, in milliseconds. */
  before(count: number, nowMs: number): number;
}

/** One second of messages, at most this many: a window may be sent again after a crash. */
const LARGEST_WINDOW = 100;

export function createPace(perSecond: number): Pace {
  let freeAt = Number.NEGATIVE_INFINITY;
  return {
    window: Math.min(Math.max(Math.floor(perSecond), 1), LARGEST_WINDOW),
    before(count, nowMs) {
      const startAt = Math.max(freeAt, nowMs);
      freeAt = startAt + (count / perSecond) * 1000;
      return startAt - nowMs;
    },
  };
}

export interface Estimate {
  readonly count: number;
  /** One to start, one to count, then one every few seconds while the store writes. */
  readonly storeCalls: number;
  readonly queueRequests: number;
  /** At most: an unchanged entity needs none. */
  readonly loyaltyCalls: number;
  readonly seconds: number;
}

/** Without the time that the store needs to write its file, which is not known beforehand. */
export function estimate(count: number, perSecond: number): Estimate {
  return {
    count,
    storeCalls: 3,
    queueRequests: Math.ceil(count / 10),
    loyaltyCalls: count,
    seconds: Math.ceil(count / perSecond),
  };
}

/** The connector counts codes, the store counts discounts: only the file shows the number of codes. */
export function leftOf(
  counted: number,
  begun: Pick<BackfillState, 'kind' | 'total' | 'sent' | 'unreadable'> | undefined,
): number {
  if (!begun) return counted;
  const { kind, total, sent, unreadable } = begun;
  if (total === undefined && kind === 'discounts') return counted;
  return Math.max((total ?? counted) - sent - unreadable, 0);
}

/** `3 h 20 min`: two units. */
export function longSpan(seconds: number): string {
  const units = [86_400, 3_600, 60, 1];
  const unit = units.find((one) => seconds >= one) ?? 1;
  const rest = seconds % unit;
  const first = spanText((seconds - rest) * 1000);
  return unit >= 3_600 && rest >= 60 ? `${first} ${spanText(rest * 1000)}` : first;
}
