import { GraphQLError } from 'graphql';
import type { View } from './graph-context.ts';

export interface PageArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly reverse?: boolean | null;
}

/** The position of an entry: its sort value, and its id among equal values. */
interface Place {
  readonly id: string;
  readonly value: string | number;
}

interface Identified {
  readonly id: string;
}

interface Listing<Row extends Identified> {
  readonly rows: readonly Row[];
  /** The sort value; absent: the id. */
  readonly value?: ((row: Row) => string | number) | undefined;
  readonly view: (row: Row) => View;
}

/** The field of a list that is sorted by id; its rows are found when it is asked for. */
export const listOf =
  <Row extends Identified>(rows: () => readonly Row[], view: (row: Row) => View) =>
  (args: PageArguments): View =>
    connect(args, { rows: rows(), view });

const maxAtOnce = 250;

/**
 * A page of a list. A cursor names a position in the order, not an entry: it stays valid after its
 * entry is deleted, and new entries before it do not shift the page.
 */
export function connect<Row extends Identified>(args: PageArguments, listing: Listing<Row>): View {
  const sorted = listing.rows
    .map((row) => ({ row, id: row.id, value: listing.value?.(row) ?? '' }))
    .sort(compare);
  if (args.reverse) sorted.reverse();
  const { first } = args;
  if (first == null) throw invalid('you must provide one of first or last; the sandbox has first');
  if (first < 0) throw invalid('first cannot be negative');
  if (first > maxAtOnce) throw invalid(`first cannot exceed ${maxAtOnce}`);
  const direction = args.reverse ? -1 : 1;
  const after = args.after == null ? undefined : readCursor(args.after);
  const left = sorted.filter((entry) => !after || direction * compare(entry, after) > 0);
  const entries = left.slice(0, first);
  const last = entries.at(-1);
  return {
    nodes: () => entries.map(({ row }) => listing.view(row)),
    pageInfo: { hasNextPage: left.length > first, endCursor: last ? writeCursor(last) : null },
  };
}

function compare(one: Place, other: Place): number {
  if (one.value !== other.value) return one.value < other.value ? -1 : 1;
  // Ids are numbers with any count of digits.
  const shorter = one.id.length - other.id.length;
  return shorter || (one.id === other.id ? 0 : one.id < other.id ? -1 : 1);
}

function writeCursor({ id, value }: Place): string {
  return Buffer.from(JSON.stringify({ last_id: id, last_value: value })).toString('base64');
}

function readCursor(cursor: string): Place {
  try {
    const { last_id: id, last_value: value } = JSON.parse(Buffer.from(cursor, 'base64').toString());
    const isPlace =
      typeof id === 'string' && (typeof value === 'string' || typeof value === 'number');
    if (isPlace) return { id, value };
  } catch {
    // Not a cursor of this store.
  }
  throw invalid('Invalid cursor for current pagination sort.');
}

const invalid = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } });
