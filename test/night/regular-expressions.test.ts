import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { requireTool } from '../../scripts/build/require-tool.ts';

interface Recheck {
  checkSync(
    source: string,
    flags: string,
    settings: Record<string, unknown>,
  ): {
    readonly status: 'safe' | 'vulnerable' | 'unknown';
    readonly complexity?: { readonly summary: string };
    readonly attack?: { readonly pattern: string };
  };
}

/** Not linear, and harmless: only the merchant's own configuration file reaches them, at deployment. */
const ALLOWED = new Set([
  String.raw`/(?<=defineConnector\(\s*)\{/`,
  String.raw`/\/\/.*|\/\*[\s\S]*?\*\/|('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|${'`'}(?:\\.|[^${'`'}\\])*${'`'}|[\w$]+|[^\s\w])/g`,
  String.raw`/^[^\s@]+@[^\s@]+\.[^\s@]+$/`,
  String.raw`/^https:\/\/(?!.*\{(?!domain\}|handle\}))\S*\{handle\}\S*$/`,
]);

process.env.RECHECK_SYNC_BACKEND = 'pure';
const { checkSync } = requireTool('recheck') as Recheck;

/** Why an expression is not known to be linear; undefined where it is. Counts steps, not time. */
function findFault(literal: string): string | undefined {
  const end = literal.lastIndexOf('/');
  const { status, complexity, attack } = checkSync(literal.slice(1, end), literal.slice(end + 1), {
    timeout: null,
    attackTimeout: null,
    incubationTimeout: null,
  });
  return status === 'safe' ? undefined : `${complexity?.summary ?? status}: ${attack?.pattern}`;
}

/** Every regular expression of these folders, with the first place where it stands. */
function findExpressions(folders: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const files = globSync(folders.map((folder) => `${folder}/**/*.{ts,js,mjs}`));
  for (const file of files.filter((name) => !name.endsWith('.gen.ts')).toSorted()) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node) && !found.has(node.text)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        found.set(node.text, `${file}:${line + 1}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

describe('regular expressions', () => {
  it.each([
    [String.raw`/\/+$/`, 'quadratic: each slash of a run starts a new attempt'],
    [String.raw`/^(?:\w+\s?)*$/`, 'exponential: two ways to read every character'],
    ['/^gid:(?:a|a)*b/', 'exponential, behind a prefix'],
    [String.raw`/\s+x\s+y/g`, 'quadratic, without an anchor'],
    ['/^(?!x)(?:a+)+$/', 'exponential, with an assertion'],
  ])('the check finds %s (%s)', (literal) => {
    expect(findFault(literal)).toBeDefined();
  });

  it('take linear time on any text that others write', { timeout: 180_000 }, () => {
    const found = findExpressions(['shared', 'functions', 'app']);
    expect(found.size).toBeGreaterThan(30);
    expect([...ALLOWED].filter((literal) => !found.has(literal))).toEqual([]);
    const slow = [...found].flatMap(([literal, place]) => {
      if (ALLOWED.has(literal)) return [];
      const fault = findFault(literal);
      return fault === undefined ? [] : [`${place} ${literal} ${fault}`];
    });
    expect(slow).toEqual([]);
  });
});
