import type { BackfillsDocument } from '../../../../backfill/report.ts';
import { about, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Answer } from '../../parts/answer.tsx';
import { Ago, Choice, Form } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { useQuestion } from '../../use-question.ts';
import { numberText } from '../../words.ts';
import { strings } from './strings.ts';

type Backfill = BackfillsDocument['backfills'][number];

export function Backfills() {
  const question = useQuestion<BackfillsDocument>({ command: 'backfill status' });
  return (
    <section>
      <h2>{strings.backfills}</h2>
      <Answer question={question}>
        {({ backfills }) =>
          backfills.length === 0 ? (
            <p>No backfill was started yet.</p>
          ) : (
            <BackfillTable backfills={backfills} onEnd={question.askAgain} />
          )
        }
      </Answer>
      {isOffered('backfill orders') && <StartForm onEnd={question.askAgain} />}
    </section>
  );
}

function BackfillTable({
  backfills,
  onEnd,
}: Pick<BackfillsDocument, 'backfills'> & { readonly onEnd: () => void }) {
  const resume = ({ id, shop }: Backfill) =>
    openAction({
      title: `Resume: ${id}`,
      line: { command: 'backfill resume', operands: [id], options: { shop } },
      onEnd,
    });
  return (
    <div class="card">
      <Table
        rows={backfills}
        keyOf={({ shop, id }) => `${shop} ${id}`}
        columns={[
          {
            title: strings.backfills,
            cell: ({ id, shop }) => (
              <>
                {id} <span class="soft">{shop}</span>
              </>
            ),
          },
          {
            title: 'State',
            cell: (one) => (
              <>
                <span class={`badge ${one.state === 'finished' ? 'well' : 'waits'}`}>
                  {strings.stages[one.state]}
                </span>{' '}
                {one.state !== 'finished' && isOffered('backfill resume') && (
                  <button type="button" class="quiet" onClick={() => resume(one)}>
                    Resume
                  </button>
                )}
              </>
            ),
          },
          {
            title: 'Sent',
            cell: ({ sent, total, state, unreadable }) => (
              <>
                {numberText(sent)}
                {total !== undefined && ` / ${numberText(total)}`}
                {state !== 'finished' && total !== undefined && (
                  <progress value={sent + unreadable} max={Math.max(total, 1)} />
                )}
              </>
            ),
          },
          {
            ...{ title: 'Left out', kind: 'number' },
            cell: ({ unreadable }) => numberText(unreadable),
          },
          { title: 'Last progress', cell: ({ savedAt }) => <Ago at={savedAt} /> },
        ]}
      />
    </div>
  );
}

/** Shows the estimate before anything is sent. */
function StartForm({ onEnd }: { readonly onEnd: () => void }) {
  const submit = ({ kind = 'orders', ...options }: Readonly<Record<string, string>>) => {
    const command = `backfill ${kind}`;
    openAction({
      title: `${strings.backfills}: ${strings.whats[kind as keyof typeof strings.whats]}`,
      preview: { command, options },
      line: { command, options: { ...options, yes: true } },
      onEnd,
    });
  };
  return (
    <Form class="card" onSubmit={submit}>
      <h3>Send what is older than the connector</h3>
      <div class="filters">
        <Choice label="What" name="kind" of={strings.whats} />
        <Choice label="Shop" name="shop" of={about.shops} />
        <label>
          Created since <input type="date" name="since" required />
        </label>
        <label>
          Created before <input type="date" name="until" />
        </label>
        <button type="submit">Estimate</button>
      </div>
    </Form>
  );
}
