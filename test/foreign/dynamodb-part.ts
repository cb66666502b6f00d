import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createVitest } from 'vitest/node';
import type { Emulator } from '../../local/stack/emulators.ts';
import { freePort } from '../../local/stack/start-options.ts';
import { installOnce } from '../../local/vendure-engine/install-once.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { mutate } from '../simulation/mutations/apply-mutation.ts';
import { install, type Judgement, type Part } from './part.ts';

/** Test files of the project, as they are. The first must find the planted bug. */
const FILES = [
  'test/integration/dynamodb-ledger.test.ts',
  'test/integration/dynamodb-token-line.test.ts',
];

export const BUG = {
  bug: 'a write ignores the revision that was read',
  find: '          ...conditionOn(readRevision),\n',
  replace: '',
};

export const dynamodb: Part = {
  engine: 'DynamoDB Local 3.1.0',
  bug: BUG.bug,
  async open() {
    const { endpoint, stop } = await startEngine();
    return { judge: (withBug) => runSuites(endpoint, withBug), stop };
  },
};

async function startEngine(): Promise<Emulator> {
  const jars = await installJars();
  const port = await freePort();
  const server = 'software.amazon.dynamodb.services.local.main.ServerRunner';
  const child = spawn(
    'java',
    [
      ...[`-Djava.library.path=${jars}`, '-cp', `${jars}/*`, server],
      ...['-inMemory', '-disableTelemetry', '-port', String(port)],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const end = new Promise<void>((done) => child.once('close', () => done()));
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await answers(endpoint))) {
    if (child.exitCode !== null) throw new Error('the engine ended before it listened');
    await sleep(200);
  }
  return {
    endpoint,
    async stop() {
      child.kill();
      await end;
    },
  };
}

/** Maven compares each jar with the checksum of its repository. */
function installJars(): Promise<string> {
  const wanted = join(PACKAGE_FOLDER, 'tools/dynamodb-local/pom.xml');
  return installOnce('dynamodb-local', wanted, (target) => {
    const options = ['--quiet', '--batch-mode', '--strict-checksums', '--file', wanted];
    install('mvn', ...options, 'dependency:copy-dependencies', `-DoutputDirectory=${target}`);
  });
}

const answers = (endpoint: string) =>
  fetch(endpoint).then(
    () => true,
    () => false,
  );

/** Our own suites, with the module that starts an emulator replaced by one that leads to the engine. */
async function runSuites(endpoint: string, withBug: boolean): Promise<Judgement> {
  const ours = resolve(PACKAGE_FOLDER, 'local/stack/emulators.ts');
  const theirs = resolve(import.meta.dirname, 'dynamodb-local.ts');
  const mutated = withBug ? mutate(BUG) : undefined;
  const vitest = await createVitest(
    {
      config: false,
      root: PACKAGE_FOLDER,
      watch: false,
      // Another run must not load what was replaced here.
      fsModuleCache: false,
      include: withBug ? FILES.slice(0, 1) : FILES,
      reporters: withBug ? [] : ['default'],
      silent: true,
      fileParallelism: false,
      bail: withBug ? 1 : 0,
      env: { DYNAMODB_LOCAL: endpoint },
      testTimeout: 240_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 60_000 } },
    },
    {
      plugins: [
        {
          name: 'engine-of-others',
          enforce: 'pre',
          // The engine's module has the rest of what it replaces from the original.
          async resolveId(source, importer) {
            if (importer !== theirs) return undefined;
            const found = await this.resolve(source, importer, { skipSelf: true });
            return found?.id === ours ? `${ours}?original` : undefined;
          },
          load: (id) => (id === ours ? `export * from ${JSON.stringify(theirs)};` : undefined),
          transform: (_, id) =>
            mutated && id.split('?')[0] === fileURLToPath(mutated.href)
              ? mutated.source
              : undefined,
        },
      ],
    },
  );
  const { testModules, unhandledErrors } = await vitest.start();
  await vitest.close();
  const faults = unhandledErrors.map((error) => (error as Error).message);
  let checks = 0;
  for (const module of testModules) {
    faults.push(...module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`));
    for (const test of module.children.allTests()) {
      const { state, errors = [] } = test.result();
      if (state === 'skipped') continue;
      checks += 1;
      if (state === 'failed') {
        faults.push(`${test.fullName}: ${errors.map(({ message }) => message).join('; ')}`);
      }
    }
  }
  return { checks, faults };
}
