import { type Ledger, readEntry } from '../ledger/ledger.ts';
import type { RecordKey } from '../ledger/ledger-key.ts';
import { rememberedForm } from '../ledger/remembered-form.ts';

/** A state of the reconciliation, kept in the ledger as a cursor. */
export interface Kept<State> {
  /** Undefined: there is none, or none that this release can read. */
  readonly state: State | undefined;
  readonly revision: number | undefined;
}

const form = rememberedForm<object>('cursor', 1);

export function cursorKey(shop: string, id: string): RecordKey<'cursor'> {
  return { shop, kind: 'cursor', id };
}

export async function recallState<State>(
  ledger: Pick<Ledger, 'readMany'>,
  key: RecordKey<'cursor'>,
): Promise<Kept<State>> {
  const entry = await readEntry(ledger, key);
  const state = form.read(entry?.remembered) as State | undefined;
  return { state, revision: entry?.revision };
}

/** The new revision; undefined when another run has written since. */
export async function keepState(
  ledger: Pick<Ledger, 'write'>,
  key: RecordKey<'cursor'>,
  state: object,
  { version, revision }: { readonly version: number; readonly revision: number | undefined },
): Promise<number | undefined> {
  const entry = { version, uncertain: false, remembered: form.write(state), outcomes: [] };
  const written = await ledger.write(key, entry, revision);
  return written.kind === 'written' ? written.revision : undefined;
}
