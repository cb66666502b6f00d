import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FUNCTIONS } from '../../infra/bundle-functions.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { VERSION } from '../../shared/config/release.ts';
import { IS_NIGHT } from '../support/night.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 });

interface Ran {
  readonly code: number | null;
  /** Both streams, as a terminal shows them. */
  readonly output: string;
}

/** Variables of npm's and vitest's own run; npm's settings stay. */
const NOT_INHERITED =
  /^(?:npm_(?!config_)|npm_config_local_prefix$|NODE_(?:ENV|OPTIONS|COMPILE_CACHE)$|VITEST|INIT_CWD$|AWS_|FORCE_COLOR$)/;

/** Runs a program as a merchant would: nothing of the clone is on the path. */
function runOutside(folder: string, line: readonly string[]): Promise<Ran> {
  const path = (process.env.PATH ?? '').split(delimiter);
  const outside = path.filter((part) => !part.includes('node_modules')).join(delimiter);
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  const [program = '', ...words] = line;
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), PATH: outside, AWS_EC2_METADATA_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** The same, for what must succeed. */
async function mustRun(folder: string, line: readonly string[]): Promise<string> {
  const { code, output } = await runOutside(folder, line);
  if (code !== 0) throw new Error(`"${line.join(' ')}" ended with ${code}:\n${output}`);
  return output;
}

/** A merchant's project with the packed connector, outside of the clone. */
interface Installed {
  readonly tarball: string;
  readonly project: string;
  /** What creating it printed. */
  readonly said: string;
}

const JEST = ['jest', '@swc/jest', '@swc/core'];

const ANSWERS = [
  ...['--shop', 'paper.myshopify.com'],
  ...['--loyalty-address', 'https://points.example.org'],
];

/** Runs what the README tells a merchant, in a copy of the clone. */
async function createMerchantProject(folder: string): Promise<Installed> {
  const clone = await copyClone(join(folder, 'loyalty-connector'));
  let said = '';
  for (const line of merchantCommands()) {
    // No terminal: the answers are options.
    const isInit = line.includes('loyalty-connector init');
    const answered = isInit ? `${line} ${ANSWERS.join(' ')}` : line;
    const output = await mustRun(clone, ['sh', '-c', answered]);
    if (isInit) said = output;
  }
  const tarball = join(clone, `loyalty-connector-${VERSION}.tgz`);
  return { tarball, project: join(folder, 'my-shop'), said };
}

