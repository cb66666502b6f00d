import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Change, instrument } from './instrument.ts';
import { describeFile, describeFolders, type TriedFile } from './report.ts';
import { Trial, type Verdict } from './try-changes.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** Engine and saved state: made again at any time. */
const CACHE = join(PROJECT, 'node_modules/.cache/mutate');
const STATE = join(CACHE, 'state.jsonl');
/** The tests that must notice a changed line of the core: those that need no process, no socket and no clock. */
const TESTS = [
  'test/unit/core/**/*.test.ts',
  'test/unit/pins/{golden-files,ledger-items,messages,order-mapping}.test.ts',
  'test/unit/{event-envelope,message-ids,memory-models}.test.ts',
];
const FOLDERS = readdirSync(join(PROJECT, 'shared/core'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const HELP = `npm run mutate -- [FOLDER [FILES]] [--again]

Changes one expression of the core at a time and runs the unit tests: which changes does no test notice?
  FOLDER   one of ${FOLDERS.join(', ')}; default: all
  FILES    how the names of its files begin; default: all
  --again  forgets the saved state, and tries every change anew

A run that is stopped goes on where it was. After a change of the tests, only what no test noticed is tried again.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { again: { type: 'boolean' }, help: { type: 'boolean' } },
});
const [only, files = ''] = positionals;
if (values.help || (only && !FOLDERS.includes(only))) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
mkdirSync(CACHE, { recursive: true });
if (values.again) rmSync(STATE, { force: true });

const find = (patterns: string | readonly string[]) =>
  globSync(patterns, { cwd: PROJECT })
    .sort()
    .map((name) => join(PROJECT, name));
const hash = (...texts: readonly string[]) =>
  createHash('sha1').update(texts.join('\n')).digest('hex');
/** What decides whether a change that no test noticed is tried again. */
const everything = hash(
  ...find('{shared,local,test}/**/*.ts').map((name) => readFileSync(name, 'utf8')),
);

interface Saved {
  readonly key: string;
  readonly everything: string;
  readonly verdict: Verdict;
}

const known = new Map<string, Verdict>();
for (const line of existsSync(STATE) ? readFileSync(STATE, 'utf8').trim().split('\n') : []) {
  const saved = JSON.parse(line) as Saved;
  const noticed = saved.verdict === 'noticed' || saved.verdict === 'endless';
  if (noticed || saved.everything === everything) known.set(saved.key, saved.verdict);
}

const done = new Map<string, TriedFile[]>();
for (const folder of only ? [only] : FOLDERS) {
  done.set(folder, await tryFolder(folder));
  for (const file of done.get(folder) ?? []) console.log(describeFile(file));
}
console.log(describeFolders(done));

async function tryFolder(folder: string): Promise<TriedFile[]> {
  const names = find(`shared/core/${folder}/${files}*.ts`);
  const { files: instrumented, mutants } = await instrument(CACHE, names);
  const job = join(CACHE, `${folder}.json`);
  const sources = instrumented.map(({ name, content }) => [pathToFileURL(name).href, content]);
  const testFiles = find(TESTS).map((name) => pathToFileURL(name).href);
  writeFileSync(job, JSON.stringify({ sources: Object.fromEntries(sources), testFiles }));
  const trial = new Trial(job);
  const texts = new Map(names.map((name) => [name, readFileSync(name, 'utf8')]));
  const keyOf = ({ fileName, location, replacement }: Change) =>
    hash(texts.get(fileName) ?? '', JSON.stringify(location), replacement);
  const open = mutants.filter((change) => !known.has(keyOf(change)));
  const begun = Date.now();
  if (open.length > 0)
    console.error(`${folder}: ${await trial.begin()} tests, ${open.length} changes`);
  for (const [at, change] of open.entries()) {
    const verdict = await trial.judge(
      change,
      mutants.filter(({ fileName }) => fileName === change.fileName),
    );
    known.set(keyOf(change), verdict);
    appendFileSync(STATE, `${JSON.stringify({ key: keyOf(change), everything, verdict })}\n`);
    if (at % 100 === 99) {
      console.error(
        `${folder}: ${at + 1} of ${open.length} in ${Math.round((Date.now() - begun) / 1000)} s`,
      );
    }
  }
  await trial.end();
  return names.map((name) => ({
    name: name.slice(PROJECT.length),
    source: texts.get(name) ?? '',
    tried: mutants
      .filter((change) => change.fileName === name)
      .map((change) => ({ change, verdict: known.get(keyOf(change)) ?? 'unreached' })),
  }));
}
