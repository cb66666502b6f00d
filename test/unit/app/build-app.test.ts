import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleApp, HEADER, withAddress } from '../../../app/build/build-app.ts';

const folder = mkdtempSync(join(tmpdir(), 'build-app-'));
afterAll(() => rmSync(folder, { recursive: true }));
symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));

const SOURCES = {
  'loyalty-account/shopify.extension.toml':
    'api_version = "2026-10"\n[[extensions.targeting]]\nmodule = "./src/page.tsx"\n',
  'loyalty-account/src/page.tsx': `
    import { render } from 'preact';
    import { address } from './address.ts';
    export default () => render(<s-page heading={address}>points</s-page>, document.body);`,
  'loyalty-account/src/address.ts':
    'declare const STOREFRONT_ADDRESS: string;\nexport const address: string = STOREFRONT_ADDRESS;\n',
  'loyalty-account/tsconfig.json': '{}',
  'loyalty-account/locales/en.default.json': '{ "name": "Points" }',
  'loyalty-theme/blocks/points.liquid': '<p></p>',
  'loyalty-theme/assets/loyalty.ts': 'const greeting: string = "olá";\nconsole.log(greeting);\n',
};

it.each(globSync('app/extensions/*/shopify.extension.toml'))(
  'Shopify’s command line need not add a uid to %s',
  (path) => {
    expect(readFileSync(path, 'utf8')).toMatch(/^handle = "[\w-]+"\nuid = "[0-9a-f-]{36,}"$/m);
  },
);

describe('the extensions, built', async () => {
  for (const [path, text] of Object.entries(SOURCES)) {
    mkdirSync(dirname(join(folder, 'extensions', path)), { recursive: true });
    writeFileSync(join(folder, 'extensions', path), text);
  }
  const files = await bundleApp(join(folder, 'extensions'));
  const text = (path: string) => Buffer.from(files.get(path) ?? '').toString();

  it('hold modules, scripts and files of Shopify, and no source', () => {
    expect([...files.keys()].toSorted()).toEqual([
      'loyalty-account/locales/en.default.json',
      'loyalty-account/shopify.extension.toml',
      'loyalty-account/src/page.js',
      'loyalty-theme/assets/loyalty.js',
      'loyalty-theme/blocks/points.liquid',
    ]);
  });

  it('need no installed package: Preact is inside, with its notice', () => {
    const module = text('loyalty-account/src/page.js');
    expect(module).not.toMatch(/^import /m);
    expect(module).toMatch(/^export \{/m);
    expect(module).toContain('Jason Miller');
  });

  it('name the built module', () => {
    const toml = text('loyalty-account/shopify.extension.toml');
    expect(toml).toContain('module = "./src/page.js"');
    expect(toml).not.toContain('tsx');
  });

  it('say that they are written, wherever a comment is possible', () => {
    for (const path of [...files.keys()].filter((one) => !one.endsWith('.json'))) {
      expect(text(path).split('\n')[0], path).toContain(HEADER);
    }
    expect(text('loyalty-account/locales/en.default.json')).toBe('{ "name": "Points" }');
  });

  it("get the address of the shop's storefront", () => {
    const address = 'https://abc.lambda-url.eu-west-1.on.aws/example-store';
    const ready = withAddress(files, address);
    const module = Buffer.from(ready.get('loyalty-account/src/page.js') ?? '').toString();
    expect(module).toContain(JSON.stringify(address));
    expect(module).not.toContain('storefront.invalid');
    expect(ready.get('loyalty-theme/assets/loyalty.js')).toEqual(
      files.get('loyalty-theme/assets/loyalty.js'),
    );
  });

  it('are scripts for pages of any charset', () => {
    expect(text('loyalty-theme/assets/loyalty.js')).toContain('ol\\xE1');
  });
});
