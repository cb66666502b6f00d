import './now.css';
import type { Verdict } from '../../../../status/judge-status.ts';
import type { Status } from '../../../../status/status-model.ts';
import { about, isOffered } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { Suggestion } from '../../parts/suggestion.tsx';
import type { ViewProps } from '../../router.ts';
import { useQuestion, useRefresh } from '../../use-question.ts';
import { Charts } from './charts.tsx';
import { Flow } from './flow.tsx';
import { strings } from './strings.ts';

/** CloudWatch has a new figure once a minute, and bills each that is read; this machine bills nothing. */
const EVERY_SECONDS = { aws: 60, local: 5 } as const;
const LINE = { command: 'status', options: { charts: true } } as const;
const TONES: Readonly<Record<Verdict['state'], string>> = {
  well: 'well',
  waiting: 'waits',
  'needs-a-person': 'bad',
};

export function NowView(_props: ViewProps) {
  const everySeconds = EVERY_SECONDS[about.where];
  const question = useQuestion<Status & Verdict>(LINE);
  useRefresh(question, everySeconds * 1000);
  return (
    <>
      <Answer question={question}>
        {(status) => (
          <>
            <p class={`verdict ${TONES[status.state]}`} role="status">
              {strings.states[status.state]}
            </p>
            <Findings verdict={status} onEnd={question.askAgain} />
            <Flow status={status} />
            <Charts status={status} />
          </>
        )}
      </Answer>
      <p class="soft">Asked again every {everySeconds} seconds while this page is visible.</p>
    </>
  );
}

function Findings({
  verdict: { troubles, waits, notes },
  onEnd,
}: {
  readonly verdict: Verdict;
  readonly onEnd: () => void;
}) {
  return (
    <>
      {troubles.length > 0 && (
        <section class="card" aria-label="Action required">
          {troubles.map(({ what, next }) => (
            <div class="finding" key={what}>
              <p>{what}</p>
              <Suggestion text={next} onEnd={onEnd} />
            </div>
          ))}
        </section>
      )}
      {waits.length > 0 && (
        <section class="card" aria-label="What waits">
          {waits.map((wait) => (
            <p class="finding" key={wait}>
              {wait}
            </p>
          ))}
          {troubles.length === 0 && isOffered('retry-now') && (
            <>
              <p class="soft">
                There is nothing to do. If the cause is repaired already, you need not wait:
              </p>
              <Suggestion text="retry-now" onEnd={onEnd} />
            </>
          )}
        </section>
      )}
      {notes.length > 0 && (
        <details>
          <summary>{notes.length === 1 ? '1 note' : `${notes.length} notes`}</summary>
          {notes.map((note) => (
            <Suggestion key={note} text={note} />
          ))}
        </details>
      )}
    </>
  );
}
