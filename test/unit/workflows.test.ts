import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

// GitHub's own parser and schema, bundled because it imports JSON as only bundlers allow.
const folder = mkdtempSync(join(tmpdir(), 'workflow-parser-'));
const outfile = join(folder, 'parser.cjs');
buildSync({ entryPoints: ['@actions/workflow-parser'], bundle: true, platform: 'node', outfile });
const { NoOperationTraceWriter, parseWorkflow }: typeof import('@actions/workflow-parser') =
  createRequire(import.meta.url)(outfile);
rmSync(folder, { recursive: true });

function faultsOf(name: string, content: string): readonly string[] {
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

const RELEASE = '.github/workflows/release.yml';
const NIGHTLY = '.github/workflows/nightly.yml';
const FILES = ['.github/workflows/ci.yml', NIGHTLY, RELEASE, '.github/workflows/security.yml'];
const TEMPLATE = 'scripts/connector/set-up/template/deploy.yml';
const read = (file: string) => readFileSync(file, 'utf8');

describe('the workflows', () => {
  it('are all known here', () => {
    expect(globSync('.github/workflows/*').toSorted()).toEqual(FILES);
  });

  it.each([...FILES, TEMPLATE])('%s is one that GitHub can read', (file) => {
    expect(faultsOf(file, read(file))).toEqual([]);
    expect(faultsOf(file, read(file).replace('runs-on', 'run-on'))).not.toEqual([]);
  });

  it.each([...FILES, TEMPLATE])('%s has no more rights than it needs, and no secret', (file) => {
    const { permissions } = parse(read(file));
    expect(permissions).toEqual({ contents: 'read' });
    expect(read(file)).not.toContain('secrets.');
  });

  it('run every test on Linux and macOS', () => {
    const { test } = parse(read('.github/workflows/ci.yml')).jobs;
    expect(test.strategy.matrix.os).toEqual(['ubuntu-latest', 'macos-latest']);
    expect(test.steps.at(-1)).toEqual({ run: '.ci/run' });
  });

  it('let the engines of others, kills under load and the list of known vulnerabilities judge every night', () => {
    const { on, jobs } = parse(read(NIGHTLY));
    expect(on.schedule).toHaveLength(1);
    // The earlier commit that it packs is in the whole history only.
    expect(jobs.aws.steps[0].with).toMatchObject({ 'fetch-depth': 0 });
    expect(jobs.aws.steps.at(-1)).toEqual({ run: 'npm run check:aws -- --planted' });
    expect(jobs.foreign.steps.at(-1)).toEqual({ run: 'npm run check:foreign' });
    expect(jobs.load.steps.at(-1)).toEqual({ run: 'npm run load' });
    expect(jobs.mutation.steps.at(-1)).toEqual({ run: 'npm run mutate -- --minutes 85' });
    expect(jobs.audit.steps.at(-1)).toEqual({ run: 'npm run audit' });
  });

  it.each([...FILES, TEMPLATE])(
    '%s runs actions that nobody can exchange: each by its commit',
    (file) => {
      const used = [...read(file).matchAll(/uses: (.*)/g)].map(([, action]) => action);
      expect(used).not.toEqual([]);
      // The version is for people, and for the tools that renew it.
      const pinned = /^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
      expect(used.filter((action) => !pinned.test(action ?? ''))).toEqual([]);
    },
  );

  it.each([...FILES, TEMPLATE])(
    '%s lets no install script of others publish, sign or deploy',
    (file) => {
      const jobs: Record<string, Job> = parse(read(file)).jobs;
      for (const [name, { permissions, steps, environment }] of Object.entries(jobs)) {
        const isTrusted =
          permissions?.['id-token'] === 'write' || permissions?.contents === 'write';
        // Its rules, in the settings of the repository, say which branches and tags may use it.
        expect(environment !== undefined, name).toBe(isTrusted);
        if (!isTrusted) continue;
        const commands = steps.map(({ run = '' }) => run).join('\n');
        const installs = commands.match(
          /\bnpm (?:ci|i|install|exec|rebuild|publish)\b.*|\.ci\/run/g,
        );
        const withScripts = installs?.filter((one) => !one.includes('--ignore-scripts'));
        expect(withScripts ?? [], name).toEqual([]);
        const caches = steps.filter((step) => step.with?.cache !== undefined);
        expect(caches, name).toEqual([]);
      }
    },
  );

  it('hand no credentials of the repository to the tests', () => {
    const { build } = parse(read(RELEASE)).jobs;
    expect(build.permissions).toBeUndefined();
    for (const file of [...FILES, TEMPLATE]) {
      const steps = Object.values<Job>(parse(read(file)).jobs).flatMap((job) => job.steps);
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(
        checkouts.map(() => false),
      );
    }
  });

  it('publish only a tested tag, with provenance and a list of what is installed', () => {
    const { on, jobs } = parse(read(RELEASE));
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(jobs.publish).toMatchObject({ needs: 'build', permissions: { 'id-token': 'write' } });
    const commands = jobs.build.steps.map(({ run = '' }) => run);
    const nth = (text: string) => commands.findIndex((run: string) => run.includes(text));
    const order = ['.ci/run', 'npm sbom --sbom-format cyclonedx'].map(nth);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(read(RELEASE)).toContain('npm publish "$tarball" --provenance');
  });

  it('publish nothing twice when a release is run again', () => {
    const first = publish([]);
    const options = '--provenance --ignore-scripts --tag latest';
    expect(first).toEqual([
      expect.stringMatching(new RegExp(`^npm publish .*create-shop-1.2.3.tgz ${options}$`)),
      expect.stringMatching(new RegExp(`^npm publish .*shop-1.2.3.tgz ${options}$`)),
      expect.stringMatching(/^gh release create v1.2.3 /),
    ]);
    // The run before broke off between the two packages.
    expect(publish(['create-shop@1.2.3'])).toEqual(first.slice(1));
    expect(publish(['create-shop@1.2.3', 'shop@1.2.3', 'v1.2.3'])).toEqual([]);
  });

  // npm refuses a candidate without a tag. Nobody who asks for the latest may get one, once there is a release.
  it.each([
    ['1.0.0-rc.1', 'latest'],
    ['1.0.0', 'latest'],
    ['1.1.0-rc.1', 'next'],
  ])('publish %s as %s', (version, tag) => {
    const [first, second] = publish([], version);
    expect([first, second]).toEqual([
      expect.stringMatching(new RegExp(`--tag ${tag}$`)),
      expect.stringMatching(new RegExp(`--tag ${tag}$`)),
    ]);
  });

  it('pack the plugin for Vendure under the version of the connector', () => {
    const [version, plugin] = ['package.json', 'vendure-plugin/package.json'].map(
      (file) => JSON.parse(read(file)).version,
    );
    expect(plugin).toBe(version);
    const { build } = parse(read(RELEASE)).jobs;
    const commands = build.steps.map(({ run = '' }) => run).join('\n');
    expect(commands).toContain('npm pack ./vendure-plugin --pack-destination release');
  });
});

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

/** The commands of the job that change something, where npm and GitHub have these already. */
function publish(existing: readonly string[], version = '1.2.3'): readonly string[] {
  const place = mkdtempSync(join(tmpdir(), 'publish-'));
  const write = (name: string, text: string) => writeFileSync(join(place, name), text);
  const run = (command: string) =>
    execFileSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', command], {
      cwd: place,
      env: { PATH: `${place}/bin:${process.env.PATH}`, GITHUB_REF_NAME: `v${version}` },
    });
  try {
    for (const folder of ['bin', 'release', 'package']) mkdirSync(join(place, folder));
    for (const name of ['shop', 'create-shop']) {
      write('package/package.json', JSON.stringify({ name, version }));
      run(`tar -czf release/${name}-${version}.tgz package`);
    }
    write('release/CHANGELOG.md', '');
    write('release/sbom.cdx.json', '');
    write('existing', existing.map((one) => `${one}\n`).join(''));
    write('changes', '');
    // Both answer 404 for what is not there, and exit with 1.
    const known = `grep -Fx "$asked" ${place}/existing`;
    const note = (name: string) => `echo "${name} $*" >> ${place}/changes`;
    write(
      'bin/npm',
      `#!/bin/sh\nasked=$2\nif [ "$1" = view ]; then ${known}; else ${note('npm')}; fi\n`,
    );
    write(
      'bin/gh',
      `#!/bin/sh\nasked=$3\nif [ "$2" = view ]; then ${known}; else ${note('gh')}; fi\n`,
    );
    run('chmod +x bin/*');
    const { steps }: Job = parse(read(RELEASE)).jobs.publish;
    for (const step of steps) if (step.run !== undefined) run(step.run);
    return readFileSync(join(place, 'changes'), 'utf8').split('\n').filter(Boolean);
  } finally {
    rmSync(place, { recursive: true });
  }
}
