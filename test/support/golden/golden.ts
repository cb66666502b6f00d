import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One thing that outlives a deployment, as the real code writes and reads it. */
export interface Sample {
  /** Absent for what only an earlier release wrote. */
  write?(): unknown;
  /** What the reader makes of what was written. Absent for a name, which is only compared. */
  read?(written: never): unknown;
}

export type Samples = Readonly<Record<string, Sample>>;

/** As in a golden file. */
export interface Golden {
  readonly written: unknown;
  readonly read?: unknown;
}

/**
 * Every field, at any depth: a new one has no golden form until a sample names it, and the type check says so. Then
 * `npm run golden`; before the release of its form, `npm run golden -- --rewrite`.
 */
export type Full<T> = T extends string | number | boolean | bigint | null | undefined | Uint8Array
  ? T
  : { readonly [Name in keyof T]-?: Full<Exclude<T[Name], undefined>> };

const FOLDER = 'test/golden/form-1';
const fileOf = (section: string) => join(FOLDER, `${section}.json`);

export function goldenOf(section: string): Readonly<Record<string, Golden>> {
  return existsSync(fileOf(section)) ? JSON.parse(readFileSync(fileOf(section), 'utf8')) : {};
}

export function writeGolden(section: string, golden: Readonly<Record<string, Golden>>): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(section), `${JSON.stringify(golden, undefined, 2)}\n`);
}

/** The value as JSON holds it: bytes as base64, without what is undefined. */
export function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, one: unknown) => {
    if (one instanceof Map) return [...one];
    if (one instanceof Set) return [...one].toSorted();
    return one instanceof Uint8Array ? { base64: Buffer.from(one).toString('base64') } : one;
  });
  return text === undefined ? null : JSON.parse(text);
}

/** Freezes what a sample writes and reads now. */
export async function freeze(sample: Sample): Promise<Golden> {
  const written = plain(await sample.write?.());
  return { written, ...(sample.read && { read: plain(await sample.read(written as never)) }) };
}
