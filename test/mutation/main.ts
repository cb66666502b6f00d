import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  optionsOrHelp,
  readCommandLine,
  readNumber,
  SEED,
} from '../../local/sandbox-kit/command-line.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { type Mutant, plant } from './plant.ts';

const HELP = `npm run mutate -- [FILES OR FOLDERS]

Plants small bugs (mutants) in the code, and lists those that no unit test finds. Without a name: the part of today.
  --sample SHARE   tries only this share of the mutants, from 0 to 1
  --seed N         which ones (default 1)
  --slowest MS     a test that needs more than this is not repeated for each mutant (default 1000)
  --tests A,B      with the tests in these files and folders only
  --minutes N      ends after this time, with what was tried until then`;

/** Where points and money move, in parts that fit a night. */
const PARTS = [
  'shared/core/sync',
  'shared/core/mapping',
  'shared/core/calls shared/core/events',
  'shared/core/batch shared/core/ledger',
  'shared/core/reconcile',
  'shared/rewards/redeem',
  'shared/rewards/balances shared/rewards/storefront',
  'shared/loyalty shared/store',
];
/** A process that stays at one mutant for so long is in a loop that it never leaves. */
const HUNG_MS = 30_000;

const options = optionsOrHelp(
  readCommandLine(
    process.argv.slice(2),
    {
      sample: { type: 'string' },
      seed: { type: 'string' },
      slowest: { type: 'string' },
      minutes: { type: 'string' },
      tests: { type: 'string' },
    },
    (values, words) => ({
      tests: values.tests?.split(','),
      words: words.length > 0 ? words : partOfToday(),
      share: readNumber('--sample', values.sample, { least: 0, most: 1 }) ?? 1,
      seed: readNumber('--seed', values.seed, SEED) ?? 1,
      slowestMs: readNumber('--slowest', values.slowest, { least: 1, most: 1e6 }) ?? 1000,
      minutes: readNumber('--minutes', values.minutes, { least: 0, most: 1e6 }) ?? 1e6,
    }),
    true,
  ),
  HELP,
);
if (options) await run(options);

function partOfToday(): string[] {
  const day = Math.floor(Date.now() / 86_400_000);
  return (PARTS[day % PARTS.length] ?? '').split(' ');
}

async function run(wanted: NonNullable<typeof options>): Promise<void> {
  const until = Date.now() + wanted.minutes * 60_000;
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  process.env.MUTATION_STATE = folder;
  const { SharedLines, writePlan } = await import('./state.ts');
  const killed = new SharedLines('killed');
  const reached = new SharedLines('reached');
  const loaded = new SharedLines('loaded');

  const { mutants, files } = plantAll(wanted.words);
  const chosen = mutants.filter(({ id }) => isChosen(id, wanted));
  const { slowestMs } = wanted;
  const plan = { files, wanted: chosen.map(({ id }) => id), slowestMs, budgetMs: 0 };
  console.error(
    `${chosen.length} of ${mutants.length} mutants in ${Object.keys(files).length} files`,
  );
  // The tests of the same folder find most, and most of it each of them within a moment.
  const folders = new Set(mutants.map(({ file }) => dirname(file).replace('shared', 'test/unit')));
  const near = ['run', ...(wanted.tests ?? folders)];
  const rounds: [args: string[], budgetMs: number][] = [
    [near, 500],
    [near, 30_000],
  ];
  if (!wanted.tests) rounds.push([['related', ...Object.keys(files)], 30_000]);
  for (const [args, budgetMs] of rounds) {
    writePlan({ ...plan, budgetMs });
    rmSync(join(folder, 'done'), { force: true });
    for (let isHung = true; isHung && Date.now() < until; ) {
      const hung = await runTests(args, folder, until);
      killed.add(hung);
      isHung = hung.length > 0;
    }
  }

  const from = testFilesOf(reached.read());
  const atLoad = chosen.filter(({ id }) => !from.has(id) && loaded.read().has(String(id)));
  const tested = new Set<number>();
  process.exitCode = 0;
  for (const { id, file } of atLoad) {
    if (Date.now() >= until) break;
    const tests = new Set(
      chosen.filter((one) => one.file === file).flatMap((one) => from.get(one.id) ?? []),
    );
    if (tests.size === 0) continue;
    tested.add(id);
    writePlan({ ...plan, always: id });
    const hung = await runTests(['run', '--bail=1', ...[...tests].slice(0, 6)], folder, until);
    if (hung.length > 0 || process.exitCode === 1) killed.add([String(id)]);
    process.exitCode = 0;
  }
  print(chosen, killed.read(), (id) => from.has(id) || tested.has(id), wanted);
  if (Date.now() >= until) console.log('The time was over: not every test was tried with each.');
  rmSync(folder, { recursive: true });
}

