import { COMMAND_KINDS } from '../../command-kinds.ts';
import type { Line } from '../run-command.ts';

/**
 * A command that the connector suggests, as words to run: `npx loyalty-connector dead-letters replay --id 7`, or
 * without its first two words. `flags` are the options without a value. Undefined where the text is no such command.
 */
export function readSuggestion(text: string, flags: readonly string[]): Line | undefined {
  const words = shellWords(text.replace(/^npx loyalty-connector /, ''));
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) =>
    Object.hasOwn(COMMAND_KINDS, one),
  );
  if (name === undefined) return undefined;
  const operands: string[] = [];
  const options: Record<string, string | boolean> = {};
  const rest = words.slice(name.split(' ').length);
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') operands.push(...rest.splice(0));
    else if (!word.startsWith('--')) operands.push(word);
    else {
      const [option = '', value] = word.slice(2).split(/=(.*)/s, 2);
      options[option] = value ?? (flags.includes(option) ? true : (rest.shift() ?? true));
    }
  }
  for (const place of ['stack', 'region', 'profile']) delete options[place];
  return { command: name, operands, options };
}

/** Only the quotes that the connector writes around a word: '…', with '\'' for a quote inside. */
function shellWords(text: string): string[] {
  const found = text.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? [];
  return found.map((word) =>
    word.replace(/'([^']*)'|\\(.)/g, (_whole, quoted: string | undefined, escaped: string) =>
      quoted === undefined ? escaped : quoted,
    ),
  );
}
