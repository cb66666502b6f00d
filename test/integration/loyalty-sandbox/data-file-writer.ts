import { openDataFile } from '../../../local/sandbox-kit/data-file.ts';
import { Tables } from '../../../local/sandbox-kit/tables.ts';

/* A process of its own, to be killed: it says each number once the file has it, and never ends. */

const tables = new Tables();
const file = openDataFile(process.argv[2] ?? '', tables);
const rows = tables.table<{ readonly n: number; readonly filling: string }>('rows');
// The same key again and again, so that nearly all of the file is history.
for (let n = (rows.get('row')?.n ?? 0) + 1; ; n++) {
  rows.put('row', { n, filling: 'x'.repeat(100_000) });
  file.append(tables.takeChanges());
  process.stdout.write(`${n}\n`);
}
