import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { hashOfCode } from '../support/code-hash.ts';
import { parts, putResult } from './parts.ts';

/*
 * `npm run proof` runs every part to its end, and writes each that passed into docs/reliability.md. What passed on the
 * same code is not run again, so that a run may be interrupted at any time. A part of several commands runs as many side
 * by side as there are cores: each of them uses one. Exit code 1: something failed.
 *
 * `npm run proof -- 'Fuzz' 'All schedules'` runs these only: those that load a machine are not for a busy one.
 */

const PAGE = join(PACKAGE_FOLDER, 'docs/reliability.md');
const code = hashOfCode();
const folder = join(PACKAGE_FOLDER, 'node_modules/.cache/proof', code);
mkdirSync(folder, { recursive: true });
/** Seconds of the commands that passed. */
const passedFile = join(folder, 'passed.json');
const passed: Record<string, number> = existsSync(passedFile)
  ? JSON.parse(readFileSync(passedFile, 'utf8'))
  : {};
const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
  encoding: 'utf8',
}).trim();
const failed: string[] = [];

const titles = process.argv.slice(2);
const unknown = titles.find((title) => parts(folder).every((part) => part.title !== title));
if (unknown) throw new Error(`No part is called "${unknown}".`);

for (const part of parts(folder)) {
  if (titles.length > 0 && !titles.includes(part.title)) continue;
  const waiting = part.commands.filter((command) => passed[command] === undefined);
  const runWaiting = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await run(one);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
  const seconds = part.commands.map((command) => passed[command]);
  if (seconds.every((one) => one !== undefined)) {
    const minutes = Math.ceil(seconds.reduce((sum, one) => sum + one, 0) / 60);
    const result = `${part.amount}: passed at ${commit}, ${minutes} min of runs`;
    writeFileSync(PAGE, putResult(readFileSync(PAGE, 'utf8'), part, result, new Date()));
  }
}
console.log(failed.length === 0 ? 'Everything passed.' : `${failed.length} commands failed.`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function run(command: string): Promise<void> {
  console.log(`${new Date().toISOString().slice(11, 19)}  npm run ${command}`);
  const output = join(folder, `${command.replace(/\W+/g, '-').slice(0, 100)}.out`);
  const file = openSync(output, 'w');
  const began = Date.now();
  const child = spawn(`npm run --silent ${command}`, {
    ...{ cwd: PACKAGE_FOLDER, shell: true, stdio: ['ignore', file, file] },
  });
  const [status, signal] = await once(child, 'exit');
  closeSync(file);
  if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(130);
  if (hashOfCode() !== code) throw new Error('The code has changed: begin again.');
  if (status === 0) {
    passed[command] = Math.round((Date.now() - began) / 1000);
    writeFileSync(passedFile, JSON.stringify(passed));
  } else {
    failed.push(command);
    console.log(`FAILED: its output is in ${output}`);
  }
}
