const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** `3 h`, `12 min`: one unit, rounded down. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(Math.floor(milliseconds / 1000), 0);
  const unit = UNITS.find((one) => seconds >= one.seconds) ?? UNITS[3];
  return `${Math.floor(seconds / unit.seconds)} ${unit.name}`;
}

/** `3 h ago`, `in 2 min`, `now`. */
export function relativeTime(epochMs: number, now: Date): string {
  const ago = now.getTime() - epochMs;
  if (Math.abs(ago) < 1000) return 'now';
  return ago > 0 ? `${spanText(ago)} ago` : `in ${spanText(-ago)}`;
}
