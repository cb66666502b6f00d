import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { bundleWidget } from '../app/build/browser-script.ts';
import { moduleFile, PACKAGE_FOLDER } from '../shared/config/folders.ts';
import { VERSION } from '../shared/config/release.ts';

export interface BundleSettings {
  /** Names of folders in functions/. */
  readonly functions: readonly string[];
  /** The stage's settings, which the functions import as `#settings`. */
  readonly configFile: string;
  readonly outFolder: string;
}

export interface Bundles {
  /** The folder that is uploaded for a function; its handler is `index.handler`. */
  folderOf(name: string): string;
  readonly metafile: Metafile;
}

/**
 * One CommonJS file per function: in Lambda it starts faster than ESM, where importing a built-in
 * module also loads what only its ESM form needs. Source maps are not uploaded, because the runtime
 * would read them at every cold start.
 * See docs/decisions/0013-bundling-is-one-call.md.
 */
export async function bundleFunctions(settings: BundleSettings): Promise<Bundles> {
  const { functions, configFile } = settings;
  // CDK names a folder of the project; esbuild would take it as one of the package.
  const outFolder = resolve(settings.outFolder);
  const { outputFiles, metafile } = await build({
    absWorkingDir: PACKAGE_FOLDER,
    entryPoints: functions.map((name) => ({
      in: moduleFile(`functions/${name}/handler`),
      out: `${name}/index`,
    })),
    outdir: join(outFolder, 'assets'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // Prefer the ESM form of a package: esbuild drops what is not used.
    mainFields: ['module', 'main'],
    // Otherwise `import()` of a built-in module would still load its ESM form.
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    plugins: [useSettings(resolve(PACKAGE_FOLDER, configFile))],
    define: {
      CONNECTOR_VERSION: JSON.stringify(VERSION),
      SETTINGS_ARE_CHECKED: 'true',
      ...(await widgetFor(functions)),
    },
  });
  for (const { path, contents, text } of outputFiles) {
    if (path.endsWith('.map')) writeTo(mapPath(outFolder, path), fromPackage(text, path));
    else writeTo(path, contents);
  }
  const folderOf = (name: string) => join(outFolder, 'assets', name);
  for (const name of functions) {
    // The project is an ESM package; without this, Node would load a bundle inside it as ESM too.
    writeTo(join(folderOf(name), 'package.json'), '{"type":"commonjs"}');
  }
  return { folderOf, metafile };
}

/** The constant that functions/storefront/handler.ts declares: the widget's script. */
async function widgetFor(functions: readonly string[]): Promise<Record<string, string>> {
  if (!functions.includes('storefront')) return {};
  return { WIDGET_SCRIPT: JSON.stringify(await bundleWidget()) };
}

/** cdk.out/…/source-maps/sync-orders.js.map */
function mapPath(outFolder: string, path: string): string {
  const name = basename(dirname(path));
  return join(outFolder, 'source-maps', `${name}.js.map`);
}

/** Makes the paths in the source map relative to the package. */
function fromPackage(map: string, path: string): string {
  const { sources, ...rest }: { sources: string[] } = JSON.parse(map);
  const own = sources.map((source) => relative(PACKAGE_FOLDER, resolve(dirname(path), source)));
  return JSON.stringify({ ...rest, sources: own });
}

function useSettings(file: string): Plugin {
  return {
    name: 'settings-of-the-stage',
    setup({ onResolve }) {
      onResolve({ filter: /^#settings$/ }, () => ({ path: file }));
    },
  };
}

function writeTo(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
