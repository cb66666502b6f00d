import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly inBundle?: boolean;
  /** A folder of this machine. */
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = read('package.json');
const locked = Object.entries<LockedPackage>(read('package-lock.json').packages).filter(
  ([place]) => place !== '',
);
/** Old packages have an object. */
function licenseOf(place: string): string {
  const { license } = read(`${place}/package.json`);
  return license?.type ?? license;
}

const nameOf = (place: string) => place.split('node_modules/').at(-1) ?? place;

/** They ask for their text to be kept, or for nothing: a merchant installs these packages. */
const TO_INSTALL = new Set([
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'BlueOak-1.0.0',
  '(MIT OR GPL-3.0-or-later)',
]);
const FOR_TOOLS = new Set([
  ...TO_INSTALL,
  'MIT-0',
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
  'MPL-2.0',
  'Python-2.0',
  'BSD-2-Clause',
]);

const numbersIn = (version: string) => version.split('.').map(Number);

function isAtLeast(version: string, least: string): boolean {
  const [found, wanted] = [numbersIn(version), numbersIn(least)];
  const differs = wanted.findIndex((part, index) => part !== (found[index] ?? 0));
  return differs === -1 || (found[differs] ?? 0) > (wanted[differs] ?? 0);
}

/** As far as the ranges in the lock file go: `^22.12.0 || ^24.0.0 || >=26.0.0`, `>= 8`, `20`, `4.x`, `*`. */
function accepts(range: string, version: string): boolean {
  return range.split('||').some((one) =>
    [...one.matchAll(/(>=|\^|)\s*([\d.]+|\*)/g)].every(([, sign, least = '']) => {
      if (least === '*') return true;
      const isSameMajor = numbersIn(version)[0] === numbersIn(least)[0];
      return isAtLeast(version, least.replace(/\.$/, '')) && (sign === '>=' || isSameMajor);
    }),
  );
}

it.each([
  ['^22.12.0 || ^24.0.0 || >=26.0.0', true],
  ['>= 8', true],
  ['22.x', true],
  ['>=22.16.0', false],
  ['18 || 20 || >=23', false],
  ['^20.19.0', false],
])('the range %s is read as npm does', (range, expected) => {
  expect(accepts(range, '22.15')).toBe(expected);
});

describe('the packages that are installed', () => {
  it('are those that were reviewed: each has the hash of its contents', () => {
    const unhashed = locked.filter(
      ([, { integrity = '', inBundle }]) => !inBundle && !integrity.startsWith('sha512-'),
    );
    expect(unhashed.map(([place]) => place)).toEqual([]);
    // What comes inside of another package is covered by that one's hash.
    expect(locked.length).toBeGreaterThan(100);
  });

  it('come from the registry: none from a repository, a folder or an address without TLS', () => {
    // Without an address in the lock file, it is the registry that npm is set to.
    const others = locked.filter(
      ([, { resolved, link }]) => link || !/^https:\/\/|^$/.test(resolved ?? ''),
    );
    expect(others.map(([place]) => place)).toEqual([]);
  });

  it('run no script of their own when installed, but for those that are named', () => {
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    const decided = Object.keys(manifest.allowScripts);
    expect(scripts.map(([place]) => nameOf(place)).toSorted()).toEqual(decided.toSorted());
    // Without it, npm runs the scripts of others with a warning.
    expect(readFileSync('.npmrc', 'utf8')).toContain('\nstrict-allow-scripts=true\n');
  });

  it('are a week old before they are taken, by a person or by the tool that proposes them', () => {
    const days = (file: string, pattern: RegExp) =>
      [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, found]) => found);
    const age = /^min-release-age=(\d+)$/gm;
    expect(days('.npmrc', age)).toEqual(['7']);
    expect(days('scripts/connector/set-up/template/npmrc', age)).toEqual(['7']);
    const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8'));
    const waits = updates.map((one: { cooldown?: object }) => one.cooldown);
    expect(waits).toEqual(updates.map(() => ({ 'default-days': 7 })));
  });

  it('are proposed from every list of packages', () => {
    const lists = ['package-lock.json', 'requirements.txt', 'pom.xml'].map((name) => `**/${name}`);
    const found = globSync(lists, { exclude: ['**/node_modules/**', 'dist/**'] }).map((file) =>
      `/${dirname(file)}`.replace('/.', '/'),
    );
    const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8'));
    const named = updates.flatMap(
      (one: { directory?: string; directories?: string[] }) => one.directories ?? [one.directory],
    );
    expect(found.filter((folder) => !named.includes(folder))).toEqual([]);
    expect(named.filter((folder: string) => !existsSync(`.${folder}`))).toEqual([]);
  });

  it('take the Node that the README asks for: npm prints no EBADENGINE', () => {
    const [, asked = ''] = /Node (\d+\.\d+) or newer/.exec(readFileSync('README.md', 'utf8')) ?? [];
    expect(readFileSync('docs/deploy.md', 'utf8')).toContain(`Node ${asked} or newer`);
    const refusing = locked
      .filter(([, { optional }]) => !optional)
      .filter(([, { engines }]) => !accepts(engines?.node ?? '*', asked));
    expect(refusing.map(([place]) => place)).toEqual([]);
    const { node } = manifest.engines;
    expect([accepts(node, asked), accepts(node, '20.20')]).toEqual([true, false]);
  });

  it('may be installed: those that are not tools of ours have a licence that asks for no source', () => {
    // An optional one may be for another system.
    const shipped = locked.filter(
      ([place, { dev, optional }]) => !dev && (!optional || existsSync(place)),
    );
    expect(shipped.length).toBeGreaterThan(20);
    // As the package itself says, not as the lock file repeats it.
    const strange = shipped
      .map(([place]) => [place, licenseOf(place)] as const)
      .filter(([, license]) => !TO_INSTALL.has(license));
    expect(strange).toEqual([]);
  });

  it('may be used: every tool has a licence that was looked at', () => {
    const strange = locked.filter(([, { license }]) => !FOR_TOOLS.has(license ?? ''));
    expect(strange.map(([place, { license }]) => `${place}: ${license}`)).toEqual([]);
  });
});
