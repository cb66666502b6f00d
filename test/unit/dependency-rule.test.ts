import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'dependency-rule-'));
writeFileSync(
  join(folder, 'biome.json'),
  JSON.stringify({ ...JSON.parse(readFileSync('biome.json', 'utf8')), vcs: { enabled: false } }),
);
for (const part of ['shared/core', 'shared/rewards', 'scripts/connector']) {
  mkdirSync(join(folder, part), { recursive: true });
  for (const file of readdirSync(part).filter((name) => name.endsWith('.grit'))) {
    copyFileSync(join(part, file), join(folder, part, file));
  }
}
afterAll(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `${text}\n`);
}

function runLinter(options: readonly string[], path: string) {
  const given = ['lint', '--max-diagnostics=none', `--config-path=${folder}`, ...options, path];
  const { stdout, stderr, status } = spawnSync('biome', given, { encoding: 'utf8' });
  return { said: stdout + stderr, status };
}

const REFUSED = [
  ['shared/store/store-entities.ts', '../loyalty/client.ts', 'imports nothing of ours'],
  ['shared/loyalty/client.ts', '../store/order.ts', 'belongs in shared/core'],
  ['shared/http/http-client.ts', '../aws/aws-error.ts', 'imports nothing of ours'],
  ['shared/core/sync/decide.ts', '../../http/http-client.ts', 'no I/O of its own'],
  ['shared/core/sync/decide.ts', '../aws/ledger.ts', 'declare a narrow interface here'],
  ['shared/core/sync/decide.ts', '@aws-sdk/client-sqs', 'no I/O of its own'],
  ['shared/core/sync/decide.ts', 'node:fs/promises', 'no I/O of its own'],
  ['shared/shopify/readers.ts', '../loyalty/client.ts', 'know the store only'],
  ['shared/vendure/readers.ts', '../loyalty/client.ts', 'know the store only'],
  ['shared/vendure/readers.ts', '../shopify/signature.ts', 'does not know another'],
  ['shared/shopify/readers.ts', '../vendure/admin-client.ts', 'does not know another'],
  ['shared/core/sync/decide.ts', '../../vendure/read-order.ts', 'no I/O of its own'],
  ['shared/aws/ledger.ts', '../shopify/signature.ts', 'shared/aws implements the interfaces'],
  ['shared/aws/ledger.ts', '../../functions/sync-entities.ts', 'belongs there'],
  ['shared/core/sync/decide.ts', '../../services/shop-secrets.ts', 'or in shared/services'],
  ['shared/shopify/readers.ts', '../services/shop-secrets.ts', 'or in shared/services'],
  ['shared/aws/ledger.ts', '../services/shop-secrets.ts', 'or in shared/services'],
  ['shared/services/shop-secrets.ts', '../../functions/wiring.ts', 'What only one of them needs'],
  ['functions/sync-entities.ts', '../infra/stack.ts', 'Runtime code does not import'],
  ['functions/wiring.ts', '../scripts/connector/session.ts', 'do not import each other'],
  ['functions/wiring.ts', '../local/harness/cost.ts', 'do not import each other'],
  ['scripts/connector/session.ts', '../../functions/wiring.ts', 'belongs in shared/services'],
  ['scripts/connector/session.ts', '../../local/harness/cost.ts', 'each other'],
  ['local/stack/run-stack.ts', '../../scripts/connector/session.ts', 'do not import each other'],
  ['local/harness/cost.ts', '../../bench/lab.ts', 'belongs in local/harness'],
  ['local/harness/cost.ts', '../../test/support/browser.ts', 'in local/harness'],
  ['test/unit/some.test.ts', '../../bench/lab.ts', 'belongs beside it'],
  ['test/unit/some.test.ts', '../../connector.config.ts', 'use test/fixtures/project'],
  ['bench/benches/worker.ts', '../../test/support/browser.ts', 'belongs in local/harness'],
  ['infra/stack.ts', '../shared/core/sync/decide.ts', 'no runtime code but the configuration'],
  ['app/program/program.ts', '../../shared/core/sync/decide.ts', "runs in the shopper's browser"],
  ['app/program/program.ts', '../../shared/store/money.ts', "runs in the shopper's browser"],
] as const;
/** What the linter says of each import, by its place in the list: the linter is slow to start. */
function lintImports(
  imports: readonly (readonly [file: string, imported: string, ...rest: string[]])[],
) {
  const name = (file: string, index: number) => file.replace(/\.ts$/, `-${index}.ts`);
  for (const [index, [file, imported]] of imports.entries()) {
    write(name(file, index), `import { thing } from '${imported}';\nthing();`);
  }
  const { said } = runLinter(['--only=style/noRestrictedImports', '--reporter=github'], folder);
  const lines = said.split('\n');
  return imports.map(([file], index) => {
    const path = `/${name(file, index)},`;
    return lines.filter((line) => line.includes(path)).join('\n');
  });
}

