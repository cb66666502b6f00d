/**
 * Shows control characters as escapes: foreign text must not move the cursor,
 * ring the bell or colour the output. Direction marks can disguise a text, so they are escaped too.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters on purpose
  return text.replace(/[\u0000-\u001f]/g, escapeUnit).replace(DISGUISES, escapeUnit);
}

/**
 * The last door to the screen, for whole texts with their line ends and the colours of `Terminal.style`. A text
 * that was not made printable before can at worst have a colour.
 */
export function printableLines(text: string): string {
  return text
    .split(LINE_ENDS_AND_COLOURS)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}

/** Also valid JSON: control characters, which JSON allows from U+007F on, would reach the screen. */
export function printableJson(document: unknown): string {
  return JSON.stringify(document, null, 2).replace(DISGUISES, escapeUnit);
}

/** How a command failed. `failed`: its message says what to do; `unexpected`: a bug or broken infrastructure. */
export type ErrorCode = 'bad-arguments' | 'failed' | 'interrupted' | 'unexpected';

/** What `--json` prints of a command that failed: docs/command-output.schema.json. */
export const errorJson = (code: ErrorCode, message: string, next?: string): string =>
  printableJson({ error: { code, message, ...(next !== undefined && { next }) } });

/** Control characters above the ASCII ones, line ends that not every program knows, and direction marks. */
const DISGUISES = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what `styleText` writes
const LINE_ENDS_AND_COLOURS = /(\n|\u001b\[\d{1,3}m)/;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** At most `width` columns, with an ellipsis where something is left out. */
export function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;
}

/** Below this, lines are broken by the terminal itself. */
const LEAST_WIDTH = 10;

/** Lines of at most `room` columns, broken at spaces where there are any. */
export function wrap(text: string, room: number): readonly string[] {
  const width = Math.max(room, LEAST_WIDTH);
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

/** `1 h 59 min`, `12 min`: of a few units also the next smaller one, and what is left rounded down. */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(Math.floor(milliseconds / 1000), 0);
  const [unit = UNITS[3], next] = UNITS.slice(UNITS.findIndex((one) => seconds >= one.seconds));
  const whole = Math.floor(seconds / unit.seconds);
  const rest = next && whole < 10 ? Math.floor((seconds % unit.seconds) / next.seconds) : 0;
  return `${whole} ${unit.name}${next && rest > 0 ? ` ${rest} ${next.name}` : ''}`;
}

/** `3 h ago`, `in 2 min`, `now`. What is past stands in tables, in one unit; what is to come is waited for. */
export function relativeTime(epochMs: number, now: Date): string {
  const ago = now.getTime() - epochMs;
  if (Math.abs(ago) < 1000) return 'now';
  if (ago < 0) return `in ${spanText(-ago)}`;
  return `${spanText(ago).split(' ').slice(0, 2).join(' ')} ago`;
}

/** `11:22 UTC`, or with the date where it is another day. */
export function momentText(iso: string, now: Date): string {
  const isToday = iso.slice(0, 10) === now.toISOString().slice(0, 10);
  return `${isToday ? '' : `${iso.slice(0, 10)} `}${iso.slice(11, 16)} UTC`;
}

/** In seconds and UTC, as in the store: `2026-10-09 12:00:00`. */
export function utcText(moment: string | number): string {
  return new Date(moment).toISOString().slice(0, 19).replace('T', ' ');
}

/** `4.2 s`, or a longer span. */
export function secondsText(milliseconds: number): string {
  return milliseconds < 100_000 ? `${(milliseconds / 1000).toFixed(1)} s` : spanText(milliseconds);
}

/** The user, or the name of a role's session: the end of an ARN. */
export const personOf = (arn: string): string => arn.split(/[/:]/).at(-1) ?? arn;

/** `1 order`, `3,200 orders` */
export function counted(many: number, thing: string): string {
  return `${many.toLocaleString('en')} ${thing}${many === 1 ? '' : 's'}`;
}

/** `1 message waits`, `3 messages wait`: the verb without its ending. */
export const countedWith = (many: number, thing: string, verb: string): string =>
  `${counted(many, thing)} ${verb}${many === 1 ? 's' : ''}`;

/** With a capital letter and a full stop. */
export const sentence = (words: string): string =>
  `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;

/** Quotes a text for a command to copy: a coupon code may contain characters that a shell interprets. */
export function shellWord(text: string): string {
  if (/^[\w./:@+-]+$/.test(text)) return text;
  return `'${printable(text).replaceAll("'", `'\\''`)}'`;
}
