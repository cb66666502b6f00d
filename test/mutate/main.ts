import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { optionsOrHelp, readCommandLine } from '../../local/sandbox-kit/command-line.ts';
import { hashOfCode } from '../support/proof-run.ts';
import { applyChange, openCompiler } from './compiler.ts';
import { type Change, instrument } from './instrument.ts';
import { KNOWN_CHANGES } from './known-changes.ts';
import { describeFile, describeFolders, judgeFolders, type TriedFile } from './report.ts';
import { SavedVerdicts } from './saved-verdicts.ts';
import { Trial } from './try-changes.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** Engine and saved state: made again at any time. */
const CACHE = join(PROJECT, 'node_modules/.cache/mutate');
const STATE = join(CACHE, 'state.jsonl');
/** The tests that must notice a changed line of the core: those that need no process, no socket and no clock. */
const TESTS = [
  'test/unit/{core,rewards}/**/*.test.ts',
  'test/unit/loyalty/read-point-event.test.ts',
  'test/unit/security/addresses.test.ts',
  'test/unit/{event-envelope,message-ids,memory-models}.test.ts',
];
const FOLDERS = ['shared/core', 'shared/rewards']
  .flatMap((room) => readdirSync(join(PROJECT, room), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const ROOMS = 'shared/{core,rewards}';

const HELP = `npm run mutate -- [FOLDER [FILES]]

Changes one expression of the core at a time and runs the unit tests: which changes does no test notice?
  FOLDER   one of ${FOLDERS.join(', ')}; default: all
  FILES    how the names of its files begin; default: all

A run that is stopped goes on where it was, as long as the code is the same. Exit code 1: a folder has more changes that
no test notices than test/mutate/known-changes.ts says (with FILES, too, the number is that of the whole folder); 3: the
run was stopped before all were tried.`;

const wanted = optionsOrHelp(
  readCommandLine(
    process.argv.slice(2),
    {},
    (_, [only, beginning = '']) => {
      const isFound = find([`${ROOMS}/${only ?? '*'}/${beginning}*.ts`]).length > 0;
      if (!isFound) throw new Error(`${ROOMS} has no folder or file ${only}/${beginning}`);
      return { only, beginning };
    },
    true,
  ),
  HELP,
);
if (!wanted) process.exit();
const { only, beginning } = wanted;
mkdirSync(CACHE, { recursive: true });

const saved = new SavedVerdicts(STATE, hashOfCode());
const compiles = openCompiler(PROJECT);
const folders = only ? [only] : FOLDERS;
const begun = new Map<string, () => TriedFile[]>();
// The process of the tests may be stopped with this one: what it says afterwards does not count.
process.once('SIGINT', end).once('SIGTERM', end);
for (const folder of folders) {
  const filesOf = await tryFolder(folder);
  for (const file of filesOf()) console.log(describeFile(file));
}
end();

function end(): never {
  const tried = new Map([...begun].map(([name, filesOf]) => [name, filesOf()]));
  const { code, lines } = judgeFolders(folders, tried, KNOWN_CHANGES);
  console.log([describeFolders(tried), ...lines].join('\n'));
  process.exit(code);
}

async function tryFolder(folder: string): Promise<() => TriedFile[]> {
  const names = find([`${ROOMS}/${folder}/${beginning}*.ts`]);
  const { files, mutants: changes } = await instrument(CACHE, names);
  const filesOf = () =>
    names.map((name) => ({
      name: name.slice(PROJECT.length),
      source: readFileSync(name, 'utf8'),
      tried: changes
        .filter(({ fileName }) => fileName === name)
        .map((change) => ({ change, verdict: saved.get(change) })),
    }));
  begun.set(folder, filesOf);
  const open = changes.filter((change) => !saved.get(change));
  if (open.length > 0) {
    const job = join(CACHE, `${folder}.json`);
    const instrumented = files.map(({ name, content }) => [pathToFileURL(name).href, content]);
    const testFiles = find(TESTS).map((name) => pathToFileURL(name).href);
    writeFileSync(job, JSON.stringify({ sources: Object.fromEntries(instrumented), testFiles }));
    await tryChanges(folder, new Trial(job, changes), open);
  }
  return filesOf;
}

async function tryChanges(folder: string, trial: Trial, open: readonly Change[]): Promise<void> {
  console.error(`${folder}: ${open.length} changes, ${await trial.begin()} tests`);
  const begun = Date.now();
  for (const [at, change] of open.entries()) {
    const { fileName } = change;
    const isRefused = () =>
      !compiles(fileName, applyChange(readFileSync(fileName, 'utf8'), change));
    saved.add(change, await trial.judge(change, isRefused));
    const seconds = Math.round((Date.now() - begun) / 1000);
    if (at % 100 === 99) console.error(`${folder}: ${at + 1} of ${open.length} in ${seconds} s`);
  }
  await trial.end();
}

function find(patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: PROJECT })
    .sort()
    .map((name) => join(PROJECT, name));
}
