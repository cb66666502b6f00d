import { InvalidArgumentError, Option } from 'commander';
import type { Connector, Shop } from '../../../../shared/config/connector-config.ts';
import type { EventKind } from '../../../../shared/core/events/event.ts';
import { BadArguments } from '../terminal/exit.ts';

/** The shop with the given domain or path; without one, the only shop of the settings. */
export function findShop({ shops }: Connector, named: string | undefined): Shop {
  const found =
    named === undefined
      ? shops.slice(0, shops.length === 1 ? 1 : 0)
      : shops.filter(({ domain, path }) => domain === named || path === named);
  const [shop] = found;
  if (shop) return shop;
  const known = shops.map(({ domain }) => domain).join(', ');
  throw new BadArguments(
    named === undefined
      ? `give --shop, one of ${known}.`
      : `the settings have no shop "${named}"; they have ${known}.`,
  );
}

export function shopsOf(connector: Connector, named: string | undefined): readonly Shop[] {
  return named === undefined ? connector.shops : [findShop(connector, named)];
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = /^(\d{1,6})([smhdw])$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** `30m`, `2h`: so many milliseconds. */
export function durationMs(text: string): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  }
  throw new InvalidArgumentError(`Give a duration such as 30m, 2h or 1d.`);
}

/** A parser for commander, for an option that is shown again as it was given. */
export function durationText(text: string): string {
  if (durationMs(text) === 0) throw new InvalidArgumentError('Give a time longer than 0.');
  return text;
}

/** `2h`, `3d`: that long ago; or an ISO date, in UTC unless it has an offset. Returns epoch milliseconds. */
export function parseMoment(text: string): number {
  if (DURATION.test(text)) return Date.now() - durationMs(text);
  if (ISO_DATE.test(text)) {
    const hasZone = text.length <= 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text);
    const epochMs = Date.parse(hasZone ? text : `${text}Z`);
    // Date.parse takes the 30th of February for the 2nd of March.
    const day = Number.isFinite(epochMs) ? new Date(Date.parse(text.slice(0, 10))) : undefined;
    if (day?.toISOString().slice(0, 10) === text.slice(0, 10)) return epochMs;
    throw new InvalidArgumentError('There is no such date.');
  }
  throw new InvalidArgumentError(
    'Give a duration such as 90m, 2h or 3d, or a date such as 2026-10-05.',
  );
}

const DAY_MS = 86_400_000;

/** A duration is rounded to whole days (UTC), so that the same command later that day means the same backfill. */
export function parseBound(text: string): number {
  const epochMs = parseMoment(text);
  return /^\d+[a-z]$/.test(text) ? Math.floor(epochMs / DAY_MS) * DAY_MS : epochMs;
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

export function stageName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,19}$/.test(text)) return text;
  throw new InvalidArgumentError('Give up to 20 lower-case letters, digits and hyphens.');
}

export const queueOption = (what: string) =>
  new Option('--queue <queue>', what).choices(['orders', 'products', 'coupons', 'balances']);

// Spelled out here so that --help loads little of the connector.
export const EVENT_KINDS = Object.keys({
  ...{ order: 1, product: 1, coupon: 1, member: 1, discount: 1, customer: 1, shop: 1 },
  ...{ balance: 1, 'point-event': 1, redemption: 1 },
} satisfies Record<EventKind, 1>) as readonly EventKind[];
