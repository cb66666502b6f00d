import { COMMAND_KINDS } from '../../session/command-kinds.ts';
import { type Line, line } from '../../terminal/line.ts';

/** A person agrees to them each time: an address, which anybody can send, must not. */
const NEVER_IN_ADDRESS: ReadonlySet<string> = new Set(['yes', 'reveal']);

/** `#/status?charts` is `status --charts`. Undefined where the address names no command that only looks. */
export function readRoute(hash: string): Line | undefined {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s, 2);
  const words = path.split('/').map(decoded);
  const command = [words.slice(0, 2).join(' '), words[0] ?? ''].find(onlyLooks);
  if (command === undefined) return undefined;
  const operands = words.slice(command.split(' ').length).filter((one) => one !== '');
  const given = new URLSearchParams(query);
  const options = [...new Set(given.keys())]
    .filter((name) => !NEVER_IN_ADDRESS.has(name))
    .map((name) => [name, optionValue(given.getAll(name))] as const);
  return line(command, operands, Object.fromEntries(options));
}

/** An option without a value is a flag; one that stands there several times is given as often. */
function optionValue(values: readonly string[]): string | true | readonly string[] {
  const [first = ''] = values;
  if (values.length > 1) return values;
  return first === '' ? true : first;
}

export function onlyLooks(command: string): boolean {
  if (!Object.hasOwn(COMMAND_KINDS, command)) return false;
  return COMMAND_KINDS[command] === 'reads' || COMMAND_KINDS[command] === 'asks';
}

export function hrefOf({ command, operands, options }: Line): string {
  const path = [...command.split(' '), ...operands].map(encodeURIComponent).join('/');
  const query = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined || value === false || NEVER_IN_ADDRESS.has(name)) return [];
    if (value === true) return [name];
    return [value].flat().map((one) => `${name}=${encodeURIComponent(one)}`);
  });
  return `#/${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Has an e-mail address in it, or shows personal data: neither may become a part of the page's address. */
export function isPrivate({ operands, options }: Line): boolean {
  const words = [...operands, ...Object.values(options).flat()];
  return options.reveal === true || words.some((one) => /\S@\S/.test(String(one)));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
