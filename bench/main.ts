import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { renderTable } from '../scripts/connector/terminal/table.ts';
import type { Figure } from './bench.ts';
import { benches } from './benches.ts';

const HELP = `Measures the connector on this machine, over emulated AWS.

npm run bench -- [options]

  --only NAME   one bench: ${Object.keys(benches).join(', ')}
  --quick       fewer repetitions
  --json FILE   writes the figures there too
  --help        this text
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});

if (values.help) process.stdout.write(HELP);
else if (values.only !== undefined && !benches[values.only]) {
  process.stderr.write(`There is no bench "${values.only}". (--help shows them.)\n`);
  process.exitCode = 2;
} else await measure();

async function measure(): Promise<void> {
  const figures: Figure[] = [];
  for (const [name, load] of Object.entries(benches)) {
    if (values.only !== undefined && values.only !== name) continue;
    process.stderr.write(`${name} …\n`);
    figures.push(...(await (await load()).run({ quick: values.quick })));
  }
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
  process.stdout.write(`${machine}\n\n`);
  process.stdout.write(
    renderTable(
      {
        columns: [
          { title: 'FIGURE' },
          { title: 'VALUE', align: 'right' },
          { title: 'UNIT' },
          { title: 'OF', shrinks: true },
        ],
        rows: figures.map(({ key, value, unit, note = '' }) => [
          key,
          value >= 100 ? value.toFixed(0) : value.toPrecision(3),
          unit,
          note,
        ]),
      },
      process.stdout.columns ?? 100,
      (_, text) => text,
    ),
  );
  if (values.json === undefined) return;
  const at = new Date().toISOString();
  await writeFile(
    values.json,
    `${JSON.stringify({ at, machine, quick: values.quick, figures }, null, 2)}\n`,
  );
}
