import type { Samples } from './golden.ts';
import { ledgerSamples } from './ledger.ts';
import { openLedgerTables } from './ledger-tables.ts';
import { messages } from './messages.ts';
import { namesAndSecrets } from './names.ts';
import { settings } from './settings.ts';

/** All that outlives a deployment, by the golden file that holds it. */
export async function openSections() {
  const tables = await openLedgerTables();
  const sections: Readonly<
    Record<'messages' | 'ledger' | 'names-and-secrets' | 'settings', Samples>
  > = {
    ...{ messages, ledger: ledgerSamples(tables), 'names-and-secrets': namesAndSecrets, settings },
  };
  return { sections, stop: () => tables.stop() };
}
