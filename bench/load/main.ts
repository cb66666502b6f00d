import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionsOrHelp } from '../../local/sandbox-kit/command-line.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { help, type LoadOptions, readArguments } from './arguments.ts';

const options = optionsOrHelp(readArguments(process.argv.slice(2)), help);
if (options) process.exitCode = await run(options);

async function run(options: LoadOptions): Promise<number> {
  // Imported late, so that a mistyped option is reported quickly.
  const { runLoad } = await import('./run-load.ts');
  const { isClean, makeReport, renderReport } = await import('./report.ts');
  const folder = join(PACKAGE_FOLDER, `.connector/load-${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stopping = new AbortController();
  const onSignal = () => {
    // A second signal does not wait for the clean-up; the child processes end with this one.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  const say = (line: string) =>
    void process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
  let isKept = false;
  try {
    const facts = await runLoad({ options, folder, say, signal: stopping.signal });
    const report = makeReport(facts, options);
    process.stdout.write(renderReport(report, process.stdout.columns ?? 100));
    if (options.jsonFile !== undefined) {
      writeFileSync(options.jsonFile, `${JSON.stringify(report, undefined, 2)}\n`);
    }
    isKept = !isClean(report);
    if (isKept) say(`The data of the run is kept in ${folder}.`);
    return isKept ? 1 : 0;
  } catch (error) {
    if (stopping.signal.aborted) {
      say('Stopped before the end: nothing was compared.');
      return 130;
    }
    isKept = true;
    say(`The run failed. Its data is kept in ${folder}.`);
    console.error(error);
    return 1;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}
