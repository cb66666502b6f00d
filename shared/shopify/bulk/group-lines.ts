import type { BulkLine } from './bulk-lines.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A line without an owner, or one that belongs to the owner last named. */
export type BulkEntry =
  | { readonly kind: 'owner'; readonly fields: Fields; readonly end: number }
  | { readonly kind: 'child'; readonly fields: Fields; readonly end: number };

/** The file is not what the store was asked to write: nothing may be concluded from it. */
export class NotGrouped extends Error {
  override readonly name = 'NotGrouped';
}

/**
 * Tells owners from what belongs to them. Grouped, as it was asked for, everything stands below its
 * owner; an entry of another owner means that an entity sent earlier may have been incomplete.
 */
export async function* readEntries(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkEntry> {
  let owner: unknown;
  for await (const { text, end } of lines) {
    const fields = parse(text);
    const { __parentId: parentId, ...own } = fields;
    if (parentId === undefined) {
      owner = fields.id;
      yield { kind: 'owner', fields, end };
    } else {
      if (parentId !== owner) throw new NotGrouped('the file is not grouped by owner');
      yield { kind: 'child', fields: own, end };
    }
  }
}

/** One entity of the file, with everything that belongs to it. */
export interface BulkGroup {
  readonly owner: Fields;
  readonly children: readonly Fields[];
  /** Bytes of the file up to and with it. */
  readonly end: number;
}

/** Holds one entity at a time. */
export async function* readGroups(lines: AsyncIterable<BulkLine>): AsyncGenerator<BulkGroup> {
  let group: { owner: Fields; children: Fields[]; end: number } | undefined;
  for await (const entry of readEntries(lines)) {
    if (entry.kind === 'owner') {
      if (group) yield group;
      group = { owner: entry.fields, children: [], end: entry.end };
    } else if (group) {
      group.children.push(entry.fields);
      group.end = entry.end;
    }
  }
  if (group) yield group;
}

function parse(text: string): Fields {
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
      return fields as Fields;
    }
  } catch {
    // The error quotes the line, which may hold personal data.
  }
  throw new NotGrouped('the file has a line that is not JSON');
}
