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
