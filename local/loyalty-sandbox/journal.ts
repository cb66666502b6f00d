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
  /** The beginning of a body that could not be read as JSON. */
  readonly unreadableBody?: string;
  /** Absent where no answer was sent. */
  readonly status?: number;
  /** What the program answered, even if a fault kept it from the client. */
  readonly answer?: unknown;
  /** The kind of a fault on demand; `crash` for a bug in the sandbox; `broken-off` for a client that left. */
  readonly fault?: string;
  readonly durationMs: number;
}

export type NewEntry = Omit<JournalEntry, 'n'>;
