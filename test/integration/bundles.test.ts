import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

async function bundle(name: string) {
  const { metafile, outputFiles } = await build({
    entryPoints: [`functions/${name}/handler.ts`],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  return {
    /** What is really in it: the bundler reads more than it keeps. */
    inputs: Object.entries(output?.inputs ?? {}).flatMap(([input, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [input] : [],
    ),
    gzipKilobytes: gzipSync(file?.contents ?? '').length / 1024,
  };
}

describe('the bundles', () => {
  it('the receiver holds what it needs to verify, identify and enqueue, and no reader', async () => {
    const { inputs, gzipKilobytes } = await bundle('receive-webhook');
    expect(inputs.filter((input) => input.includes('@shopify/shopify-api'))).toEqual([]);
    expect(inputs.filter((input) => input.includes('/valibot/'))).toEqual([]);
    expect(inputs.filter((input) => input.includes('client-dynamodb'))).toEqual([]);
    expect(gzipKilobytes).toBeLessThan(160);
  });

  it.each(['sync-orders', 'sync-products', 'sync-coupons'])('%s bundles whole', async (name) => {
    const { inputs, gzipKilobytes } = await bundle(name);
    expect(inputs).toContain('shared/sync/run-batch.ts');
    expect(gzipKilobytes).toBeLessThan(235);
  });

  it('reconcile holds no worker: it calls nobody but the store', async () => {
    const { inputs, gzipKilobytes } = await bundle('reconcile');
    expect(inputs).toContain('shared/sync/reconcile/reconcile.ts');
    expect(inputs).not.toContain('shared/sync/run-batch.ts');
    expect(inputs.filter((input) => input.startsWith('shared/loyalty/client'))).toEqual([]);
    expect(gzipKilobytes).toBeLessThan(235);
  });
});
