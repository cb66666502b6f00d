import { about, isOffered } from '../about.ts';
import { type Action, openAction } from '../action.ts';
import { hrefOf } from '../router.ts';
import type { Line } from '../run.ts';
import { strings } from '../strings.ts';
import { readSuggestion } from '../suggestion.ts';
import { CommandText, lineText } from './command-line.tsx';

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
