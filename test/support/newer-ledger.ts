import {
  type Ledger,
  LedgerEntries,
  type LedgerKey,
  ledgerKeyText,
} from '../../shared/core/ledger/ledger.ts';

/** The ledger, in which a newer release wrote the item of this key. */
export function withNewer<Whole extends Pick<Ledger, 'readMany'>>(
  ledger: Whole,
  newer: LedgerKey,
): Whole {
  return {
    ...ledger,
    async readMany(keys: readonly LedgerKey[]) {
      const entries = new LedgerEntries(await ledger.readMany(keys));
      if (keys.some((key) => ledgerKeyText(key) === ledgerKeyText(newer))) {
        entries.newer.set(ledgerKeyText(newer), 2);
      }
      return entries;
    },
  };
}
