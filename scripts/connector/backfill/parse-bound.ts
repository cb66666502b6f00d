import { parseMoment } from '../arguments/moment.ts';

const DAY_MS = 86_400_000;

/** A span is counted in whole days (UTC): the same command, later that day, means the same backfill. */
export function parseBound(text: string): number {
  const epochMs = parseMoment(text);
  return /^\d+[a-z]$/.test(text) ? Math.floor(epochMs / DAY_MS) * DAY_MS : epochMs;
}
