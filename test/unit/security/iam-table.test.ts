import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { grantsIn } from '../../support/role-grants.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';

const page = readFileSync('docs/security.md', 'utf8');
const grants = grantsIn(synthesizeStack({ storefront: {} }));
const functions = [...new Set(grants.map(({ role }) => role))];

const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** `function may action on resource`, for every line of the page's table. */
function told(): string[] {
  return rows
    .filter(([, may = '']) => /^`[a-z]+:[A-Z]/.test(may))
    .flatMap(([names = '', may = '', on = '', because = '']) => {
      expect(because, `${names} may ${may}`).not.toBe('');
      const who = names === 'all' ? functions : names.split(', ');
      const actions = may.split(', ').map((action) => action.replaceAll('`', ''));
      return who.flatMap((name) =>
        actions.flatMap((action) => on.split(', ').map((what) => `${name} ${action} on ${what}`)),
      );
    });
}

describe('docs/security.md', () => {
  it('lists what each role may do, each with its reason, and nothing that none may', () => {
    const real = grants.map(({ role, action, on }) => `${role} ${action} on ${on}`);
    expect(told().toSorted()).toEqual(real.toSorted());
    expect(functions).toHaveLength(8);
  });

  it('names tests that are there', () => {
    const named = [...page.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});
