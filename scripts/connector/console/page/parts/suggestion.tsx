import { about, isOffered } from '../about.ts';
import { openAction } from '../action.ts';
import { hrefOf } from '../router.ts';
import type { Line } from '../run.ts';
import { strings } from '../strings.ts';
import { readSuggestion } from '../suggestion.ts';
import { words } from '../words.ts';
import { CommandText, lineText } from './command-line.tsx';

/** A sentence with a command in it (`To see it: npx loyalty-connector …`), or a bare command. */
export function Suggestion({ text }: { readonly text: string }) {
  const { views, runIt, notOffered } = words(strings);
  const start = text.indexOf('npx loyalty-connector ');
  const line = readSuggestion(start < 0 ? text : text.slice(start), about.flags);
  if (!line) return <p lang="en">{text}</p>;
  const sentence = start > 0 ? text.slice(0, start) : '';
  const place = placeOf(line);
  return (
    <p class="suggestion">
      {sentence !== '' && <span lang="en">{sentence} </span>}
      {place && <a href={hrefOf(...place)}>{views[place[0]]}</a>}
      {!place && isOffered(line.command) && (
        <button type="button" onClick={() => openAction({ title: line.command, line })}>
          {runIt}
        </button>
      )}
      {!place && !isOffered(line.command) && <span>{notOffered} </span>}
      {!place && <CommandText text={lineText(line)} />}
    </p>
  );
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
  switch (command) {
    case 'status':
      return ['now'];
    case 'trace':
    case 'compare':
      return operands.length === 2 ? ['story', operands] : undefined;
    case 'dead-letters list':
      return ['letters', [], query];
    case 'dead-letters show':
      return ['letters', operands];
    case 'doctor':
      return ['set-up'];
    case 'history':
      return ['history', [], query];
    case 'redemptions show':
      return ['customers', operands];
    case 'webhooks check':
    case 'backfill status':
      return ['healing'];
    default:
      return undefined;
  }
}
