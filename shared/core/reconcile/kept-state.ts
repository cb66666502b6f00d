import type { EntityKey } from '../events/entity.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** A state of the reconciliation, kept in the ledger beside the entities. */
export interface Kept<State> {
  /** Undefined: there is none, or none that this release can read. */
  readonly state: State | undefined;
  readonly revision: number | undefined;
}

/** Names the form of all these states: a later release can tell an older one. */
const FORM = 'r1';

export function cursorKey(shop: string, id: string): EntityKey {
  return { shop, kind: 'cursor', id };
}

export async function recallState<State>(
  ledger: Pick<Ledger, 'readMany'>,
  key: EntityKey,
): Promise<Kept<State>> {
  const [entry] = (await ledger.readMany([key])).values();
  return { state: parse<State>(entry?.remembered), revision: entry?.revision };
}

/** The new revision; undefined when somebody else has written since. */
export async function keepState(
  ledger: Pick<Ledger, 'write'>,
  key: EntityKey,
  state: object,
  { version, revision }: { readonly version: number; readonly revision: number | undefined },
): Promise<number | undefined> {
  const remembered = `${FORM}${JSON.stringify(state)}`;
  const entry = { version, uncertain: false, remembered, outcomes: [] };
  const written = await ledger.write(key, entry, revision);
  return written.kind === 'written' ? written.revision : undefined;
}

function parse<State>(remembered: string | undefined): State | undefined {
  if (!remembered?.startsWith(FORM)) return undefined;
  try {
    return JSON.parse(remembered.slice(FORM.length)) as State;
  } catch {
    return undefined;
  }
}
