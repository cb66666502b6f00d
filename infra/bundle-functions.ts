import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { bundleWidget } from './bundle-widget.ts';

export interface BundleSettings {
  /** The project's folder. */
  readonly root: string;
  /** Names of folders in functions/. */
  readonly functions: readonly string[];
  /** The stage's settings, which stand for `connector.config.ts` wherever that is imported. */
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
 * module also loads what only its ESM form needs. Source maps lie outside what is uploaded, because
 * the runtime would read them at every cold start.
 */
export async function bundleFunctions(settings: BundleSettings): Promise<Bundles> {
  const { root, functions, configFile, outFolder } = settings;
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: functions.map((name) => ({
      in: `functions/${name}/handler.ts`,
      out: `${name}/index`,
    })),
    outdir: join(outFolder, 'assets'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // What also comes as modules is taken as such, and only the parts that are used.
    mainFields: ['module', 'main'],
    // Otherwise `import()` of a built-in module would still load its ESM form.
    supported: { 'dynamic-import': false },
    sourcemap: 'external',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
    plugins: [useConfigFile(root, configFile)],
    define: await widgetFor(functions, root),
  });
  for (const { path, contents, text } of outputFiles) {
    if (path.endsWith('.map')) writeTo(mapPath(outFolder, path), fromRoot(text, root, path));
    else writeTo(path, contents);
  }
  const folderOf = (name: string) => join(outFolder, 'assets', name);
  for (const name of functions) {
    // The project is a module package: without this, so would be a bundle that runs inside of it.
    writeTo(join(folderOf(name), 'package.json'), '{"type":"commonjs"}');
  }
  return { folderOf, metafile };
}

/** What functions/storefront/handler.ts declares: the widget, as a text. */
async function widgetFor(
  functions: readonly string[],
  root: string,
): Promise<Record<string, string>> {
  if (!functions.includes('storefront')) return {};
  return { WIDGET_SCRIPT: JSON.stringify(await bundleWidget(root)) };
}

/** cdk.out/…/source-maps/sync-orders.js.map */
function mapPath(outFolder: string, path: string): string {
  const name = basename(dirname(path));
  return join(outFolder, 'source-maps', `${name}.js.map`);
}

/** The map with the project's own paths, wherever the bundle was written. */
function fromRoot(map: string, root: string, path: string): string {
  const { sources, ...rest }: { sources: string[] } = JSON.parse(map);
  const own = sources.map((source) => relative(root, resolve(dirname(path), source)));
  return JSON.stringify({ ...rest, sources: own });
}

function useConfigFile(root: string, configFile: string): Plugin {
  const common = resolve(root, 'connector.config.ts');
  const stage = resolve(root, configFile);
  return {
    name: 'stage-configuration',
    setup({ onResolve }) {
      onResolve({ filter: /\/connector\.config\.ts$/ }, ({ path, resolveDir, importer }) =>
        // The file itself may build on the common one.
        relative(common, resolve(resolveDir, path)) === '' && importer !== stage
          ? { path: stage }
          : undefined,
      );
    },
  };
}

function writeTo(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}
