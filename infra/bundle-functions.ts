import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type BuildOptions,
  build,
  type Metafile,
  type OutputFile,
  type Plugin,
  type StdinOptions,
} from 'esbuild';
import { bundleWidgets } from '../app/build/build-app.ts';
import type { Connector } from '../shared/config/connector-config.ts';
import { PLATFORMS, type PlatformName } from '../shared/config/connector-settings.ts';
import { moduleFile, PACKAGE_FOLDER } from '../shared/config/folders.ts';
import type { Service, StorefrontService } from '../shared/config/metrics.ts';
import { VERSION } from '../shared/config/release.ts';
import { seldomIn } from '../shared/config/seldom.ts';

interface BundleSettings {
  readonly functions: readonly FunctionName[];
  /** The stage's settings, which the functions import as `#settings`. */
  readonly configFile: string;
  /** What the shops run on: nothing of other platforms is bundled. */
  readonly platforms: readonly PlatformName[];
  /** Whether the settings have a storefront: without one, nothing of points and rewards is bundled. */
  readonly storefront: boolean;
  readonly outFolder: string;
}

export interface Bundles {
  /** The folder that is uploaded for a function; its handler is `index.handler`. */
  folderOf(name: string): string;
  /** All that a cold start loads; the other files are loaded by the first `import()` or call of what is in them. */
  startFileOf(name: string): string;
  /** Whose code is in the start file. */
  startSourcesOf(name: string): readonly string[];
}

const BUNDLED = {
  ...{ bundle: true, minify: true, platform: 'node', target: 'node24', legalComments: 'none' },
  ...{ sourcesContent: false, write: false, logLevel: 'warning' },
} as const satisfies BuildOptions;

/**
 * CommonJS: in Lambda it starts faster than ESM, where importing a built-in module also loads what only its ESM
 * form needs. What the source loads with `import()` is a file of its own, and so is what is seldom called. Source maps
 * lie beside, for the log of a crash; no bundle names its map, because the runtime would then read it at every cold
 * start.
 * See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md.
 */
export async function bundleFunctions(settings: BundleSettings): Promise<Bundles> {
  // CDK names a folder of the project; esbuild would take it as one of the package.
  const outFolder = resolve(settings.outFolder);
  const constants = {
    CONNECTOR_VERSION: JSON.stringify(VERSION),
    SETTINGS_ARE_CHECKED: 'true',
    ...(await widgetFor(settings.functions)),
  };
  const folderOf = (name: string) => join(outFolder, 'assets', name);
  const sources = await Promise.all(
    settings.functions.map(
      async (name) => [name, await bundleOne(name, folderOf(name), settings, constants)] as const,
    ),
  );
  const startSources = new Map<string, readonly string[]>(sources);
  return {
    folderOf,
    startFileOf: (name) => join(folderOf(name), INDEX),
    startSourcesOf: (name) => startSources.get(name) ?? [],
  };
}

const INDEX = 'index.js';

/** In two steps, because esbuild splits only ES modules. Returns the sources of the start file. */
async function bundleOne(
  name: FunctionName,
  folder: string,
  settings: BundleSettings,
  define: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const leftOut = leftOutBy(settings);
  const seldom = new Map(
    Object.entries(seldomIn(name))
      .filter(([file]) => !leftOut.some((folder) => file.startsWith(`${folder}/`)))
      .map(([file, kept]) => [moduleFile(`shared/${file}`), kept]),
  );
  const { outputFiles, metafile } = await build({
    ...BUNDLED,
    absWorkingDir: PACKAGE_FOLDER,
    entryPoints: [ENTRY, ...seldom.keys()].map((file) => ({ in: file, out: nameOf(file) })),
    outdir: folder,
    chunkNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    // Prefer the ESM form of a package: esbuild drops what is not used.
    mainFields: ['module', 'main'],
    sourcemap: 'inline',
    metafile: true,
    // What is left out is no export of anything.
    logOverride: { 'import-is-undefined': 'silent' },
    plugins: [useSettings(name, settings), callLater(seldom)],
    define,
  });
  const start = startFiles(metafile.outputs, join(folder, INDEX));
  rmSync(folder, { recursive: true, force: true });
  for (const { path, text } of await joinStart(outputFiles, start, folder)) {
    writeTo(
      path,
      path.endsWith('.map') ? fromPackage(text, path) : text.replace(NAMES_FOR_ESM, ''),
    );
  }
  // The project is an ESM package; without this, Node would load a bundle inside it as ESM too.
  writeTo(join(folder, 'package.json'), '{"type":"commonjs"}');
  return start.flatMap((file) =>
    Object.entries(metafile.outputs[relative(PACKAGE_FOLDER, file)]?.inputs ?? {}).flatMap(
      ([source, { bytesInOutput }]) => (bytesInOutput > 0 ? [source] : []),
    ),
  );
}

