import { Blocks } from './blocks.tsx';
import { NOTHING_YET, type Ran } from './run.ts';
import { numberText } from './words.ts';

const INTERRUPTED = 130;
const GONE: NonNullable<Ran['problem']> = {
  message: 'The console does not answer. Does its command still run?',
};

interface AnswerProps {
  readonly ran: Ran;
  readonly command: string;
  /** Of the document's headings. */
  readonly level?: number;
}

/** How a command ended, without the title of its document. */
export function Answer({ ran, command, level = 2 }: AnswerProps) {
  const { code, document, notes } = ran;
  const problem = ran.problem ?? (code === undefined ? GONE : undefined);
  return (
    <>
      {problem && (
        <div class="verdict bad" role="alert">
          <p>
            {code === undefined && <strong>No answer </strong>}
            <span>{problem.message}</span>
          </p>
          {problem.next !== undefined && <p>{problem.next}</p>}
        </div>
      )}
      {!problem && code === INTERRUPTED && <p role="status">Stopped before it was complete.</p>}
      {document && <Blocks document={document} command={command} level={level} />}
      <Notes of={notes} />
    </>
  );
}

interface UnderwayProps {
  readonly ran: Ran | undefined;
  /** Said until the command reports how far it is. */
  readonly doing: string;
}

/** What a command says while it runs. */
export function Underway({ ran: { progress, notes } = NOTHING_YET, doing }: UnderwayProps) {
  const { done, total, detail } = progress ?? {};
  const words = [`${progress?.doing ?? doing}${progress ? '' : '…'}`];
  if (done !== undefined) words.push(numberText(done));
  if (total !== undefined) words.push(`of ${numberText(total)}`);
  return (
    <>
      <p class="progress" role="status">
        {words.join(' ')}
        {detail === undefined ? '' : ` · ${detail}`}
        <progress
          aria-label={doing}
          {...(total !== undefined && { value: done, max: Math.max(total, done ?? 0, 1) })}
        />
      </p>
      <Notes of={notes} />
    </>
  );
}

function Notes({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {of.map((note) => (
        <p class="soft" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}
