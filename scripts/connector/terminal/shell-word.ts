import { printable } from './printable.ts';

/** A text as one word of a command to copy: a coupon's code may hold whatever a shell would act on. */
export function shellWord(text: string): string {
  if (/^[\w./:@+-]+$/.test(text)) return text;
  return `'${printable(text).replaceAll("'", `'\\''`)}'`;
}
