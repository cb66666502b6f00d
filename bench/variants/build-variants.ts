import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundleFunctions, type FunctionName } from '../../infra/bundle-functions.ts';

export const VARIANTS = ['connector', 'floor'] as const;
export type Variant = (typeof VARIANTS)[number];
export type Part = 'receiver' | 'worker' | 'storefront';

export interface Bundles {
  /** The file that a function's runtime loads. */
  fileOf(variant: Variant, part: Part): string;
  /** Of all files that a cold start loads. */
  gzipBytes(variant: Variant, part: Part): number;
  /** Writes a file that is removed with the bundles. */
  keep(name: string, text: string): string;
  remove(): void;
}

const ROOT = resolve(import.meta.dirname, '../..');
const FUNCTION_OF: Readonly<Record<Part, FunctionName>> = {
  receiver: 'receive-webhook',
  worker: 'sync-orders',
  storefront: 'storefront',
};

/**
 * The connector as it is deployed; the floor as CommonJS, which starts fastest. Both are minified.
 */
export async function buildVariants(configFile = 'bench/bench.config.ts'): Promise<Bundles> {
  const folder = mkdtempSync(join(tmpdir(), 'connector-bench-'));
  const { storefront, ...others } = FUNCTION_OF;
  const connector = await bundleFunctions({
    ...{ platforms: ['shopify'], storefront: false },
    functions: Object.values(others),
    configFile,
    outFolder: join(folder, 'connector'),
  });
  const withStorefront = await bundleFunctions({
    ...{ platforms: ['shopify'], storefront: true },
    functions: [storefront],
    configFile: 'bench/storefront.config.ts',
    outFolder: join(folder, 'storefront'),
  });
  const bundlesOf = (part: Part) => (part === 'storefront' ? withStorefront : connector);
  await bundleFloor(join(folder, 'floor'));
  const fileOf = (variant: Variant, part: Part) =>
    variant === 'connector'
      ? bundlesOf(part).startFileOf(FUNCTION_OF[part])
      : join(folder, 'floor', `${part}.cjs`);
  return {
    fileOf,
    gzipBytes: (variant, part) => gzipSync(readFileSync(fileOf(variant, part))).length,
    keep(name, text) {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function bundleFloor(outdir: string): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.keys(FUNCTION_OF).map((part) => `bench/floor/${part}.ts`),
    outdir,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  mkdirSync(outdir, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
}
