import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { VERSION } from '../../shared/config/release.ts';
import { languages } from '../program/strings/languages.ts';

/** The files of the app's extensions, by their paths: `loyalty-account/page.js`. */
export type AppFiles = ReadonlyMap<string, Uint8Array>;

/** Commands that only look need none of it; it runs where the process was when it was loaded. */
const esbuild = () => import('esbuild');

const EXTENSIONS = join(PACKAGE_FOLDER, 'app/extensions');

const isPacked = extname(import.meta.filename) === '.js';

/** Stands for the shop's storefront in what is built, until `app write` knows it. No such host can exist. */
const UNKNOWN_ADDRESS = 'https://storefront.invalid/shop';

/** The first line of every file that can have a comment. `doctor` finds an older release by it. */
export const HEADER = `Written by loyalty-connector ${VERSION}, app write: changes here are lost.`;

/**
 * The extensions as Shopify's command line takes them, for the storefront at `address` (with the shop's path).
 * The package holds them built: merchants need neither Preact nor Shopify's types. `flow`: those of Shopify Flow, too.
 */
export async function readApp(address: string, flow = false): Promise<AppFiles> {
  const files = withAddress(isPacked ? packedFiles() : await bundleApp(), address);
  return flow ? files : new Map([...files].filter(([, contents]) => !isOfFlow(contents)));
}

const isOfFlow = (contents: Uint8Array): boolean =>
  /^type = "flow_(?:trigger|action)"$/m.test(Buffer.from(contents).toString('utf8'));

function packedFiles(): AppFiles {
  return new Map(
    filesBelow(EXTENSIONS).map((path) => [path, readFileSync(join(EXTENSIONS, path))]),
  );
}

/**
 * Builds the extensions from their sources:
 * - a module that `shopify.extension.toml` names (`module = "./page.tsx"`): one readable ES module, Preact inside;
 * - a script of a theme (`assets/*.ts`): one small script, as browsers load it; the widget's once for each language;
 * - other sources and types: left out; every other file: as it is, below a header where it can have a comment.
 */
export async function bundleApp(folder = EXTENSIONS): Promise<AppFiles> {
  const paths = filesBelow(folder);
  const text = (path: string) => readFileSync(join(folder, path), 'utf8');
  const files = new Map<string, Uint8Array>();
  for (const path of paths.filter(isCopied)) {
    const isText = /\.(toml|liquid|css|js)$/.test(path);
    files.set(path, isText ? encode(headed(path, text(path))) : readFileSync(join(folder, path)));
  }
  const modules = paths
    .filter((path) => path.endsWith('/shopify.extension.toml'))
    .flatMap((path) => modulesOf(path, text(path)));
  const scripts = paths.filter(
    (path) => /\/assets\/[^/]+\.ts$/.test(path) && path !== `${WIDGET}.ts`,
  );
  for (const file of await bundle(folder, modules, MODULE)) files.set(...file);
  for (const file of await bundle(folder, scripts, BROWSER_SCRIPT)) files.set(...file);
  if (!paths.includes(`${WIDGET}.ts`)) return files;
  for (const [language] of languages) {
    const place = widgetFile(language);
    files.set(place, encode(headed(place, await bundleWidget(language))));
  }
  return files;
}

const MODULE = {
  format: 'esm',
  platform: 'browser',
  // Shopify's command line bundles it again, for the browsers that it supports.
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
} as const satisfies BuildOptions;

async function bundle(
  folder: string,
  paths: readonly string[],
  options: BuildOptions,
): Promise<(readonly [string, Uint8Array])[]> {
  if (paths.length === 0) return [];
  const { build } = await esbuild();
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: PACKAGE_FOLDER,
    entryPoints: [...new Set(paths)].map((path) => join(folder, path)),
    outbase: folder,
    outdir: folder,
    bundle: true,
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
    define: { STOREFRONT_ADDRESS: JSON.stringify(UNKNOWN_ADDRESS) },
  });
  return outputFiles.map(({ path, text }) => {
    const place = relative(folder, path).replaceAll('\\', '/');
    return [place, encode(headed(place, text))] as const;
  });
}

const MODULE_LINE = /^([ \t]*module *= *"\.\/)([^"\n]+)\.tsx?"/gm;

function modulesOf(toml: string, text: string): string[] {
  const folder = toml.slice(0, toml.lastIndexOf('/'));
  return [...text.matchAll(MODULE_LINE)].map(
    ([line, , name]) => `${folder}/${name}${line.endsWith('.tsx"') ? '.tsx' : '.ts'}`,
  );
}

const isCopied = (path: string): boolean => !/(\.tsx?|\/tsconfig\.json)$/.test(path);

