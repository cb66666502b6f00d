import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { moduleFile } from '../../../shared/config/folders.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DEFINE = `import { defineConnector } from '${moduleFile('shared/config/connector-config')}';`;
const settings = (more: string) => `${DEFINE}
export default defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  ${more}
});`;

/** Node itself reads the files: the test runner would say other things of a mistake. */
function faultsOf(files: Readonly<Record<string, string>>): Readonly<Record<string, string[]>> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const program = `
    import { readSettingsFile } from ${JSON.stringify(moduleFile('shared/config/settings-file'))};
    const all = {};
    for (const file of ${JSON.stringify(Object.keys(files))}) {
      all[file] = (await readSettingsFile(${JSON.stringify(folder)}, file)).faults;
    }
    console.log(JSON.stringify(all));`;
  const options = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
}

const FILES: Readonly<Record<string, readonly [text: string, fault: string]>> = {
  'syntax.ts': [settings('rules: : {},'), 'syntax.ts:5:10: SyntaxError: Expression expected'],
  'unfinished.ts': [
    `${DEFINE}\nexport default {\n  shops: [`,
    'unfinished.ts:3: SyntaxError: Expression expected',
  ],
  'enum.ts': [
    `${DEFINE}\nenum Colour { red }`,
    'enum.ts:2:1: SyntaxError: TypeScript enum is not supported in strip-only mode',
  ],
  'export.ts': [
    "import { nothing } from 'node:fs';\nexport default nothing;",
    "export.ts:1:10: SyntaxError: The requested module 'node:fs' does not provide an export named 'nothing'",
  ],
  'imports.ts': ["import './syntax.ts';", 'syntax.ts:5:10: SyntaxError: Expression expected'],
  'throws.ts': [
    settings('rules: undefined.missing,'),
    "throws.ts:5:20: TypeError: Cannot read properties of undefined (reading 'missing')",
  ],
  'text.ts': ["throw 'a text';", 'text.ts could not be read: a text'],
  'misspelt.ts': [
    settings("rules: { completWhen: 'paid' },"),
    'misspelt.ts: rules.completWhen is not a setting; did you mean completeWhen?',
  ],
  'case.ts': [
    settings('Storefront: {},'),
    'case.ts: Storefront is not a setting; did you mean storefront?',
  ],
  'unlike.ts': [settings('colour: 1,'), 'unlike.ts: colour is not a setting'],
};
const found = faultsOf(
  Object.fromEntries(Object.entries(FILES).map(([name, [text]]) => [name, text])),
);

it.each(Object.entries(FILES))('%s: a mistake is named with its place', (name, [, fault]) => {
  expect(found[name]).toEqual([fault]);
});
