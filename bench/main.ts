import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { optionsOrHelp } from '../local/sandbox-kit/command-line.ts';
import { type BenchOptions, help, readArguments } from './arguments.ts';
import type { Figure } from './bench.ts';
import { benches } from './benches.ts';
import { type Lab, openLab } from './lab.ts';
import { printFigures, putFigures, toJson } from './report/report.ts';

const PAGE = 'docs/performance.md';

const options = optionsOrHelp(readArguments(process.argv.slice(2)), help);
if (options) process.exitCode = await run(options);

async function run({ only, quick, jsonFile, writeDocs }: BenchOptions): Promise<number> {
  const names = Object.keys(benches).filter((name) => only === undefined || only === name);
  const { figures, failed } = await measure(names, quick);
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
  process.stdout.write(`${machine}\n\n${printFigures(figures, process.stdout.columns ?? 130)}`);
  const at = { at: new Date().toISOString(), machine, quick };
  if (jsonFile !== undefined) await writeFile(jsonFile, toJson(at, figures));
  if (failed.length > 0) {
    process.stderr.write(`Not measured: ${failed.join(', ')}. The errors are above.\n`);
    if (writeDocs) process.stderr.write(`${PAGE} was not changed: it only shows whole runs.\n`);
    return 1;
  }
  if (writeDocs) await writeFile(PAGE, putFigures(await readFile(PAGE, 'utf8'), at, figures));
  return 0;
}

/** A bench that fails does not stop the others. */
async function measure(
  names: readonly string[],
  quick: boolean,
): Promise<{ readonly figures: readonly Figure[]; readonly failed: readonly string[] }> {
  const figures: Figure[] = [];
  const failed: string[] = [];
  let lab: Promise<Lab> | undefined;
  const openOnce = () => {
    lab ??= openLab();
    return lab;
  };
  for (const name of names) {
    process.stderr.write(`${name} …\n`);
    try {
      const bench = await benches[name]?.();
      if (bench) figures.push(...(await bench.run({ quick, lab: openOnce })));
    } catch (error) {
      process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`);
      failed.push(name);
    }
  }
  await (await lab?.catch(() => undefined))?.close();
  return { figures, failed };
}
