import type { ComponentChildren } from 'preact';
import type { Progress, Ran } from '../run.ts';
import { strings } from '../strings.ts';
import type { Question } from '../use-question.ts';
import { momentText, numberText, words } from '../words.ts';
import { InTerminal } from './command-line.tsx';
import { Suggestion } from './suggestion.tsx';

/** The answer to a question, or what happens until it is there, or why there is none. */
export function Answer<Document>({
  question,
  children,
}: {
  readonly question: Question<Document>;
  readonly children: (document: Document) => ComponentChildren;
}) {
  const { line, ran, progress, isAsking, at, askAgain } = question;
  const { asking, again, asOf } = words(strings);
  return (
    <div class="answer" aria-busy={isAsking}>
      {ran?.problem && <ProblemText problem={ran.problem} />}
      {ran?.document !== undefined && children(ran.document)}
      {ran && ran.code === undefined && !ran.problem && (
        <ProblemText problem={{ message: words(strings).unanswered }} />
      )}
      {ran?.notes.map((note) => (
        <p class="note" lang="en" key={note}>
          {note}
        </p>
      ))}
      <p class="freshness" role="status">
        {isAsking && <span>{progress ? <ProgressText progress={progress} /> : asking}</span>}
        {!isAsking && at !== undefined && <span>{asOf(momentText(at))}</span>}
        <button type="button" class="quiet" onClick={askAgain} disabled={isAsking}>
          {again}
        </button>
      </p>
      {line && <InTerminal line={line} />}
    </div>
  );
}

export function ProblemText({ problem }: { readonly problem: NonNullable<Ran<never>['problem']> }) {
  return (
    <div class="problem" role="alert" lang="en">
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
    <span class="progress" lang="en">
      {doing} {many}
      {detail === undefined ? '' : ` · ${detail}`}
      {total !== undefined && <progress value={done} max={Math.max(total, done, 1)} />}
    </span>
  );
}
