import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { versionDifference } from '../../../scripts/connector/ground/session/deployment.ts';
import { findProject, moduleFile } from '../../../shared/config/folders.ts';
import { compareVersions } from '../../../shared/config/release.ts';

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

const unexpected = (token: string) =>
  `unexpected "${token}": a comma, quote or bracket is missing or extra, on this line or the one above`;
const FILES: Readonly<Record<string, readonly [text: string, ...faults: string[]]>> = {
  'syntax.ts': [settings('rules: : {},'), `syntax.ts:5:10: ${unexpected(':')}`],
  'comma.ts': [settings('rules: {}\n  alarms: {},'), `comma.ts:6:3: ${unexpected('alarms')}`],
  'quote.ts': [
    settings("alarms: { emails: ['kim@example.com] },"),
    'quote.ts:6:1: unexpected "}": the \' of line 5 is still open',
  ],
  'bracket.ts': [
    settings("alarms: { emails: ['kim@example.com' },"),
    'bracket.ts:5:40: unexpected "}": the [ of line 5 is still open',
  ],
  'far.ts': [
    settings('rules: { sharedAccount: true,\n  // it’s }\n  alarms: {},'),
    'far.ts:8:2: unexpected ")": the { of line 5 is still open',
  ],
  'extra.ts': [
    settings('alarms: { emails: [] ] },'),
    'extra.ts:5:24: unexpected "]": the { of line 5 is still open',
  ],
  'unfinished.ts': [
    `${DEFINE}\nexport default {\n  shops: [\n    {},\n`,
    'unfinished.ts:4: it ends too early: the [ of line 3 is still open',
  ],
  'package.ts': [
    "import 'not-there';",
    'package.ts could not be read: the package "not-there" is not installed. Run "npm install".',
  ],
  'lacks.ts': [
    "import { rules } from './helpr.ts';",
    'lacks.ts: there is no file helpr.ts; did you mean helper.ts?',
  ],
  'enum.ts': [`${DEFINE}\nenum Colour { red }`, 'enum.ts:2:1: TypeScript enum is not supported'],
  'export.ts': [
    "import { nothing } from 'node:fs';\nexport default nothing;",
    "export.ts:1:10: The requested module 'node:fs' does not provide an export named 'nothing'",
  ],
  'imports.ts': ["import './syntax.ts';", `syntax.ts:5:10: ${unexpected(':')}`],
  'twice.ts': [
    `${DEFINE}\n${DEFINE}\nexport default {};`,
    "twice.ts could not be read: Identifier 'defineConnector' has already been declared",
  ],
  'json.ts': [
    settings("rules: JSON.parse('{ no'),"),
    `json.ts:5:15: Expected property name or '}' in JSON at position 2 (line 1 column 3)`,
  ],
  'throws.ts': [
    settings('rules: undefined.missing,'),
    "throws.ts:5:20: TypeError: Cannot read properties of undefined (reading 'missing')",
  ],
  'helper.ts': [
    'export const rules = () => NOT_DEFINED;',
    'helper.ts must end in: export default defineConnector({ … })',
  ],
  'calls.ts': [
    `import { rules } from './helper.ts';\n${settings('rules: rules(),')}`,
    'helper.ts:1:28: ReferenceError: NOT_DEFINED is not defined',
  ],
  'text.ts': ["throw 'a text';", 'text.ts could not be read: a text'],
  'misspelt.ts': [
    settings("rules: { completWhen: 'paid' },"),
    'misspelt.ts:5:12: rules.completWhen is not a setting; did you mean completeWhen?',
  ],
  'case.ts': [
    settings('Storefront: {},'),
    'case.ts:5:3: Storefront is not a setting; did you mean storefront?',
  ],
  'unlike.ts': [settings('colour: 1,'), 'unlike.ts:5:3: colour is not a setting'],
  'list.ts': [
    settings("alarms: { /* who: [ */ emails: ['kim@example.com', `b, ]`] },"),
    'list.ts:5:54: alarms.emails[1] must be an e-mail address',
  ],
  'missing.ts': [
    settings('').replace("address: 'https://loyalty.example.com'", ''),
    'missing.ts:4:3: loyalty.address is missing',
  ],
  'quoted.ts': [
    settings("deployment: { logRetentionDays: '30' },"),
    'quoted.ts:5:17: deployment.logRetentionDays must be 1, 3, 5, 7, 14, 30, 60, 90, 180 or 365, without quotes',
  ],
  'several.ts': [
    settings('retryWindowDays: 0,\n  colour: 1,\n  healing: { deepEveryDays: 0 },'),
    'several.ts:5:3: retryWindowDays must be a whole number of days from 1 to 10',
    'several.ts:6:3: colour is not a setting',
    'several.ts:7:14: healing.deepEveryDays must be a whole number of days from 1 to 31',
  ],
  'comment.ts': [
    settings("/* the shop's colour: 1,"),
    'comment.ts:6: it ends too early: the /* of line 5 is still open',
  ],
  'built.ts': [
    settings("...{ rules: { completWhen: 'paid' } },"),
    'built.ts: rules.completWhen is not a setting; did you mean completeWhen?',
  ],
};
const found = faultsOf(
  Object.fromEntries(Object.entries(FILES).map(([name, [text]]) => [name, text])),
);

