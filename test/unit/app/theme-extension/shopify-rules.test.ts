import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'smol-toml';
import { afterAll, describe, expect, it } from 'vitest';
import { en } from '../../../../app/program/strings/en.ts';
import { es } from '../../../../app/program/strings/es.ts';
import { ptBr } from '../../../../app/program/strings/pt-br.ts';
import { openThemeBlocks } from '../../../support/theme-blocks.ts';

const folder = mkdtempSync(join(tmpdir(), 'theme-extension-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The checker would download the newest descriptions of Liquid: a place without any makes it use those of its package.
process.env.SHOPIFY_TLD_ROOT = join(folder, 'no-docs');
process.env.XDG_CACHE_HOME = join(folder, 'cache');
const { check } = await import('@shopify/theme-check-node');
const docs = join(
  dirname(createRequire(import.meta.url).resolve('@shopify/theme-check-node')),
  '..',
);

const theme = await openThemeBlocks();
const KILOBYTE = 1024;
const sizeOf = (path: string) => Buffer.byteLength(theme.read(path));
const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
const below = (...folders: readonly string[]) =>
  [...theme.files.keys()].filter((path) => folders.includes(dirname(path)));

/** What Shopify's theme checker says of the extension with these files changed. */
async function checkTheme(name: string, changed: Readonly<Record<string, string>> = {}) {
  for (const [path, text] of [...theme.files, ...Object.entries(changed)]) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
  const offenses = await check(join(folder, name), 'theme-check:theme-app-extension');
  return offenses.map(
    ({ check: code, uri, message }) => `${code} ${uri.split('/').at(-1)}: ${message}`,
  );
}

describe("Shopify's theme checker", () => {
  it('finds nothing in the extension', async () => {
    expect(await checkTheme('as-it-is')).toEqual([]);
  });

  it('finds planted faults', async () => {
    const schema = '{% schema %}{ "name": "A", "target": "section" }{% endschema %}';
    const found = await checkTheme('with-faults', {
      'blocks/filter.liquid': `{{ 'a' | no_such_filter }}${schema}`,
      'blocks/asset.liquid': `{{ 'no-such.js' | asset_url }}${schema}`,
      'blocks/tag.liquid': `{% javascript %}{% endjavascript %}${schema}`,
      'blocks/sentence.liquid': `{{ 'no_such' | t }}${schema}`,
      'locales/es.json': '{}',
    });
    const codes = new Set(found.map((one) => one.split(':', 1)[0]));
    for (const code of [
      ...['UnknownFilter filter.liquid', 'MissingAsset asset.liquid'],
      ...['AppBlockValidTags tag.liquid', 'TranslationKeyExists sentence.liquid'],
      'MatchingTranslations es.json',
    ]) {
      expect(codes).toContain(code);
    }
  });
});

describe("the extension, by the rules of Shopify's command line", () => {
  const KINDS: Readonly<Record<string, RegExp>> = {
    assets: /\.(jpe?g|js|css|png|svg|json|wasm)$/,
    blocks: /\.liquid$/,
    snippets: /\.liquid$/,
    locales: /\.json$/,
  };

  it('is of the type theme, and holds only the kinds of files that are taken', () => {
    expect(parse(theme.read('shopify.extension.toml'))).toMatchObject({ type: 'theme' });
    for (const path of theme.files.keys()) {
      if (extname(path) !== '.toml') expect(path).toMatch(KINDS[dirname(path)] ?? /no such folder/);
    }
  });

  it('has at most 30 blocks, 100 kB of Liquid and 15 kB in each locale file', () => {
    expect(theme.blocks.toSorted()).toEqual([
      ...['loyalty', 'loyalty-badge', 'loyalty-button', 'loyalty-points'],
    ]);
    expect(sum(below('blocks', 'snippets').map(sizeOf))).toBeLessThan(16 * KILOBYTE);
    for (const path of below('locales')) expect(sizeOf(path), path).toBeLessThan(15 * KILOBYTE);
  });
});

describe('the theme editor', () => {
  const data = join(docs, '../theme-check-docs-updater/data');
  const ajv = new Ajv({ strict: false, allErrors: true });
  // They refer to each other by file.
  const NAMES = [
    ...['section', 'setting', 'settings', 'default_setting_values', 'preset', 'preset_blocks'],
    ...['app_block_entry', 'theme_block_entry', 'local_block_entry', 'targetted_block_entry'],
  ];
  const idOf = (name: string) => `https://theme.invalid/${name}.json`;
  for (const name of NAMES) {
    const schema = JSON.parse(readFileSync(join(data, `${name}.json`), 'utf8'));
    ajv.addSchema({ ...schema, $id: idOf(name) });
  }
  const validate = (value: unknown) => {
    const isValid = ajv.validate(idOf('section'), value);
    return isValid ? [] : (ajv.errors ?? []);
  };

  it.each(theme.blocks)('takes the schema of %s', (block) => {
    const { target, settings, ...rest } = theme.schemaOf(block);
    expect(target).toBe(block === 'loyalty-button' ? 'body' : 'section');
    // `target` and `autofill` are of app blocks only; the published schemas are those of themes.
    const asOfThemes = settings.map(({ autofill, ...setting }) => setting);
    expect(validate({ ...rest, settings: asOfThemes })).toEqual([]);
  });

  it('would refuse a setting of no known type', () => {
    expect(validate({ name: 'A', settings: [{ type: 'colour', id: 'a' }] })).not.toEqual([]);
  });

  it.each(['en.default', 'pt-BR', 'es'])(
    'has every label in %s, and names of at most 25 letters',
    (locale) => {
      const labels = JSON.parse(theme.read(`locales/${locale}.schema.json`));
      const find = (key: string): unknown =>
        key.split('.').reduce((value, part) => value?.[part], labels);
      const used = theme.blocks.flatMap((block) =>
        [...JSON.stringify(theme.schemaOf(block)).matchAll(/"(\w+)":"t:([\w.]+)"/g)].map(
          ([, attribute, key = '']) => ({ attribute, key, label: find(key) }),
        ),
      );
      expect(used.length).toBeGreaterThan(30);
      for (const { attribute, key, label } of used) {
        expect(label, key).toBeTypeOf('string');
        if (attribute === 'name') expect(String(label).length, key).toBeLessThanOrEqual(25);
      }
      const keys = Object.entries<object>(labels).flatMap(([group, rest]) =>
        Object.keys(rest).map((key) => `${group}.${key}`),
      );
      expect(keys.toSorted()).toEqual([...new Set(used.map(({ key }) => key))].toSorted());
    },
  );

  it('has no label that is not translated', () => {
    for (const block of theme.blocks) {
      const { name, settings } = theme.schemaOf(block);
      const labels = settings.flatMap(({ label, info, content, options = [] }) => [
        ...[label, info, content].filter((text) => text !== undefined),
        ...options.map((option) => option.label),
      ]);
      for (const text of [name, ...labels]) expect(text).toMatch(/^t:/);
    }
  });
});

describe('the sentences that Liquid writes', () => {
  it.each([
    ['en.default', 'en', en],
    ['es', 'es', es],
    ['pt-BR', 'pt-BR', ptBr],
    ['pt-PT', 'pt-BR', ptBr],
  ])('are those of the program: %s', (locale, language, { rewards, points, earns, cashback }) => {
    const counted = (text: string) => text.replace('{n}', '{{ count }}');
    expect(JSON.parse(theme.read(`locales/${locale}.json`))).toEqual({
      language,
      name: expect.stringMatching(/\w/),
      close: expect.stringMatching(/\w/),
      rewards: rewards.heading,
      points: { one: counted(points.one), other: counted(points.other) },
      earns: { sentence: earns.product, point: points.one, points: points.other, cashback },
    });
  });
});
