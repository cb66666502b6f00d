import type { Ledger } from '../../shared/core/ledger/ledger.ts';

/** The ledger of a worker that marks and calls, and dies before it records: its other writes end so. */
export function withoutRecords<Kept extends Ledger>(
  ledger: Kept,
  end: () => Promise<never> = () => Promise.reject(new Error('dead')),
): Kept {
  const write: Ledger['write'] = (key, entry, revision) =>
    entry.uncertain ? ledger.write(key, entry, revision) : end();
  return { ...ledger, write };
}
