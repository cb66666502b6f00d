import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Figure } from './bench.ts';
import { benches } from './benches.ts';
import { type Lab, openLab } from './lab.ts';
import { drawChart } from './report/chart.ts';
import { printFigures } from './report/print-table.ts';
import { putFigures } from './report/write-docs.ts';
import { toJson } from './report/write-json.ts';

const PAGE = 'docs/performance.md';
const CHART = 'docs/performance.svg';

const HELP = `Measures the connector on this machine beside two others: the peer, what a good engineer would
put together from libraries today, and the floor, the least that could work.

npm run bench -- [options]

  --only NAME   one bench: ${Object.keys(benches).join(', ')}
  --quick       fewer repetitions: rough figures in less than a minute
  --json FILE   writes every figure there too, under its key
  --write-docs  puts the figures and the chart into docs/performance.md
  --help        this text
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    'write-docs': { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});

if (values.help) process.stdout.write(HELP);
else if (values.only !== undefined && !benches[values.only]) {
  process.stderr.write(`There is no bench "${values.only}". (--help shows them.)\n`);
  process.exitCode = 2;
} else if (values['write-docs'] && (values.only !== undefined || values.quick)) {
  process.stderr.write('--write-docs is for whole runs: leave out --only and --quick.\n');
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
  process.stdout.write(`${machine}\n\n${printFigures(figures, process.stdout.columns ?? 130)}`);
  const run = { at: new Date().toISOString(), machine, quick };
  if (json !== undefined) await writeFile(json, toJson(run, figures));
  if (!values['write-docs']) return;
  await writeFile(PAGE, putFigures(await readFile(PAGE, 'utf8'), run, figures));
  await writeFile(CHART, drawChart(figures));
}
