import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

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
