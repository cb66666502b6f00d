import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { persons } from '../../fixtures/persons.ts';
import { findSecrets } from '../../support/disclosure.ts';
import { grantsIn } from '../../support/role-grants.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';

const page = readFileSync('docs/operator-access.md', 'utf8');
/** With every setting that adds a permission. */
const grants = grantsIn(
  synthesizeStack({
    storefront: {},
    events: {},
    loyalty: { address: 'https://loyalty.example.com', callsPerSecond: 10 },
  }),
);
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

describe('docs/operator-access.md', () => {
  it('lists what each role may do, each with its reason, and nothing that none may', () => {
    const real = grants.map(({ role, action, on }) => `${role} ${action} on ${on}`);
    expect(told().toSorted()).toEqual(real.toSorted());
    expect(functions).toHaveLength(9);
  });
});

const template = synthesizeStack({ storefront: {} });
const text = JSON.stringify(template.toJSON());

describe('the template, which everybody may read who may see the stack', () => {
  it('holds nothing that looks like a credential, and no personal data', () => {
    expect(findSecrets(text)).toEqual([]);
    for (const { email, last_name } of Object.values(persons)) {
      expect(text).not.toContain(email);
      expect(text).not.toContain(last_name);
    }
    // The one address is where alarms go, which the merchant wrote into the settings.
    expect(new Set(text.match(/[\w.+-]+@[\w-]+\.[\w.]+/g))).toEqual(
      new Set(['operator@shop.example']),
    );
  });
});