it.each(Object.entries(FILES))('%s: a mistake is named with its place', (name, [, ...faults]) => {
  expect(found[name]).toEqual(faults);
});

let projects: string;
beforeEach(() => {
  projects = mkdtempSync(join(tmpdir(), 'connector-folders-'));
  mkdirSync(join(projects, 'agency/paper/notes'), { recursive: true });
});
afterEach(() => rmSync(projects, { recursive: true }));

const at = (path: string) => join(projects, path);

describe('the project', () => {
  it('is the nearest folder with settings, of any stage, from the current one upwards', () => {
    writeFileSync(at('agency/connector.config.ts'), '');
    expect(findProject(at('agency/paper/notes'))).toBe(at('agency'));
    writeFileSync(at('agency/paper/connector.config.test.ts'), '');
    expect(findProject(at('agency/paper/notes'))).toBe(at('agency/paper'));
  });

  it('is the current folder where none has settings', () => {
    writeFileSync(at('agency/connector.config.json'), '');
    expect(findProject(at('agency/paper'))).toBe(at('agency/paper'));
  });
});

it('a module of ours is a source file in the clone', () => {
  expect(moduleFile('infra/app')).toMatch(/\/infra\/app\.ts$/);
});

describe('versions', () => {
  it.each([
    ['0.2.0', '0.1.0', 'newer'],
    ['0.2.0', '0.10.0', 'older'],
    ['1.0.0', '0.99.99', 'newer'],
    ['0.2.0', '0.2.1', 'older'],
    ['0.2.0', '0.2.0', 'same'],
    ['1.0.0-rc.1', '1.0.0', 'older'],
    ['1.0.0', '1.0.0-rc.2', 'newer'],
    ['1.0.0-rc.10', '1.0.0-rc.9', 'newer'],
    ['1.0.0-rc.1', '1.0.0-rc.1', 'same'],
    ['1.0.0-rc.1', '0.9.0', 'newer'],
    ['1.0.0+build.7', '1.0.0', 'same'],
    ['nonsense', '0.0.1', 'older'],
  ] as const)('%s beside %s is %s', (one, other, order) => {
    expect(compareVersions(one, other)).toBe(order);
  });

  it('that differ are reported with what to do', () => {
    expect(versionDifference('0.2.0', '0.2.0')).toBeUndefined();
    expect(versionDifference('0.1.0', '0.2.0')?.older).toBe('stack');
    expect(versionDifference('0.3.0', '0.2.0')?.older).toBe('command');
  });
});
