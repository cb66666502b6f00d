import type { BackfillsDocument } from '../../../../backfill/report.ts';
import { about, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Answer } from '../../parts/answer.tsx';
import { Ago, Choice, Form } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { useQuestion } from '../../use-question.ts';
import { numberText, words } from '../../words.ts';
import { strings } from './strings.ts';

type Backfill = BackfillsDocument['backfills'][number];

export function Backfills() {
  const texts = words(strings);
  const question = useQuestion<BackfillsDocument>({ command: 'backfill status' });
  return (
    <section>
      <h2>{texts.backfills}</h2>
      <Answer question={question}>
        {({ backfills }) =>
          backfills.length === 0 ? (
            <p>{texts.noBackfill}</p>
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
  const texts = words(strings);
  const resume = ({ id, shop }: Backfill) =>
    openAction({
      title: `${texts.resume}: ${id}`,
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
            title: texts.backfills,
            cell: ({ id, shop }) => (
              <>
                {id} <span class="soft">{shop}</span>
              </>
            ),
          },
          {
            title: texts.state,
            cell: (one) => (
              <>
                <span class={`badge ${one.state === 'finished' ? 'well' : 'waits'}`}>
                  {texts.stages[one.state]}
                </span>{' '}
                {one.state !== 'finished' && isOffered('backfill resume') && (
                  <button type="button" class="quiet" onClick={() => resume(one)}>
                    {texts.resume}
                  </button>
                )}
              </>
            ),
          },
          {
            title: texts.sent,
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
            ...{ title: texts.leftOut, kind: 'number' },
            cell: ({ unreadable }) => numberText(unreadable),
          },
          { title: texts.saved, cell: ({ savedAt }) => <Ago at={savedAt} /> },
        ]}
      />
    </div>
  );
}

/** Shows the estimate before anything is sent. */
function StartForm({ onEnd }: { readonly onEnd: () => void }) {
  const texts = words(strings);
  const submit = ({ kind = 'orders', ...options }: Readonly<Record<string, string>>) => {
    const command = `backfill ${kind}`;
    openAction({
      title: `${texts.backfills}: ${texts.whats[kind as keyof typeof texts.whats]}`,
      preview: { command, options },
      line: { command, options: { ...options, yes: true } },
      onEnd,
    });
  };
  return (
    <Form class="card" onSubmit={submit}>
      <h3>{texts.start}</h3>
      <div class="filters">
        <Choice label={texts.what} name="kind" of={texts.whats} />
        <Choice label={texts.shop} name="shop" of={about.shops} />
        <label>
          {texts.since} <input type="date" name="since" required />
        </label>
        <label>
          {texts.until} <input type="date" name="until" />
        </label>
        <button type="submit">{texts.estimate}</button>
      </div>
    </Form>
  );
}
