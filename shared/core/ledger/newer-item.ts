import type { EntityEntry } from './ledger.ts';

/**
 * An item of the ledger was written by a newer release, in a form that this one could misread or lose. Thrown
 * instead of returned: a caller that is about to act on such an item must not go on. A worker tries again later.
 */
export class NewerItem extends Error {
  override readonly name = 'NewerItem';

  constructor(keyText: string, format: number) {
    super(`${keyText} has form ${format}, written by a newer release of the connector`);
  }
}

/** What was read: `get` and `has` throw for an item of a newer release. */
export class LedgerEntries extends Map<string, EntityEntry> {
  readonly newer = new Map<string, number>();

  override get(keyText: string): EntityEntry | undefined {
    this.#refuse(keyText);
    return super.get(keyText);
  }

  override has(keyText: string): boolean {
    this.#refuse(keyText);
    return super.has(keyText);
  }

  #refuse(keyText: string): void {
    const format = this.newer.get(keyText);
    if (format !== undefined) throw new NewerItem(keyText, format);
  }
}

/** For a walk over many, which leaves such items alone. */
export function isNewer(entries: ReadonlyMap<string, EntityEntry>, keyText: string): boolean {
  return entries instanceof LedgerEntries && entries.newer.has(keyText);
}
