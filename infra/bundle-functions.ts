import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Metafile, type Plugin, type StdinOptions, transform } from 'esbuild';
import { bundleWidgets } from '../app/build/build-app.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { PLATFORMS, type PlatformName } from '../shared/config/connector-settings.ts';
import { moduleFile, PACKAGE_FOLDER } from '../shared/config/folders.ts';
import type { StorefrontService } from '../shared/config/metrics.ts';
import { VERSION } from '../shared/config/release.ts';

interface BundleSettings {
  readonly functions: readonly FunctionName[];
  /** The stage's settings, which the functions import as `#settings`. */
  readonly configFile: string;
  /** `deployment.tracing`. */
  readonly tracing?: boolean;
  /** What the shops run on: nothing of other platforms is bundled. */
  readonly platforms: readonly PlatformName[];
  readonly outFolder: string;
}

export interface Bundles {
  /** The folder that is uploaded for a function; its handler is `index.handler`. */
  folderOf(name: string): string;
  /** The files that a cold start loads; the others are loaded by the first `import()` of them. */
  startFilesOf(name: string): readonly string[];
  /** Of each file: the bytes of each source in it. */
  readonly metafile: Metafile;
}

const TARGET = { platform: 'node', target: 'node24', legalComments: 'none' } as const;

/**
 * CommonJS: in Lambda it starts faster than ESM, where importing a built-in module also loads what only its ESM
 * form needs. What the source loads with `import()` is a file of its own. Source maps lie beside, for the log of a
 * crash; no bundle names its map, because the runtime would then read it at every cold start.
 * See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md.
 */
export async function bundleFunctions(settings: BundleSettings): Promise<Bundles> {
  // CDK names a folder of the project; esbuild would take it as one of the package.
  const outFolder = resolve(settings.outFolder);
  const constants = {
    CONNECTOR_VERSION: JSON.stringify(VERSION),
    SETTINGS_ARE_CHECKED: 'true',
    IS_TRACED: settings.tracing ? 'true' : 'undefined',
    ...(await widgetFor(settings.functions)),
  };
  const bundled = await Promise.all(
    settings.functions.map((name) => bundleOne(name, outFolder, settings, constants)),
  );
  const outputs = Object.assign({}, ...bundled.map((one) => one.outputs));
  const inputs = Object.assign({}, ...bundled.map((one) => one.inputs));
  const folderOf = (name: string) => join(outFolder, 'assets', name);
  return {
    folderOf,
    startFilesOf: (name) => startFiles(outputs, join(folderOf(name), 'index.js')),
    metafile: { inputs, outputs },
  };
}

/** In two steps, because esbuild splits only ES modules. */
async function bundleOne(
  name: FunctionName,
  outFolder: string,
  settings: BundleSettings,
  define: Readonly<Record<string, string>>,
): Promise<Metafile> {
  const folder = join(outFolder, 'assets', name);
  const { outputFiles, metafile } = await build({
    ...TARGET,
    absWorkingDir: PACKAGE_FOLDER,
    stdin: entryOf(name),
    entryNames: 'index',
    outdir: folder,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    minify: true,
    // Prefer the ESM form of a package: esbuild drops what is not used.
    mainFields: ['module', 'main'],
    sourcemap: 'inline',
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'warning',
    // What is left out is no export of anything.
    logOverride: { 'import-is-undefined': 'silent' },
    plugins: [useSettings(settings)],
    define,
  });
  rmSync(folder, { recursive: true, force: true });
  for (const { path, text } of outputFiles) {
    const { code, map } = await transform(text, {
      ...TARGET,
      format: 'cjs',
      minify: true,
      // Otherwise `import()` of a built-in module would still load its ESM form.
      supported: { 'dynamic-import': false },
      sourcemap: 'external',
      sourcesContent: false,
      sourcefile: path,
    });
    writeTo(path, code);
    writeTo(`${path}.map`, fromPackage(map, path));
  }
  // The project is an ESM package; without this, Node would load a bundle inside it as ESM too.
  writeTo(join(folder, 'package.json'), '{"type":"commonjs"}');
  return metafile;
}