/** The end of a file: never run, it tells Node's ES modules what the file exports. */
const NAMES_FOR_ESM = /0&&\(module\.exports=\{[^}]*\}\);\s*$/;

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

/**
 * Makes CommonJS of the files, and one of those that a cold start loads: names of the same file cost less than those of
 * another. It also exports what the later files import of it.
 */
async function joinStart(
  files: readonly OutputFile[],
  start: readonly string[],
  folder: string,
): Promise<readonly OutputFile[]> {
  const [index, ...parts] = start;
  const later = files.filter(({ path }) => !start.includes(path));
  /** `export { a as _0a } from '…'`: what later files import of a part, and with `back` the reverse. */
  const exportsOf = (part: string, from: string, back = false) => {
    const imported = later.flatMap(({ text }) => importedNames(text, basename(part)));
    const names = [...new Set(imported)].map((name) => {
      const pair = [name, `_${parts.indexOf(part)}${name}`];
      return (back ? pair.reverse() : pair).join(' as ');
    });
    return `export { ${names} } from './${basename(from)}';`;
  };
  const exported = parts.map((part) => exportsOf(part, part));
  const contentsOf = ({ path, text }: OutputFile) =>
    path === index ? `${text}${exported.join('')}` : text;
  const contents = new Map(files.map((file) => [file.path, contentsOf(file)]));
  const plugin: Plugin = {
    name: 'one-start-file',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, importer, kind, namespace }) => {
        if (kind === 'entry-point') return { path };
        const file = join(folder, path);
        if (!start.includes(file) || kind !== 'import-statement' || namespace === 'part') {
          return { path, external: true };
        }
        return start.includes(importer) ? { path: file } : { path: file, namespace: 'part' };
      });
      onLoad({ filter: /./, namespace: 'part' }, ({ path }) => ({
        contents: exportsOf(path, INDEX, true),
      }));
      onLoad({ filter: /./ }, ({ path }) => ({ contents: contents.get(path) ?? '' }));
    },
  };
  const { outputFiles } = await build({
    ...BUNDLED,
    entryPoints: [...contents.keys()].filter((file) => !parts.includes(file)),
    outdir: folder,
    format: 'cjs',
    // Otherwise `import()` of a built-in module would still load its ESM form.
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
    plugins: [plugin],
  });
  return outputFiles;
}

/** As esbuild writes them: `import{a as b,c}from"./file.js"`. A name that were missed would end the next step. */
function importedNames(text: string, file: string): readonly string[] {
  const lists = text.matchAll(/import\{([^}]*)\}from"\.\/([^"]*)"/g);
  return [...lists].flatMap(([, names = '', from]) =>
    from === file ? names.split(',').map((name) => name.split(' as ')[0] ?? '') : [],
  );
}

/**
 * Where one of these files is imported, functions of the same names load it with their first call. They do so at once,
 * unlike `import()`: the order of all steps is that of the source. The functions that are named with a file are needed
 * more often: the start file has a copy of them. Tables and classes cannot be imported from there.
 */
