import type { ChangeEnded } from '../../../history/audit-records.ts';
import type { HistoryDocument } from '../../../history/show-history.ts';
import { Answer } from '../parts/answer.tsx';
import { Form } from '../parts/form.tsx';
import { Table } from '../parts/table.tsx';
import { goTo, hrefOf, type ViewProps } from '../router.ts';
import { useQuestion } from '../use-question.ts';
import { momentText } from '../words.ts';

type Change = HistoryDocument['changes'][number];

const PAGE = 25;

/** The record of what operators changed. */
export function HistoryView({ place: { query } }: ViewProps) {
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
            {changes.length === 0 ? (
              <p>No such change is recorded.</p>
            ) : (
              <ChangeTable changes={changes} />
            )}
            <p class="buttons">
              {until !== undefined && <a href={hrefOf('history', [], filters)}>Newest</a>}
              {more !== undefined && (
                <a href={hrefOf('history', [], { ...filters, until: more })}>Earlier</a>
              )}
            </p>
          </>
        )}
      </Answer>
    </>
  );
}

function Filters({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  return (
    <Form class="filters" onSubmit={(given) => goTo('history', [], given)}>
      <label>
        Who <input name="who" defaultValue={filters.who ?? ''} />
      </label>
      <label>
        Command <input name="command" defaultValue={filters.command ?? ''} />
      </label>
      <button type="submit" class="quiet">
        Show
      </button>
    </Form>
  );
}

const COLOURS = { finished: 'well', failed: 'bad', interrupted: 'waits', 'no-end': 'waits' };

function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <div class="card">
      <Table
        rows={changes}
        keyOf={({ at, who, command }) => `${at} ${who} ${command}`}
        columns={[
          { title: 'Begun', cell: ({ at }) => momentText(at) },
          { title: 'Who', cell: ({ who }) => <span title={who}>{who.split('/').at(-1)}</span> },
          {
            title: 'Command',
            cell: ({ command, arguments: given }) => (
              <code>{[command, ...Object.entries(given).map(wordOf)].join(' ')}</code>
            ),
          },
          {
            title: 'Result',
            cell: ({ end }) => {
              const result = end?.result ?? 'no-end';
              const title =
                result === 'no-end' ? 'It still runs, or its process was ended.' : undefined;
              return (
                <span class={`badge ${COLOURS[result]}`} title={title}>
                  {strings.results[result]}
                </span>
              );
            },
          },
          { title: 'Changed', cell: (change) => <span>{countsText(change)}</span> },
        ]}
      />
    </div>
  );
}

function countsText({ end }: Change): string {
  const counts = Object.entries(end?.counts ?? {}).filter(([, count]) => count > 0);
  return counts.map(([name, count]) => `${inWords(name)} ${count}`).join(', ') || '–';
}

/** `notReplayed` → `not replayed` */
const inWords = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Operands are recorded by their number. */
function wordOf([name, value]: readonly [string, string]): string {
  if (/^\d+$/.test(name)) return value;
  return value === 'true' ? `--${name}` : `--${name}=${value}`;
}

const strings = {
  results: {
    finished: 'Finished',
    failed: 'Failed',
    interrupted: 'Stopped',
    'no-end': 'No end recorded',
  } satisfies Readonly<Record<ChangeEnded['result'] | 'no-end', string>>,
};
