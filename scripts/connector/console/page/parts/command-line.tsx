import { useState } from 'preact/hooks';
import { shellWord } from '../../../terminal/text.ts';
import { about } from '../about.ts';
import type { Line } from '../run.ts';

/** The line for a terminal that does the same. */
export function lineText({ command, operands = [], options = {} }: Line): string {
  const given = Object.entries(options).flatMap(([name, value]) => {
    if (name === 'json') return [];
    if (typeof value === 'boolean') return value ? [`--${name}`] : [];
    return [value].flat().map((one) => `--${name}=${shellWord(String(one))}`);
  });
  const { where, stack, region, profile } = about;
  const account = profile === undefined ? [] : [`--profile ${shellWord(profile)}`];
  const place = where === 'aws' ? [`--stack ${stack}`, `--region ${region}`, ...account] : [];
  const isRisky = operands.some((one) => one.startsWith('-'));
  const last = operands.map(shellWord);
  const parts = isRisky ? [...given, ...place, '--', ...last] : [...last, ...given, ...place];
  return ['npx loyalty-connector', command, ...parts].join(' ');
}

export function CommandText({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copyIt = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={() => void copyIt()}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}

/** Folded away: for those who will use a terminal next time. */
export function InTerminal({ line }: { readonly line: Line }) {
  return (
    <details class="in-terminal">
      <summary>The same in a terminal</summary>
      <CommandText text={lineText(line)} />
    </details>
  );
}
