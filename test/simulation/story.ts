import { BEGINNING } from './kernel/kernel.ts';
import type { Shrunk } from './shrink.ts';

/** What a story holds at most; what comes before its end is what led there. */
const MOST_LINES = 120;

/** A failing run for a person to read. */
export function tellStory({ violation, result }: Shrunk): string {
  const { lines, faults, steps } = result;
  // Another oracle may have complained before: this is the story of one.
  const upTo = lines.findIndex(({ text }) => text.startsWith(`!! ${violation.oracle}:`));
  const told = lines.slice(0, upTo < 0 ? undefined : upTo + 1);
  const shown = told.slice(-MOST_LINES);
  const left = told.length - shown.length;
  return [
    `${violation.oracle}: ${violation.what}`,
    '',
    `It takes ${steps.length} steps of the store and ${faults.length} faults:`,
    ...faults.map(({ text }) => `  - ${text}`),
    '',
    ...(left > 0 ? [`  (${left} lines before)`] : []),
    ...shown.map(({ at, text }) => `  ${clock(at)}  ${text}`),
  ].join('\n');
}

/** Hours, minutes and seconds since the beginning. */
function clock(at: number): string {
  const ms = at - BEGINNING;
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const seconds = ((ms / 1000) % 60).toFixed(3).padStart(6, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${seconds}`;
}
