import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { judgeFolders } from '../../mutate/report.ts';
import { SavedVerdicts } from '../../mutate/saved-verdicts.ts';
import type { Verdict } from '../../mutate/try-changes.ts';
import { hashOfCode, TIME_OVER } from '../../support/proof-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'proof-run-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('knows other code by any file that is not ignored, and not by pages of text', () => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  write('.gitignore', 'cache/\n');
  write('code.ts', '1');
  const first = hashOfCode(folder);
  execFileSync('git', ['add', '.'], { cwd: folder });
  write('proof.md', 'a report');
  expect(hashOfCode(folder)).toBe(first);
  write('new.ts', '');
  const second = hashOfCode(folder);
  expect(second).not.toBe(first);
  write('code.ts', '2');
  expect(hashOfCode(folder)).not.toBe(second);
  write('code.ts', '1');
  rmSync(join(folder, 'new.ts'));
  expect(hashOfCode(folder)).toBe(first);
  rmSync(join(folder, 'code.ts'));
  expect(hashOfCode(folder)).not.toBe(first);
});

const place = { line: 0, column: 0 };
const change = (id: string) => ({
  ...{ id, fileName: 'a.ts', replacement: id, mutatorName: 'StringLiteral' },
  location: { start: place, end: place },
});

it('goes on with the changes that were tried on the same code, and on no other', () => {
  const file = join(folder, 'state.jsonl');
  const saved = new SavedVerdicts(file, 'code of yesterday');
  saved.add(change('1'), 'noticed');
  saved.add(change('2'), 'unnoticed');
  appendFileSync(file, '["half a li');
  const known = (code: string) => {
    const verdicts = new SavedVerdicts(file, code);
    return ['1', '2'].map((id) => verdicts.get(change(id)));
  };
  expect(known('code of yesterday')).toEqual(['noticed', 'unnoticed']);
  expect(known('code of today')).toEqual([undefined, undefined]);
});

it('fails for more unnoticed changes than are known, and is not over while some were not tried', () => {
  const known = { plan: 1 };
  const judge = (...verdicts: readonly (Verdict | undefined)[]) => {
    const tried = verdicts.map((verdict) => ({ change: change('1'), verdict }));
    const files = [{ name: 'a.ts', source: '', tried }];
    return judgeFolders(['plan'], new Map([['plan', files]]), known);
  };
  expect(judge('noticed', 'refused', 'unnoticed')).toEqual({ code: 0, lines: [] });
  expect(judge('unreached', 'unnoticed', undefined)).toMatchObject({
    code: 1,
    lines: ['plan: 2 changes are not noticed, and 1 are known', expect.any(String)],
  });
  expect(judge('noticed', undefined).code).toBe(TIME_OVER);
  expect(judgeFolders(['plan'], new Map(), known).code).toBe(TIME_OVER);
});
