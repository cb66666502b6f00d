import { shellWord } from './text.ts';

/** A command in parts: `dead-letters list`, its operands and its options by their long names. */
export interface Line {
  readonly command: string;
  readonly operands: readonly string[];
  readonly options: Options;
}

/** False and undefined: not given. A list: given as often. */
export type Options = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export const line = (
  command: string,
  operands: readonly string[] = [],
  options: Options = {},
): Line => ({ command, operands, options });

/** Where the command runs: a deployed stack, or the one of this machine. */
export interface LinePlace {
  readonly where: 'aws' | 'local';
  readonly stack: string;
  readonly region: string;
  readonly profile?: string | undefined;
}

/** To copy into a terminal. An operand that begins with a hyphen, as a coupon's code can, stands behind all options. */
export function lineText({ command, operands, options }: Line, place?: LinePlace): string {
  const given = optionTexts(options);
  const stack =
    place?.where === 'aws' ? [`--stack ${place.stack}`, `--region ${place.region}`] : [];
  const profile = place?.profile === undefined ? [] : [`--profile ${shellWord(place.profile)}`];
  const words = operands.map(shellWord);
  const isRisky = operands.some((one) => one.startsWith('-'));
  const parts = isRisky
    ? [...given, ...stack, ...profile, '--', ...words]
    : [...words, ...given, ...stack, ...profile];
  return ['npx loyalty-connector', command, ...parts].join(' ');
}

/** `--code 35`, one text for each. */
export function optionTexts(options: Options): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().map((one) => optionText(name, String(one)));
  });
}

/** A value that begins with a hyphen would be taken for an option. */
function optionText(name: string, value: string): string {
  return `--${name}${value.startsWith('-') ? '=' : ' '}${shellWord(value)}`;
}

/** For a program: the same value, with each line as the text to run. */
export function withLineTexts(value: unknown, place?: LinePlace): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withLineTexts(one, place));
  if (isLine(value)) return lineText(value, place);
  const parts = Object.entries(value).map(([name, one]) => [name, withLineTexts(one, place)]);
  return Object.fromEntries(parts);
}

function isLine(value: object): value is Line {
  return Object.keys(value).sort().join() === 'command,operands,options';
}
