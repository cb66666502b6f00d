import type { BackfillsDocument } from '../../../../backfill/report.ts';
import { about, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Answer } from '../../parts/answer.tsx';
import { Choice, optionsIn } from '../../parts/choice.tsx';
import { useQuestion } from '../../use-question.ts';
import { agoText, momentText, numberText, words } from '../../words.ts';
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
    <div class="scrolls card">
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.backfills}</th>
            <th scope="col">{texts.state}</th>
            <th scope="col">{texts.sent}</th>
            <th scope="col" class="number">
              {texts.leftOut}
            </th>
            <th scope="col">{texts.saved}</th>
          </tr>
        </thead>
        <tbody>
          {backfills.map((one) => (
            <tr key={`${one.shop} ${one.id}`}>
              <td>
                {one.id} <span class="soft">{one.shop}</span>
              </td>
              <td>
                <span class={`badge ${one.state === 'finished' ? 'well' : 'waits'}`}>
                  {texts.stages[one.state]}
                </span>{' '}
                {one.state !== 'finished' && isOffered('backfill resume') && (
                  <button type="button" class="quiet" onClick={() => resume(one)}>
                    {texts.resume}
                  </button>
                )}
              </td>
              <td>
                {numberText(one.sent)}
                {one.total !== undefined && ` / ${numberText(one.total)}`}
                {one.state !== 'finished' && one.total !== undefined && (
                  <progress value={one.sent + one.unreadable} max={Math.max(one.total, 1)} />
                )}
              </td>
              <td class="number">{numberText(one.unreadable)}</td>
              <td>
                <span title={momentText(one.savedAt)}>{agoText(one.savedAt)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Shows the estimate before anything is sent. */
function StartForm({ onEnd }: { readonly onEnd: () => void }) {
  const texts = words(strings);
  const submit = (form: HTMLFormElement) => {
    const { kind = 'orders', ...options } = optionsIn(form);
    const command = `backfill ${kind}`;
    openAction({
      title: `${texts.backfills}: ${texts.whats[kind as keyof typeof texts.whats]}`,
      preview: { command, options },
      line: { command, options: { ...options, yes: true } },
      onEnd,
    });
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <h3>{texts.start}</h3>
      <div class="filters">
        <Choice name="kind" label={texts.what} of={texts.whats} />
        <Choice name="shop" label={texts.shop} of={about.shops} />
        <label>
          {texts.since} <input type="date" name="since" required />
        </label>
        <label>
          {texts.until} <input type="date" name="until" />
        </label>
        <button type="submit">{texts.estimate}</button>
      </div>
    </form>
  );
}
