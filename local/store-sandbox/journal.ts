/** One call to the Admin API. Never holds a token. */
export interface JournalEntry {
  /** Counts up by one. */
  readonly n: number;
  readonly at: string;
  readonly kind: 'graphql' | 'token';
  /** The name of the document, or its first root field. */
  readonly operation: string;
  readonly variables?: unknown;
  /** Absent if no answer was sent. */
  readonly status?: number;
  readonly cost?: { readonly requested: number; readonly actual: number | null };
  /** The codes or messages of GraphQL errors. */
  readonly errors?: readonly string[];
  readonly fault?: string;
  readonly durationMs: number;
}

/** In memory: starts empty with every process. */
export class Journal {
  readonly #limit: number;
  #entries: JournalEntry[] = [];
  #last = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(entry: Omit<JournalEntry, 'n'>): void {
    this.#last += 1;
    this.#entries.push({ n: this.#last, ...entry });
    if (this.#entries.length > this.#limit) this.#entries.shift();
  }

  entries({
    operation,
  }: {
    readonly operation?: string | undefined;
  } = {}): readonly JournalEntry[] {
    return this.#entries.filter((entry) => !operation || entry.operation === operation);
  }

  clear(): void {
    this.#entries = [];
  }
}