/** Without what the copy has already, and without the start, which does not end. */
function merchantCommands(): readonly string[] {
  const readme = readFileSync(join(PACKAGE_FOLDER, 'README.md'), 'utf8');
  const [, block = ''] = /\*\*As a merchant\*\*[^`]*```sh\n(.*?)```/s.exec(readme) ?? [];
  const lines = block.trim().split('\n');
  const commands = lines.map((line) => line.replace(/ +#.*/, '').replace('npm ci && ', ''));
  if (commands.pop() !== 'npm start' || commands.length === 0) {
    throw new Error('the README has other first commands for merchants than this test knows');
  }
  return commands;
}

/** The files of the clone with its installed packages, so that building does not disturb other tests. */
async function copyClone(to: string): Promise<string> {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const listed = await mustRun(PACKAGE_FOLDER, ['git', ...words]);
  for (const file of listed.trim().split('\n')) {
    const from = join(PACKAGE_FOLDER, file);
    if (existsSync(from)) cpSync(from, join(to, file));
  }
  symlinkSync(join(PACKAGE_FOLDER, 'node_modules'), join(to, 'node_modules'));
  return to;
}

describe('the packed connector', () => {
  /** Outside of the clone, so that nothing of it is found by chance. */
  const folder = mkdtempSync(join(tmpdir(), 'connector-package-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** In the place of actions/setup-node, or of the Node that somebody has. */
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  const withNode = (place: string, line: string) =>
    mustRun(place, ['sh', '-c', `PATH=${bin}:$PATH ${line}`]);

  let { tarball, project, said } = {} as Installed;
  beforeAll(async () => {
    ({ tarball, project, said } = await createMerchantProject(folder));
  });

  it('holds compiled code and documents, no tests and no sources', async () => {
    const listed = await mustRun(folder, ['tar', '-tzf', tarball]);
    const files = listed.trim().split('\n');
    expect(files).toContain('package/dist/infra/app.js');
    expect(files).toContain('package/docs/runbook.md');
    for (const file of ['page.js', 'page.css']) {
      expect(files).toContain(`package/dist/scripts/connector/ground/console/page/${file}`);
    }
    const unwanted = files.filter(
      (file) => /\/(?:test|bench|tools)\//.test(file) || /(?<!\.d|\.config)\.ts$/.test(file),
    );
    expect(unwanted).toEqual([]);
  });

  it('is installed by the first commands of the README, which say what comes next', () => {
    expect(said).toContain('npx loyalty-connector setup');
    expect(readFileSync(join(project, 'connector.config.ts'), 'utf8')).toContain(
      "domain: 'paper.myshopify.com'",
    );
  });

  it('synthesizes the stack of the project, with every function bundled', async () => {
    const { code, output } = await runOutside(project, ['npx', 'loyalty-connector', 'synth']);
    expect({ code, output }).toMatchObject({ code: 0 });
    const file = join(project, 'cdk.out/loyalty-connector-prod.template.json');
    const { Resources, Outputs } = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(Resources).length).toBeGreaterThan(40);
    expect(Outputs.Version.Value).toBe(VERSION);
    const bundles = globSync('cdk.out/asset.*/index.js', { cwd: project }).map((bundle) =>
      readFileSync(join(project, bundle), 'utf8'),
    );
    expect(bundles).toHaveLength(FUNCTIONS.length);
    for (const code of bundles) {
      expect(code).toContain('paper.myshopify.com');
      // The entry for settings must not bring CDK into a function.
      expect(code.length).toBeLessThan(500_000);
    }
  });

  it('runs a day on this machine, and both sides agree', async () => {
    const { code, output } = await runOutside(project, [
      ...['npm', 'start', '--', '--once', '--port', '0'],
    ]);
    expect(output).toMatch(/\nin sync: 3 orders, 5 products, 6 coupons\n/);
    expect(code).toBe(0);
  });

  it('has what starts a Vendure server but Vendure, and says so where npm cannot download it', async () => {
    const place = 'node_modules/loyalty-connector/dist/local/vendure-engine/server';
    expect(readFileSync(join(project, place, 'server.js'), 'utf8')).toContain('loyalty_outbox');
    const { code, output } = await runOutside(project, [
      ...['env', 'npm_config_registry=http://127.0.0.1:9'],
      ...['npm', 'start', '--', '--store', 'vendure', '--once', '--port', '0'],
    ]);
    expect(output).toContain('Vendure could not be downloaded: npm ci failed.');
    expect(output).toContain('Without --store vendure, nothing is downloaded.');
    expect(code).toBe(1);
  });

  it('is synthesized without install scripts, as the job that deploys does it', async () => {
    const bare = join(folder, 'without-scripts');
    const installed = join(project, 'node_modules');
    cpSync(project, bare, { recursive: true, filter: (from) => from !== installed });
    await withNode(bare, 'npm ci --ignore-scripts');
    expect(existsSync(join(bare, 'node_modules/node/bin/node'))).toBe(false);
    expect(await withNode(bare, 'npm run synth')).toContain('The templates are in');
    rmSync(bare, { recursive: true });
  });

  it.runIf(IS_NIGHT)(
    'is a construct in an app of "cdk init", CommonJS or ES modules, by the lines of docs/deploy.md and events.md',
    async () => {
      const guide = readFileSync(join(PACKAGE_FOLDER, 'docs/deploy.md'), 'utf8');
      const [, section = ''] = guide.split('\n## Part of an app of your own\n');
      const [settings = '', lines = ''] = [...section.matchAll(/```ts\n(.*?)```/gs)].map(
        ([, code]) => code,
      );
      const events = readFileSync(join(PACKAGE_FOLDER, 'docs/events.md'), 'utf8');
      const [, queue = ''] = /```ts\n(.*?)```/s.exec(events) ?? [];
      const app = join(folder, 'paper-app');
      mkdirSync(app);
      const cdk = join(project, 'node_modules/.bin/cdk');
      await mustRun(app, [cdk, 'init', 'app', '--language', 'typescript', '--generate-only']);
      // Most of what would be installed is for tests of that app, which has none.
      await mustRun(app, ['npm', 'pkg', 'delete', ...JEST.map((one) => `devDependencies.${one}`)]);
      // This run has the settings of the clone.
      await withNode(app, `npm install --no-audit --no-strict-allow-scripts ${tarball}`);
      writeFileSync(
        join(app, 'connector.config.ts'),
        settings.replace('// storefront', 'storefront'),
      );
      const [first, ...others] = lines.split('\n');
      const own = `import { App, Stack } from 'aws-cdk-lib';
${first}
const stack = new Stack(new App(), 'Paper');
${others.join('\n')}
${queue}`;
      writeFileSync(join(app, 'bin/paper-app.ts'), own);
      for (const kind of ['commonjs', 'module']) {
        await mustRun(app, ['npm', 'pkg', 'set', `type=${kind}`]);
        rmSync(join(app, 'cdk.out'), { recursive: true, force: true });
        await withNode(app, 'npx cdk synth --quiet');
        const template = readFileSync(join(app, 'cdk.out/Paper.template.json'), 'utf8');
        const { Outputs, Resources } = JSON.parse(template);
        expect(Object.keys(Outputs)).toContain('SecretsPrefix');
        const [rule] = Object.keys(Resources).filter((id) => id.startsWith('ToQueue'));
        expect(Resources[rule ?? ''].Properties.Targets).toHaveLength(1);
        expect(template).toContain('--stack Paper');
        expect(template).toContain('events:PutEvents');
      }
      const bundle = join(app, '.connector/bundles/prod/assets/storefront');
      const parts = readdirSync(bundle, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js'))
        .map((name) => readFileSync(join(bundle, name), 'utf8'));
      expect(parts.some((text) => text.includes('loyalty-widget'))).toBe(true);
    },
  );

  it('writes the Shopify app: its extensions are built, and need no installation', async () => {
    const settings = join(project, 'connector.config.shown.ts');
    const text = readFileSync(join(project, 'connector.config.ts'), 'utf8');
    writeFileSync(settings, text.replace('// storefront: {}', 'storefront: {}'));
    // As npm start describes a stack. With the client ID given, none of its services is asked.
    const nowhere = 'http://127.0.0.1:9';
    const services = { storeAddress: nowhere, loyaltyAddress: nowhere, metricsAddress: nowhere };
    const outputs = {
      Version: VERSION,
      WebhookAddress: 'https://hooks.example.com',
      StorefrontAddress: 'https://front.example.com',
    };
    const stack = {
      ...{ pid: process.pid, stack: 'local', stage: 'prod', settings, region: 'us-east-1' },
      ...{ endpoint: nowhere, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
      ...{ outputs, ...services },
    };
    mkdirSync(join(project, '.connector'), { recursive: true });
    const description = join(project, '.connector/stack.json');
    writeFileSync(description, JSON.stringify(stack));
    const write = ['npx', 'loyalty-connector', 'app', 'write', '--client-id', 'client-1'];
    await mustRun(project, write);
    rmSync(settings);
    rmSync(description);

    const app = join(project, 'shopify-app/paper.local');
    const read = (path: string) => readFileSync(join(app, path), 'utf8');
    expect(read('shopify.app.toml')).toContain('url = "https://front.example.com/paper"');
    const extensions = globSync('extensions/*/shopify.extension.toml', { cwd: app });
    expect(extensions.length).toBeGreaterThan(0);
    for (const path of extensions) {
      for (const [, module = ''] of read(path).matchAll(/^module = "(.+)"$/gm)) {
        const code = read(join(dirname(path), module));
        expect(code).not.toMatch(/^import /m);
        expect(code).toContain('https://front.example.com/paper');
      }
    }
    expect(globSync('**/*.{ts,tsx}', { cwd: app })).toEqual([]);
    expect(globSync('extensions/loyalty-theme/assets/*.js', { cwd: app })).not.toEqual([]);
  });

  it('has types: an editor marks what is no setting', async () => {
    const tsc = [process.execPath, resolve('node_modules/typescript-7/bin/tsc')];
    expect(await mustRun(project, tsc)).toBe('');
    const file = join(project, 'connector.config.ts');
    const settings = readFileSync(file, 'utf8');
    writeFileSync(file, settings.replace('shops: [', 'colour: 1, shops: ['));
    const { code, output } = await runOutside(project, tsc);
    writeFileSync(file, settings);
    expect(output).toContain("'colour' does not exist in type 'ConnectorSettings'");
    expect(code).not.toBe(0);
  });

  it('reports mistakes in the settings in the words of their author', async () => {
    const file = join(project, 'connector.config.test.ts');
    const settings = readFileSync(join(project, 'connector.config.ts'), 'utf8');
    writeFileSync(file, settings.replace('paper.myshopify.com', 'paper.example.org'));
    // With CDK's own command line, which needs the app's name in cdk.json.
    const { code, output } = await runOutside(project, ['npx', 'cdk', 'list', '-c', 'stage=test']);
    rmSync(file);
    expect(output).toMatch(/connector\.config\.test\.ts:\d+:\d+: shops\[0\]\.domain must end in/);
    expect(code).toBe(1);
  });
});
