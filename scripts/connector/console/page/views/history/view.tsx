import type { HistoryDocument } from '../../../../history/show-history.ts';
import { Answer } from '../../parts/answer.tsx';
import { optionsIn } from '../../parts/choice.tsx';
import { goTo, hrefOf, type ViewProps } from '../../router.ts';
import { useQuestion } from '../../use-question.ts';
import { momentText, words } from '../../words.ts';
import { strings } from './strings.ts';

type Change = HistoryDocument['changes'][number];

const PAGE = 25;

/** The record of what operators changed. */
export function HistoryView({ place: { query } }: ViewProps) {
  const texts = words(strings);
  const question = useQuestion<HistoryDocument>({
    command: 'history',
    options: { limit: PAGE, ...query },
  });
  const { until, ...filters } = query;
  return (
    <>
      <Filters filters={filters} />
      <Answer question={question}>
        {({ changes, more }) => (
          <>
            {changes.length === 0 ? <p>{texts.none}</p> : <ChangeTable changes={changes} />}
            <p class="buttons">
              {until !== undefined && <a href={hrefOf('history', [], filters)}>{texts.newest}</a>}
              {more !== undefined && (
                <a href={hrefOf('history', [], { ...filters, until: more })}>{texts.earlier}</a>
              )}
            </p>
          </>
        )}
      </Answer>
    </>
  );
}

function Filters({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const texts = words(strings);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        goTo('history', [], optionsIn(event.currentTarget));
      }}
    >
      <label>
        {texts.who} <input name="who" defaultValue={filters.who ?? ''} />
      </label>
      <label>
        {texts.command} <input name="command" defaultValue={filters.command ?? ''} />
      </label>
      <button type="submit" class="quiet">
        {texts.show}
      </button>
    </form>
  );
}

function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  const texts = words(strings);
  return (
    <div class="scrolls card">
      <table>
        <thead>
          <tr>
            {[texts.begun, texts.who, texts.command, texts.result, texts.changed].map((title) => (
              <th scope="col" key={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <ChangeRow change={change} key={`${change.at} ${change.who} ${change.command}`} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const COLOURS = { finished: 'well', failed: 'bad', interrupted: 'waits', 'no-end': 'waits' };

function ChangeRow({ change }: { readonly change: Change }) {
  const texts = words(strings);
  const { at, who, command, arguments: given, end } = change;
  const result = end?.result ?? 'no-end';
  return (
    <tr>
      <td>{momentText(at)}</td>
      <td>
        <span title={who}>{who.split('/').at(-1)}</span>
      </td>
      <td>
        <code>{[command, ...Object.entries(given).map(wordOf)].join(' ')}</code>
      </td>
      <td>
        <span
          class={`badge ${COLOURS[result]}`}
          title={result === 'no-end' ? texts.noEndMeans : undefined}
        >
          {texts.results[result]}
        </span>
      </td>
      <td lang="en">
        {Object.entries(end?.counts ?? {})
          .filter(([, count]) => count > 0)
          .map(([name, count]) => `${inWords(name)} ${count}`)
          .join(', ') || '–'}
      </td>
    </tr>
  );
}

/** `notReplayed` → `not replayed` */
const inWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Operands are recorded by their number. */
function wordOf([name, value]: readonly [string, string]): string {
  if (/^\d+$/.test(name)) return value;
  return value === 'true' ? `--${name}` : `--${name}=${value}`;
}
