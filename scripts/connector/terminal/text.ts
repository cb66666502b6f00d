/**
 * Shows control characters as escapes: foreign text must not move the cursor,
 * ring the bell or colour the output. Direction marks can disguise a text, so they are escaped too.
 */
export function printable(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** At most `width` columns, with an ellipsis where something is left out. */
export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;
}

/** Lines of at most `width` columns, broken at spaces where there are any. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return rest === '' ? lines : [...lines, rest];
}

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

/** Quotes a text for a command to copy: a coupon code may contain characters that a shell interprets. */
export function shellWord(text: string): string {
  if (/^[\w./:@+-]+$/.test(text)) return text;
  return `'${printable(text).replaceAll("'", `'\\''`)}'`;
}
