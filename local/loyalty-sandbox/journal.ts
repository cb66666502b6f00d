import type { OperationId } from '../../shared/loyalty/operations.ts';

/** One call to the loyalty API, as the service saw it. Never holds the Authorization header. */
export interface JournalEntry {
  /** Counts up by one, in the order in which the calls were carried out or refused. */
  readonly n: number;
  /** When the call arrived. */
  readonly at: string;
  readonly method: string;
  /** As it was sent, with the query. */
  readonly path: string;
  /** Absent where the path leads to none. */
  readonly operation?: OperationId;
  readonly body?: unknown;
  /** Instead of a body that is too long to keep. */
  readonly bodyCut?: Cut;
  /** The beginning of a body that could not be read as JSON. */
  readonly unreadableBody?: string;
  /** Absent where no answer was sent. */
  readonly status?: number;
  /** What the program answered, even if a fault kept it from the client. */
  readonly answer?: unknown;
  /** Instead of an answer that is too long to keep. */
  readonly answerCut?: Cut;
  /** The kind of a fault on demand; `crash` for a bug in the sandbox; `broken-off` for a client that left. */
  readonly fault?: string;
  readonly durationMs: number;
}

export type NewEntry = Omit<JournalEntry, 'n'>;

/** What is kept of a long JSON text. */
interface Cut {
  /** Of the whole. */
  readonly bytes: number;
  readonly beginning: string;
}

/** A body or an answer above this is kept as its beginning: a journal is long, and lies in memory. */
export const longestJournaledBytes = 64 * 1024;
const beginningCharacters = 2_000;

/** The entry as it is kept. */
export function cutEntry({ body, answer, ...entry }: NewEntry): NewEntry {
  const bodyCut = cut(body);
  const answerCut = cut(answer);
  return {
    ...entry,
    ...(bodyCut ? { bodyCut } : body !== undefined && { body }),
    ...(answerCut ? { answerCut } : answer !== undefined && { answer }),
  };
}

function cut(value: unknown): Cut | undefined {
  const text = JSON.stringify(value) ?? '';
  const bytes = Buffer.byteLength(text);
  if (bytes <= longestJournaledBytes) return undefined;
  // Not with half of a character at its end.
  return { bytes, beginning: text.slice(0, beginningCharacters).replace(/[\uD800-\uDBFF]$/, '') };
}
