import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'dependency-rule-'));
writeFileSync(
  join(folder, 'biome.json'),
  JSON.stringify({ ...JSON.parse(readFileSync('biome.json', 'utf8')), vcs: { enabled: false } }),
);
afterAll(() => rmSync(folder, { recursive: true }));

/** What the project's linter says of one import in a file of the given name. */
function lint(file: string, imported: string): string {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `import { thing } from '${imported}';\nthing();\n`);
  const options = ['lint', '--only=style/noRestrictedImports', `--config-path=${folder}`];
  const { stdout, stderr } = spawnSync('biome', [...options, join(folder, file)], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('the dependency rule', () => {
  it.each([
    ['shared/store/order.ts', '../loyalty/client.ts', 'imports nothing of ours'],
    ['shared/loyalty/client.ts', '../store/order.ts', 'belongs in shared/core'],
    ['shared/core/sync/plan.ts', '../aws/ledger.ts', 'declare a narrow interface here'],
    ['shared/core/sync/plan.ts', '@aws-sdk/client-sqs', 'no I/O of its own'],
    ['shared/core/sync/plan.ts', 'node:fs/promises', 'no I/O of its own'],
    ['shared/shopify/readers.ts', '../loyalty/client.ts', 'shared/shopify knows the store only'],
    ['shared/aws/ledger.ts', '../shopify/signature.ts', 'shared/aws implements the interfaces'],
    ['shared/aws/ledger.ts', '../../functions/sync-orders/handler.ts', 'belongs there'],
    ['functions/sync-orders/handler.ts', '../../infra/stack.ts', 'Runtime code does not import'],
    ['infra/stack.ts', '../shared/core/sync/plan.ts', 'no runtime code but the configuration'],
    ['widget/program.ts', '../shared/core/sync/plan.ts', "runs in the shopper's browser"],
  ])('refuses in %s an import of %s and says where it belongs', (file, imported, message) => {
    expect(lint(file, imported)).toContain(message);
  });

  it.each([
    ['shared/core/sync/plan.ts', '../store/order.ts'],
    ['shared/core/sync/plan.ts', '../loyalty/client.ts'],
    ['shared/aws/ledger.ts', '../sync/ledger.ts'],
    ['functions/sync-orders/handler.ts', '../../shared/aws/ledger.ts'],
    ['infra/stack.ts', '../connector.config.ts'],
  ])('allows in %s an import of %s', (file, imported) => {
    expect(lint(file, imported)).not.toContain('noRestrictedImports');
  });
});
