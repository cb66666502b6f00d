import { useState } from 'preact/hooks';
import { shellWord } from '../../../terminal/text.ts';
import { about, isOffered } from '../about.ts';
import { type Action, openAction } from '../action.ts';
import { hrefOf } from '../router.ts';
import type { Line } from '../run.ts';
import { strings } from '../strings.ts';
import { readSuggestion } from '../suggestion.ts';

/** A sentence with a command in it (`To see it: npx loyalty-connector …`), or a bare command. */
export function Suggestion({
  text,
  onEnd,
}: {
  readonly text: string;
  /** After the command was run here. */
  readonly onEnd?: Action['onEnd'];
}) {
  const start = text.indexOf('npx loyalty-connector ');
  const line = readSuggestion(start < 0 ? text : text.slice(start), about.flags);
  if (!line) return <p>{text}</p>;
  const sentence = start > 0 ? text.slice(0, start) : '';
  const place = placeOf(line);
  return (
    <p class="suggestion">
      {sentence !== '' && <span>{sentence} </span>}
      {place && <a href={hrefOf(...place)}>{strings.views[place[0]]}</a>}
      {!place && isOffered(line.command) && (
        <button
          type="button"
          onClick={() => openAction({ ...actionOf(line), ...(onEnd && { onEnd }) })}
        >
          {strings.actions[line.command] ?? 'Do it'}
        </button>
      )}
      {!place && !isOffered(line.command) && (
        <span>
          {about.readOnly
            ? 'This console only looks. Someone who may change things can run:'
            : 'In a terminal:'}{' '}
        </span>
      )}
      {!place && <CommandText text={lineText(line)} />}
    </p>
  );
}

/** Without --yes these say what they would do. */
const PREVIEWS: ReadonlySet<string> = new Set([
  ...['dead-letters replay', 'dead-letters drop', 'webhooks sync', 'redemptions close', 'resend'],
  ...['backfill orders', 'backfill products', 'backfill discounts'],
]);

function actionOf(line: Line): Action {
  const { command, options = {} } = line;
  const isPreview = PREVIEWS.has(command) && options.yes !== true;
  const title = strings.actions[command] ?? command;
  if (!isPreview) return { title, line };
  return { title, preview: line, line: { ...line, options: { ...options, yes: true } } };
}

/** The view that answers the same question. */
function placeOf({
  command,
  operands = [],
  options = {},
}: Line): Parameters<typeof hrefOf> | undefined {
  const query = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, String(value)]),
  );
  const inShop = query.shop !== undefined && about.shops.length > 1 ? { shop: query.shop } : {};
  switch (command) {
    case 'status':
      return ['now'];
    case 'trace':
    case 'compare':
      return operands.length === 2 ? ['story', operands, inShop] : undefined;
    case 'dead-letters list':
      return ['letters', [], query];
    case 'dead-letters show':
      return ['letters', operands];
    case 'doctor':
      return ['set-up'];
    case 'history':
      return ['history', [], query];
    case 'redemptions show':
      return ['customers', operands, inShop];
    case 'reconcile status':
    case 'webhooks check':
    case 'backfill status':
      return ['healing'];
    default:
      return undefined;
  }
}

/** The line for a terminal that does the same. */
function lineText({ command, operands = [], options = {} }: Line): string {
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