/** A file, and what it imports statically. */
function startFiles(outputs: Metafile['outputs'], first: string): readonly string[] {
  const found = new Set([relative(PACKAGE_FOLDER, first)]);
  for (const file of found) {
    for (const { path, kind, external } of outputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && !external) found.add(path);
    }
  }
  return [...found].map((file) => resolve(PACKAGE_FOLDER, file));
}

/** The constant that functions/widget-script.ts declares: the widget's scripts. */
async function widgetFor(functions: readonly string[]): Promise<Record<string, string>> {
  if (!functions.includes('storefront')) return {};
  // A text: esbuild would put an object into the file that starts first.
  return { WIDGET_SCRIPTS: JSON.stringify(JSON.stringify(await bundleWidgets())) };
}

/** Makes the paths in the source map relative to the package. */
function fromPackage(map: string, path: string): string {
  const { sources, ...rest }: { sources: string[] } = JSON.parse(map);
  const own = sources.map((source) => relative(PACKAGE_FOLDER, resolve(dirname(path), source)));
  return JSON.stringify({ ...rest, sources: own });
}

const TABLES = join(PACKAGE_FOLDER, 'shared', 'services');

/** In the tables of platforms, the parts of those that no shop has are undefined. */
function useSettings({ configFile, platforms }: BundleSettings): Plugin {
  const others = PLATFORMS.filter((name) => !platforms.includes(name));
  const filter = new RegExp(`^\\.\\./(?:${others.join('|')})/`);
  return {
    name: 'settings-of-the-stage',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#settings$/ }, () => ({ path: resolve(PACKAGE_FOLDER, configFile) }));
      onResolve({ filter }, ({ path, importer }) =>
        dirname(importer) === TABLES ? { path, namespace: 'left-out' } : undefined,
      );
      onLoad({ filter, namespace: 'left-out' }, () => ({ contents: '' }));
    },
  };
}

function writeTo(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

/** What every stack deploys. */
export const FUNCTIONS = [
  'receive-webhook',
  'sync-orders',
  'sync-products',
  'sync-coupons',
  'reconcile',
] as const;

const STOREFRONT_FUNCTIONS = [
  'receive-points',
  'sync-balances',
  'storefront',
] as const satisfies readonly StorefrontService[];

export type FunctionName = (typeof FUNCTIONS)[number] | StorefrontService;

/** The functions that a stage deploys: those of the storefront only where it is configured. */
export function functionsOf({ storefront }: Connector): readonly FunctionName[] {
  return storefront ? [...FUNCTIONS, ...STOREFRONT_FUNCTIONS] : FUNCTIONS;
}

/** The file in functions/ and the call there that makes a function's handler of the settings. */
const HANDLERS: Readonly<Record<FunctionName, readonly [file: string, call: string]>> = {
  'receive-webhook': ['receive-webhook', 'createReceiver(connector)'],
  'sync-orders': ['sync-entities', "createWorker(connector, 'orders')"],
  'sync-products': ['sync-entities', "createWorker(connector, 'products')"],
  'sync-coupons': ['sync-entities', "createWorker(connector, 'coupons')"],
  reconcile: ['reconcile', 'createReconcile(connector)'],
  'receive-points': ['receive-points', 'createPointsReceiver(connector)'],
  'sync-balances': ['sync-balances', 'createBalanceWorker(connector)'],
  storefront: ['storefront', 'createStorefrontFunction(connector)'],
};

/** The first file of a bundle: the settings, and what makes a handler of them. */
export function entryOf(name: FunctionName): StdinOptions {
  const [file, call] = HANDLERS[name];
  return {
    contents: [
      "import connector from '#settings';",
      `import * as made from ${JSON.stringify(moduleFile(`functions/${file}`))};`,
      `export const handler = made.${call};`,
    ].join('\n'),
    resolveDir: PACKAGE_FOLDER,
    sourcefile: `${name}.js`,
  };
}
