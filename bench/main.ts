import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Figure } from './bench.ts';
import { benches } from './benches.ts';
import { type Lab, openLab } from './lab.ts';
import { printTable } from './report/print-table.ts';
import { toJson } from './report/write-json.ts';

const HELP = `Measures the connector on this machine beside two others: the peer, what a good engineer would
put together from libraries today, and the floor, the least that could work.

npm run bench -- [options]

  --only NAME   one bench: ${Object.keys(benches).join(', ')}
  --quick       fewer repetitions: rough figures in less than a minute
  --json FILE   writes every figure there too, under its key
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
  const { quick, only, json } = values;
  const figures: Figure[] = [];
  let lab: Promise<Lab> | undefined;
  const openOnce = () => {
    lab ??= openLab();
    return lab;
  };
  try {
    for (const [name, load] of Object.entries(benches)) {
      if (only !== undefined && only !== name) continue;
      process.stderr.write(`${name} …\n`);
      const bench = await load();
      figures.push(...(await bench.run({ quick, lab: openOnce, before: [...figures] })));
    }
  } finally {
    await (await lab)?.close();
  }
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
  process.stdout.write(`${machine}\n\n${printTable(figures, process.stdout.columns ?? 130)}`);
  if (json === undefined) return;
  await writeFile(json, toJson({ at: new Date().toISOString(), machine, quick }, figures));
}