function callLater(files: ReadonlyMap<string, readonly string[]>): Plugin {
  return {
    name: 'call-later',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, importer, namespace, kind }) => {
        if (namespace === 'later') {
          return kind === 'import-statement'
            ? { path: importer, suffix: '?copy', sideEffects: false }
            : { path, external: true };
        }
        const file = resolve(dirname(importer), path);
        return files.has(file) && !files.has(importer)
          ? { path: file, namespace: 'later', sideEffects: false }
          : undefined;
      });
      onLoad({ filter: /./, namespace: 'later' }, async ({ path }) => {
        const copied = files.get(path) ?? [];
        const later = `(loaded ??= require('./${nameOf(path)}.js'))`;
        const exported = Object.entries(await import(pathToFileURL(path).href));
        const contents = exported.flatMap(([name, value]) => {
          // No function can stand for a table or a class: who imports one gets an error here, not at 3 a.m.
          const isPlain = typeof value !== 'object' && !String(value).startsWith('class ');
          if (!isPlain || copied.includes(name)) return [];
          const call = `(...given) => ${later}.${name}(...given)`;
          const text = typeof value === 'function' ? call : JSON.stringify(value);
          return `export const ${name} = ${text};`;
        });
        const copies = `export { ${copied} } from './${basename(path)}';`;
        return { contents: `let loaded; ${copies} ${contents.join('')}` };
      });
    },
  };
}

/** Of the file that it becomes. */
const nameOf = (file: string) => basename(file, extname(file)).replace('#', '');

/** The constant that functions/widget-script.ts declares: the widget's scripts. */
async function widgetFor(functions: readonly string[]): Promise<Record<string, string>> {
  if (!functions.includes('storefront')) return {};
  // A text: esbuild would put an object into the file that starts first.
  return { WIDGET_SCRIPTS: JSON.stringify(JSON.stringify(await bundleWidgets())) };
}

/** Makes the paths in the source map relative to the package. */
function fromPackage(map: string, path: string): string {
  const { sources, ...rest }: { sources: string[] } = JSON.parse(map);
  const own = sources.map((source) => {
    // What a plugin of ours wrote has a namespace before its path, and what joins files has only theirs.
    const [, written] = /\b(?:entry|later|part):(.*)/.exec(source) ?? [];
    const file = written ? resolve(PACKAGE_FOLDER, written) : resolve(dirname(path), source);
    return dirname(file) === dirname(path) ? basename(file) : relative(PACKAGE_FOLDER, file);
  });
  return JSON.stringify({ ...rest, sources: own });
}

const TABLES = join(PACKAGE_FOLDER, 'shared', 'services');

const ENTRY = '#index';

/** The folders of platforms that no shop has, and rewards without a storefront. */
const leftOutBy = ({ platforms, storefront }: BundleSettings): readonly string[] => [
  ...PLATFORMS.filter((name) => !platforms.includes(name)),
  ...(storefront ? [] : ['rewards']),
];

/** In shared/services, what is left out is undefined. */
function useSettings(name: FunctionName, settings: BundleSettings): Plugin {
  const { sourcefile: path = name, ...entry } = entryOf(name);
  const { configFile } = settings;
  const filter = new RegExp(`^\\.\\./(?:${leftOutBy(settings).join('|')})/`);
  return {
    name: 'settings-of-the-stage',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#index$/ }, () => ({ path, namespace: 'entry' }));
      onLoad({ filter: /./, namespace: 'entry' }, () => entry);
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

export type FunctionName = Service | StorefrontService;

/** The functions that a stage deploys: those of the storefront and of events only where they are configured. */
export function functionsOf({ storefront, events }: Connector): readonly FunctionName[] {
  return [...FUNCTIONS, ...(storefront ? STOREFRONT_FUNCTIONS : []), ...(events ? ANNOUNCE : [])];
}

const ANNOUNCE = ['announce'] as const;

/** The file in functions/ and the call there that makes a function's handler of the settings. */
const HANDLERS: Readonly<Record<FunctionName, readonly [file: string, call: string]>> = {
  'receive-webhook': ['receive-webhook', 'createReceiver(connector)'],
  'sync-orders': ['sync-entities', "createWorker(connector, 'orders')"],
  'sync-products': ['sync-entities', "createWorker(connector, 'products')"],
  'sync-coupons': ['sync-entities', "createWorker(connector, 'coupons')"],
  reconcile: ['reconcile', 'createReconcile(connector)'],
  announce: ['announce', 'createAnnouncer(connector)'],
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