describe('the dependency rule', () => {
  const said = lintImports(REFUSED);

  it.each(REFUSED.map((row, index) => [...row, index] as const))(
    'refuses in %s an import of %s and says where it belongs',
    (_file, _imported, message, index) => {
      expect(said[index]).toContain(message);
    },
  );
});

describe.each([
  [
    'core',
    [
      ...['events', 'ledger', 'store', 'calls', 'mapping', 'batch', 'sync', 'reconcile'],
      'platform',
    ],
  ],
  ['rewards', ['balances', 'redeem', 'storefront']],
])('the levels of shared/%s', (name, LEVELS) => {
  const parent = `shared/${name}`;

  it('are all of its folders', () => {
    const folders = readdirSync(parent, { withFileTypes: true });
    const names = folders.filter((one) => one.isDirectory()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(LEVELS.toSorted());
  });

  it('import only those below them, be it for a type', () => {
    for (const level of LEVELS) {
      for (const other of LEVELS) {
        const imports = `import type { Thing } from '../${other}/thing.ts';\nexport type A = Thing;`;
        write(`${parent}/${level}/imports-${other}.ts`, imports);
        write(
          `${parent}/${level}/exports-${other}.ts`,
          `export * from '../../${name}/${other}/thing.ts';`,
        );
      }
      write(`${parent}/${level}/model.ts`, "export * from '../../store/order.ts';");
    }
    const { said } = runLinter(['--reporter=github'], join(folder, parent));
    const found = said.matchAll(/shared\/\w+\/(\w+)\/(imports|exports)-(\w+)\.ts,/g);
    const refused = [...found].map(([, level, , other]) => `${level} of ${other}`);
    const expected = LEVELS.flatMap((level, index) =>
      LEVELS.slice(index + 1).map((other) => `${level} of ${other}`),
    );
    expect(refused.toSorted()).toEqual([...expected, ...expected].toSorted());
  });
});

describe('the levels of the commands', () => {
  const GROUND = ['checks', 'compare', 'console', 'letters'].map((name) => `ground/${name}`);
  const COMMANDS = ['look', 'repair', 'set-up', 'set-up/shopify'];
  /** A level imports those before it; the folders of one level do not import each other. */
  const LEVELS = [['ground/terminal'], ['ground/session'], GROUND, COMMANDS];
  const FOLDERS = LEVELS.flatMap((folders, level) => folders.map((name) => ({ name, level })));
  const ROOT = 'scripts/connector';

  it('are all of its folders, four at most, and none is deeper', () => {
    const found = readdirSync(ROOT, { withFileTypes: true, recursive: true });
    const names = found
      .filter((one) => one.isDirectory())
      .map(({ name, parentPath }) => join(parentPath, name).slice(ROOT.length + 1));
    // The page of the console is built by itself, and what a new project gets is copied.
    const others = ['ground', 'ground/console/page', 'set-up/template'];
    const levelled = names.filter((name) => !others.includes(name));
    expect(levelled.toSorted()).toEqual(FOLDERS.map(({ name }) => name).toSorted());
    expect(Math.max(LEVELS.length, ...names.map((name) => name.split('/').length))).toBeLessThan(5);
  });

  it('import only those below them, be it for a type or late', () => {
    for (const { name } of FOLDERS) {
      for (const { name: other } of [...FOLDERS, { name: '.' }]) {
        if (name === other) continue;
        const way = relative(join(ROOT, name), join(ROOT, other, 'thing.ts'));
        const path = way.startsWith('.') ? way : `./${way}`;
        const late = `export const load = async () => (await import('${path}')).thing;`;
        const type = `import type { Thing } from '${path}';\nexport type A = Thing;`;
        const file = `${ROOT}/${name}/x-${other.replaceAll('/', '_')}`;
        write(`${file}-type.ts`, type);
        write(`${file}-late.ts`, late);
      }
      write(
        `${ROOT}/${name}/x-own-type.ts`,
        `export * from './thing.ts';\nexport * from '${relative(join(ROOT, name), 'shared/core/thing.ts')}';`,
      );
    }
    const { said } = runLinter(['--reporter=github'], join(folder, ROOT));
    const lines = said.split('\n').filter((line) => line.includes('of a higher level'));
    const refused = lines.flatMap((line) => {
      const [, name, other, how] =
        /connector\/([\w/-]+)\/x-([\w.-]+)-(type|late)\.ts,/.exec(line) ?? [];
      return name ? [`${name} of ${other?.replaceAll('_', '/')}, ${how}`] : [];
    });
    const expected = FOLDERS.flatMap(({ name, level }) =>
      [...FOLDERS, { name: '.', level: LEVELS.length }]
        .filter((other) => other.name !== name && other.level >= level)
        .flatMap((other) => ['type', 'late'].map((how) => `${name} of ${other.name}, ${how}`)),
    );
    expect(refused.toSorted()).toEqual(expected.toSorted());
  });
});

describe('points and rewards', () => {
  it('import the core, which never imports them, be it for a type', () => {
    const importOf = (path: string) =>
      `import type { Thing } from '${path}';\nexport type A = Thing;`;
    write('shared/core/platform/rewards.ts', importOf('../../rewards/redeem/thing.ts'));
    write('shared/core/events/rewards.ts', "export * from '../../rewards/balances/thing.ts';");
    write('shared/rewards/balances/core.ts', importOf('../../core/platform/thing.ts'));
    const { said } = runLinter(['--reporter=github'], join(folder, 'shared'));
    const refused = said.split('\n').filter((line) => line.includes('never the other way'));
    const files = refused.flatMap(
      (line) => /shared\/\w+\/\w+\/(?:core|rewards)\.ts/.exec(line) ?? [],
    );
    expect(files.toSorted()).toEqual([
      'shared/core/events/rewards.ts',
      'shared/core/platform/rewards.ts',
    ]);
    expect(said).not.toContain('shared/rewards/balances/core.ts');
  });
});

/** Which of these lines the plugins refuse in the core: a file for each, and one run of the slow linter. */
function lintLines(name: string, lines: readonly string[]) {
  for (const [index, line] of lines.entries()) write(`shared/core/${name}/${index}.ts`, line);
  const { said, status } = runLinter([], join(folder, 'shared/core', name));
  const found = said.matchAll(/\/(\d+)\.ts:\d+:\d+ plugin/g);
  const numbers = new Set([...found].map(([, index]) => Number(index)));
  return { accused: [...numbers].map((index) => lines[index]).toSorted(), said, status };
}

describe('the words of the core', () => {
  const STORE_WORDS = [
    "export const isUpdate = (topic: string) => topic === 'orders/updated';",
    "export const isDeletion = (topic: string) => topic.startsWith('products/');",
    "export type Topic = 'discounts/delete' | 'other';",
    "export const routes = { 'customers/redact': 1 };",
    'export const topic = `discounts/update`;',
    "export const gidPrefix = 'gid://Order/';",
    "export const isTill = (source: string) => source === 'pos';",
    "export const domain = 'example.myshopify.com';",
    'export const shopifyOrder = 1;',
    'export interface ShopifyOrder { readonly id: string }',
    'export interface Order { readonly shopifyId: string }',
    'export interface Shop { readonly vendure: boolean }',
  ];
  const OTHER_WORDS = [
    "export const claim = 'deleted';",
    "export { orders } from '../orders/plan.ts';",
  ];

  it('are not those of the store', () => {
    const { accused, said, status } = lintLines('words', [...STORE_WORDS, ...OTHER_WORDS]);
    expect(accused).toEqual(STORE_WORDS.toSorted());
    expect(said).toContain('does not know the topics and names of a store platform');
    expect(said).toContain('This folder knows no store platform');
    expect(status).not.toBe(0);
  });

  const NEUTRAL = [
    ...['shared/aws', 'shared/http', 'shared/loyalty', 'shared/store', 'shared/config'],
    ...['shared/services', 'functions', 'infra'],
    ...['look', 'repair', 'set-up', 'ground/session'].map((name) => `scripts/connector/${name}`),
  ];

  it('name no platform in another folder, either, be it to import it', () => {
    for (const one of NEUTRAL) {
      write(`${one}/word.ts`, "export const is = (shop: { on: string }) => shop.on === 'vendure';");
      write(`${one}/import.ts`, "export * from '../shopify/shop-checks.ts';");
    }
    const { said } = runLinter(['--reporter=github'], folder);
    const refused = said.split('\n').filter((line) => line.includes('knows no store platform'));
    const found = refused.flatMap((line) => /([\w/-]+)\/(word|import)\.ts,/.exec(line)?.[0] ?? []);
    const all = NEUTRAL.flatMap((one) => [`${one}/import.ts,`, `${one}/word.ts,`]);
    expect(
      found.map((one) => one.slice(one.search(/shared|functions|infra|scripts/))).toSorted(),
    ).toEqual(all.toSorted());
  });

  it('name it only in its folders, in the tables that list them, and in the settings', () => {
    const { overrides } = JSON.parse(readFileSync('biome.json', 'utf8'));
    const exempt = overrides.at(-1).includes.filter((one: string) => one.startsWith('!'));
    expect(exempt).toEqual([
      // Its folders: the storefront answers the pages of an app, which only Shopify's shops have.
      ...['!shared/shopify/**', '!shared/vendure/**', '!scripts/connector/set-up/shopify/**'],
      '!functions/{storefront,widget-script}.ts',
      // The tables.
      '!shared/services/{configured-store,platforms}.ts',
      ...['!scripts/connector/create-program.ts', '!scripts/connector/platform-checks.ts'],
      // The settings, those of a new project, and the list of what workers load late.
      '!shared/config/{connector-config,connector-settings,new-shop,seldom,settings-check}.ts',
      '!scripts/connector/set-up/template/**',
    ]);
  });
});

describe('the decisions of the core', () => {
  const ON_TEXTS = [
    "export const isStore = (why: string) => why.startsWith('store-');",
    "export const isSlow = (retry: { why?: string }) => retry.why?.endsWith('slow');",
    "export const isKnown = (why: string) => ['a', 'b'].includes(why);",
    "export const isAdded = (event: { topic: string }) => event.topic === 'Point_Add';",
    "export const isOther = (event: { topic: string }) => 'Point_Add' !== event.topic;",
    'export const isDown = (error: Error) => /down/.test(error.message);',
    "export const isUnreachable = (error: Error) => error.name === 'Unreachable';",
    'export function act(event: { topic: string }) {\n  switch (event.topic) {\n    default:\n      return 1;\n  }\n}',
  ];
  const ON_VALUES = [
    "export const isLost = (state: { why: 'lost' | 'found' }) => state.why === 'lost';",
    "export const isGone = (cursor?: string) => cursor?.startsWith('gone:');",
    "export const isDeletion = (event: { claim: string }) => event.claim === 'deleted';",
  ];

  it('do not depend on a text', () => {
    const { accused, said, status } = lintLines('decisions', [...ON_TEXTS, ...ON_VALUES]);
    expect(accused).toEqual(ON_TEXTS.toSorted());
    expect(said).toContain('does not decide on a text');
    expect(status).not.toBe(0);
  });
});
