import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

// GitHub's own parser and schema, bundled because it imports JSON as only bundlers allow.
const folder = mkdtempSync(join(tmpdir(), 'workflow-parser-'));
const outfile = join(folder, 'parser.cjs');
buildSync({ entryPoints: ['@actions/workflow-parser'], bundle: true, platform: 'node', outfile });
const { NoOperationTraceWriter, parseWorkflow }: typeof import('@actions/workflow-parser') =
  createRequire(import.meta.url)(outfile);
rmSync(folder, { recursive: true });

function faultsOf(name: string, content: string): readonly string[] {
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

const FILES = ['.github/workflows/ci.yml', '.github/workflows/release.yml'];
const TEMPLATE = 'scripts/connector/init/template/deploy.yml';
const read = (file: string) => readFileSync(file, 'utf8');

describe('the workflows', () => {
  it('are all known here', () => {
    expect(globSync('.github/workflows/*').toSorted()).toEqual(FILES);
  });

  it.each([...FILES, TEMPLATE])('%s is one that GitHub can read', (file) => {
    expect(faultsOf(file, read(file))).toEqual([]);
    expect(faultsOf(file, read(file).replace('runs-on', 'run-on'))).not.toEqual([]);
  });

  it.each([...FILES, TEMPLATE])('%s has no more rights than it needs, and no secret', (file) => {
    const { permissions } = parse(read(file));
    expect(permissions).toEqual({ contents: 'read' });
    expect(read(file)).not.toContain('secrets.');
  });

  it('run every test on Linux and macOS', () => {
    const { test } = parse(read('.github/workflows/ci.yml')).jobs;
    expect(test.strategy.matrix.os).toEqual(['ubuntu-latest', 'macos-latest']);
    expect(test.steps.at(-1)).toEqual({ run: '.ci/run' });
  });

  it('let the engines of others judge', () => {
    const { foreign } = parse(read('.github/workflows/ci.yml')).jobs;
    expect(foreign.steps.at(-1)).toEqual({ run: 'npm run check:foreign' });
  });

  it('publish only a tested tag, with provenance and a list of what is installed', () => {
    const { on, jobs } = parse(read('.github/workflows/release.yml'));
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(jobs.release.permissions['id-token']).toBe('write');
    const commands = jobs.release.steps.map(({ run = '' }) => run);
    const nth = (text: string) => commands.findIndex((run: string) => run.includes(text));
    const order = ['.ci/run', 'npm sbom --sbom-format cyclonedx', 'npm publish'].map(nth);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(commands.join('\n')).toContain('--provenance');
  });
});