/** Their licence asks for its notice in every copy. */
const NOTICE =
  'Contains Preact (c) 2015-present Jason Miller, Preact Signals (c) 2022-present Preact Team, and parts of ' +
  '@shopify/ui-extensions (c) Shopify, where they are named below; all under the MIT License.';

function headed(path: string, text: string): string {
  switch (extname(path)) {
    case '.toml':
      return `# ${HEADER}\n${text.replaceAll(MODULE_LINE, '$1$2.js"')}`;
    case '.liquid':
      return `{%- comment -%} ${HEADER} {%- endcomment -%}\n${text}`;
    case '.css':
      return `/* ${HEADER} */\n${text}`;
    default:
      return `// ${HEADER}\n${text.includes('preact') ? `// ${NOTICE}\n` : ''}${text}`;
  }
}

/** Sorted, with `/` between folders. */
function filesBelow(folder: string): readonly string[] {
  return globSync('*/**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .toSorted();
}

const encode = (text: string): Uint8Array => Buffer.from(text);

/** The same files for the storefront at `address`. */
export function withAddress(files: AppFiles, address: string): AppFiles {
  return new Map(
    [...files].map(([path, contents]) => {
      const text = Buffer.from(contents).toString('utf8');
      return text.includes(UNKNOWN_ADDRESS)
        ? [path, encode(text.replaceAll(UNKNOWN_ADDRESS, address))]
        : [path, contents];
    }),
  );
}

/** Evergreen browsers; the oldest versions that have all of the widget's CSS (`light-dark()`). */
const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];

/** Styles go into the shadow tree, so the script needs them as a string. */
const stylesAsText: Plugin = {
  name: 'styles-as-text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, 'utf8');
      const { transform } = await esbuild();
      const { code } = await transform(css, { loader: 'css', minify: true, target: BROWSERS });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

const BROWSER_SCRIPT = {
  minify: true,
  platform: 'browser',
  target: BROWSERS,
  format: 'iife',
  // Browsers read a script without a charset in the charset of the page.
  charset: 'ascii',
  plugins: [stylesAsText],
} satisfies BuildOptions;

const WIDGET = 'loyalty-theme/assets/loyalty-widget';
const [[DEFAULT_LANGUAGE]] = languages;

/** As the theme's Liquid names it. */
const widgetFile = (language: string): string =>
  language === DEFAULT_LANGUAGE ? `${WIDGET}.js` : `${WIDGET}-${language}.js`;

/** A shopper reads one language: the others would be a sixth of the script. */
const inLanguage = (language: string): Plugin => ({
  name: 'in-language',
  setup({ onLoad }) {
    onLoad({ filter: /strings[\\/]languages\.ts$/ }, async ({ path }) => {
      const all = await readFile(path, 'utf8');
      const contents = all.replace(/^ *\['(\w+)', .*\n/gm, (line, one) =>
        one === language ? line : '',
      );
      return { contents, loader: 'ts' };
    });
  },
});

/**
 * `widget.js` of a page that names no language: loads the script in the page's own. Without a script element (an
 * import) the address is the usual one.
 */
const LANGUAGE_FINDER = `{
  const address = new URL(document.currentScript?.src ?? '/apps/loyalty/widget.js', document.baseURI);
  const locale = document.querySelector('loyalty-widget')?.getAttribute('locale');
  const language = (locale || document.documentElement.lang).slice(0, 2).toLowerCase();
  address.searchParams.set('language', language);
  import(address.href);
}`;

/** By language, as the function `storefront` serves them; under an empty name the script that finds out the language. */
export async function bundleWidgets(): Promise<Readonly<Record<string, string>>> {
  const { transform } = await esbuild();
  const { code } = await transform(LANGUAGE_FINDER, { minify: true, target: BROWSERS });
  const scripts: Record<string, string> = { '': code };
  for (const [language] of languages) scripts[language] = await bundleWidget(language);
  return scripts;
}

/**
 * The widget for the store's pages, in one language (`es`), as one script: embedded in the function `storefront`. In
 * the package it is built already.
 */
export async function bundleWidget(language = DEFAULT_LANGUAGE): Promise<string> {
  const { build } = await esbuild();
  const { outputFiles } = await build({
    ...BROWSER_SCRIPT,
    plugins: [...BROWSER_SCRIPT.plugins, inLanguage(language)],
    absWorkingDir: PACKAGE_FOLDER,
    entryPoints: [join(EXTENSIONS, isPacked ? widgetFile(language) : `${WIDGET}.ts`)],
    bundle: true,
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  const [script] = outputFiles;
  if (!script) throw new Error('esbuild returned no output for the widget.');
  return script.text;
}
