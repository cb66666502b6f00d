import type { ComponentChildren } from 'preact';
import type { Progress, Ran } from '../run.ts';
import type { Question } from '../use-question.ts';
import { momentText, numberText } from '../words.ts';
import { InTerminal, Suggestion } from './suggestion.tsx';

/** The answer to a question, or what happens until it is there, or why there is none. */
export function Answer<Document>({
  question,
  children,
}: {
  readonly question: Question<Document>;
  readonly children: (document: Document) => ComponentChildren;
}) {
  const { line, ran, progress, isAsking, at, askAgain } = question;
  return (
    <div class="answer" aria-busy={isAsking}>
      {ran?.problem && <ProblemText problem={ran.problem} />}
      {ran?.document !== undefined && children(ran.document)}
      {ran && ran.code === undefined && !ran.problem && (
        <ProblemText
          problem={{ message: 'The console does not answer. Does its command still run?' }}
        />
      )}
      {ran?.notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      <p class="freshness" role="status">
        {isAsking && <span>{progress ? <ProgressText progress={progress} /> : 'Asking…'}</span>}
        {!isAsking && at !== undefined && <span>as of {momentText(at)}</span>}
        <button type="button" class="quiet" onClick={askAgain} disabled={isAsking}>
          Refresh
        </button>
      </p>
      {line && <InTerminal line={line} />}
    </div>
  );
}

export function ProblemText({ problem }: { readonly problem: NonNullable<Ran<never>['problem']> }) {
  return (
    <div class="problem" role="alert">
      <p>{problem.message}</p>
      {problem.next !== undefined && <Suggestion text={problem.next} />}
    </div>
  );
}

export function ProgressText({ progress }: { readonly progress: Progress }) {
  const { doing, done, total, detail } = progress;
  const many =
    total === undefined ? numberText(done) : `${numberText(done)} / ${numberText(total)}`;
  return (
    <span class="progress">
      {doing} {many}
      {detail === undefined ? '' : ` · ${detail}`}
      {total !== undefined && <progress value={done} max={Math.max(total, done, 1)} />}
    </span>
  );
}