function plantAll(names: readonly string[]) {
  const mutants: Mutant[] = [];
  const files: Record<string, string> = {};
  const found = names.flatMap((name) =>
    name.endsWith('.ts') ? [name] : globSync(`${name}/**/*.ts`, { cwd: PACKAGE_FOLDER }).toSorted(),
  );
  for (const file of found.filter((one) => !one.endsWith('.gen.ts'))) {
    const path = join(PACKAGE_FOLDER, file);
    const planted = plant(file, readFileSync(path, 'utf8'), mutants.length + 1);
    mutants.push(...planted.mutants);
    files[path] = planted.code;
  }
  return { mutants, files };
}

/** The same ones in every run with this seed. */
function isChosen(id: number, { share, seed }: { readonly share: number; readonly seed: number }) {
  const mixed = Math.imul(id ^ Math.imul(seed, 0x9e3779b1), 0x85ebca6b);
  return (Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> 8) / 2 ** 24 < share;
}

function testFilesOf(reached: ReadonlySet<string>): ReadonlyMap<number, readonly string[]> {
  const files = new Map<number, string[]>();
  for (const line of reached) {
    const [id = '', file = ''] = line.split(' ');
    files.set(Number(id), [...(files.get(Number(id)) ?? []), file]);
  }
  return files;
}

/** Runs the tests to their end; with the mutants at which a process has hung, it had to be ended. */
async function runTests(
  args: readonly string[],
  folder: string,
  until: number,
): Promise<readonly string[]> {
  for (const name of busyFiles(folder)) rmSync(join(folder, name));
  const [command = '', ...rest] = args;
  const vitest = join(PACKAGE_FOLDER, 'node_modules/vitest/vitest.mjs');
  const config = 'test/mutation/vitest.config.ts';
  const workers = `--maxWorkers=${availableParallelism()}`;
  const child = spawn(
    process.execPath,
    [vitest, command, '--run', '--config', config, workers, ...rest],
    // A group of its own: its workers end with it.
    { cwd: PACKAGE_FOLDER, stdio: 'ignore', detached: true },
  );
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  for (;;) {
    const code = await Promise.race([ended, wait(1000)]);
    if (code !== 'waited') {
      process.exitCode = code === 0 ? 0 : 1;
      return [];
    }
    const hung = busyFiles(folder).flatMap((name) => {
      const path = join(folder, name);
      const id = readFileSync(path, 'utf8');
      // What an earlier mutant left running may hang the next test: but that test may also be a slow one.
      const most = id === '0' ? 4 * HUNG_MS : HUNG_MS;
      return id !== '' && Date.now() - statSync(path).mtimeMs > most ? [id] : [];
    });
    if (hung.length === 0 && Date.now() < until) continue;
    endGroup(child);
    await ended;
    return hung;
  }
}

function busyFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('busy-'));
}

function wait(ms: number): Promise<'waited'> {
  return new Promise((resolve) => setTimeout(resolve, ms, 'waited'));
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

function print(
  mutants: readonly Mutant[],
  killed: ReadonlySet<string>,
  isTried: (id: number) => boolean,
  { seed, share }: { readonly seed: number; readonly share: number },
): void {
  const alive = mutants.filter(({ id }) => !killed.has(String(id)));
  for (const { id, file, line, change } of alive)
    console.log(`${file}:${line} ${isTried(id) ? '' : '[no test] '}${change}`);
  const rows = [...Map.groupBy(mutants, ({ file }) => file)];
  console.log('');
  for (const [name, all] of [...rows, ['all', mutants] as const]) {
    const found = all.filter(({ id }) => killed.has(String(id))).length;
    const percent = ((100 * found) / all.length).toFixed(1);
    console.log(`${percent.padStart(5)} % of ${String(all.length).padStart(4)}  ${name}`);
  }
  if (share < 1) console.log(`A sample: --sample ${share} --seed ${seed}`);
}
