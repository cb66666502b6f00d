import { Blocks } from './blocks.tsx';
import type { Progress, Ran } from './run.ts';
import { Copied } from './suggestion.tsx';
import { numberText } from './words.ts';

const INTERRUPTED = 130;

/** How a command ended, without the title of its document. */
export function Answer({
  ran: { code, document, notes, problem },
  command,
  level = 2,
}: {
  readonly ran: Ran;
  readonly command: string;
  /** Of the document's headings. */
  readonly level?: number;
}) {
  return (
    <>
      {problem && <ProblemText problem={problem} />}
      {!problem && code === undefined && (
        <ProblemText
          problem={{ message: 'The console does not answer. Does its command still run?' }}
        />
      )}
      {!problem && code === INTERRUPTED && <p role="status">Stopped before it was complete.</p>}
      {document && <Blocks document={document} command={command} level={level} />}
      {notes.map((note) => (
        <p class="soft" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}

const COMMAND = 'npx loyalty-connector ';

/** What to do next may be a sentence that ends with a command. */
function ProblemText({
  problem: { message, next = '' },
}: {
  readonly problem: NonNullable<Ran['problem']>;
}) {
  const start = next.indexOf(COMMAND);
  const sentence = start < 0 ? next : next.slice(0, start);
  return (
    <div class="verdict bad" role="alert">
      <p>
        <strong>No answer</strong> <span>{message}</span>
      </p>
      {sentence !== '' && <p>{sentence}</p>}
      {start >= 0 && <Copied text={next.slice(start)} />}
    </div>
  );
}

export function ProgressText({
  progress,
  otherwise,
}: {
  readonly progress: Progress | undefined;
  /** Until there is any. */
  readonly otherwise: string;
}) {
  if (!progress) return <p role="status">{otherwise}</p>;
  const { doing, done, total, detail } = progress;
  const many =
    total === undefined ? numberText(done) : `${numberText(done)} of ${numberText(total)}`;
  return (
    <p class="progress" role="status">
      {doing} {many}
      {detail === undefined ? '' : ` · ${detail}`}
      {total !== undefined && (
        <progress value={done} max={Math.max(total, done, 1)} aria-label={doing} />
      )}
    </p>
  );
}
