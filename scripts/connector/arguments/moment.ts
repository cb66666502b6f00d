import { InvalidArgumentError } from 'commander';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const DURATION = /^(\d{1,6})([smhdw])$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/** `2h`, `3d`: so long ago; or an ISO date, in UTC unless it says otherwise. Epoch milliseconds. */
export function parseMoment(text: string, now = new Date()): number {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    return now.getTime() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  }
  if (ISO_DATE.test(text)) {
    const hasZone = text.length <= 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text);
    const epochMs = Date.parse(hasZone ? text : `${text}Z`);
    if (Number.isFinite(epochMs)) return epochMs;
  }
  throw new InvalidArgumentError(
    'Give a span such as 90m, 2h or 3d, or a date such as 2026-10-05.',
  );
}
