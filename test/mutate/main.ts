import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeReport, type MutationReport } from './report.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
/** Engine and saved states: large, and made again at any time. */
const CACHE = join(PROJECT, 'node_modules/.cache/mutate');
const VERSION = '10.1.1';
const folders = readdirSync(join(PROJECT, 'shared/core'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const HELP = `npm run mutate -- FOLDER [FILES] [--again]

Changes one expression of the core at a time and runs the unit tests: which changes does no test notice?
  FOLDER   one of ${folders.join(', ')}
  FILES    how the names of its files begin; default: all
  --again  forgets the saved state, and tries every change anew

The engine is StrykerJS ${VERSION}, installed on the first run. A run that is stopped goes on where it was.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { again: { type: 'boolean' }, help: { type: 'boolean' } },
});
const [folder = '', files = ''] = positionals;
if (values.help || !folders.includes(folder)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const engine = join(CACHE, 'node_modules/@stryker-mutator');
if (!existsSync(join(engine, 'core'))) {
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(join(CACHE, 'package.json'), '{"private":true}');
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`);
  // The runner must find the project's own vitest, not install another.
  const flags = ['--legacy-peer-deps', '--no-audit', '--no-fund', '--no-package-lock'];
  run('npm', ['install', ...flags, ...packages], CACHE);
}
const state = join(CACHE, `${folder}.json`);
if (values.again) rmSync(state, { force: true });
const settings = join(CACHE, 'settings.json');
writeFileSync(
  settings,
  JSON.stringify({
    plugins: [join(engine, 'vitest-runner/dist/src/index.js')],
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutate/vitest.config.ts' },
    mutate: [`shared/core/${folder}/${files}*.ts`],
    ...{ incremental: true, incrementalFile: state, tempDirName: join(tmpdir(), 'mutate') },
    // What runs only while a file is loaded would need all tests for each change.
    ignoreStatic: true,
    ...{ concurrency: 1, timeoutMS: 30_000, dryRunTimeoutMinutes: 20 },
    ...{ reporters: ['progress-append-only'], allowConsoleColors: false },
    ignorePatterns: ['docs', 'bench', 'infra', 'app/extensions', 'cdk.out', 'dist'],
  }),
);
run(process.execPath, [join(engine, 'core/bin/stryker.js'), 'run', settings], PROJECT);
console.log(describeReport(JSON.parse(readFileSync(state, 'utf8')) as MutationReport));

function run(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
