import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { judgeFolders } from '../../mutate/report.ts';
import { SavedVerdicts } from '../../mutate/saved-verdicts.ts';
import type { Verdict } from '../../mutate/try-changes.ts';
import { lanes } from '../../proof/parts.ts';
import { describeProof, putResults, type StepResult } from '../../proof/report.ts';
import { runLane } from '../../proof/run-lane.ts';
import { hashOfCode, TIME_OVER } from '../../support/proof-run.ts';

const [part] = lanes.flat().filter(({ title }) => title === 'All schedules');
const [first = '', second = '', third = '', ...others] = part?.steps.map(({ name }) => name) ?? [];
const passed: StepResult = {
  ...{ end: 'passed', seconds: 130, command: 'npm run check:foreign -- dynamodb' },
  ...{ file: 'cache/dynamodb.out', output: '  31 checks, 0 faults\n' },
};

it('says what was run, what failed, and what was not run', () => {
  const text = describeProof({
    commit: '0123456789ab',
    date: new Date('2026-11-16T04:00:00Z'),
    results: {
      [`All schedules: ${first}`]: passed,
      [`All schedules: ${second}`]: { ...passed, end: 'failed', output: 'x\n'.repeat(100) },
      [`All schedules: ${third}`]: { ...passed, end: 'stopped' },
    },
  });
  expect(text).toContain('# Verification of 0123456789ab, 2026-11-16');
  expect(text).toContain(
    `| 1 passed, 1 failed, 1 stopped | 7 min | ${others.length} of ${others.length + 3} steps; stopped: ${third}; ${part?.leavesOut} |`,
  );
  expect(text).toContain('$ npm run check:foreign -- dynamodb\n  31 checks, 0 faults');
  expect(text).toContain('… 75 lines before');
  expect(text).toContain('its whole output is in `cache/dynamodb.out`');
  expect(text).toContain(`Not run: ${others.join('; ')}.`);
  expect(text).toContain('| Fuzz | not run |');
});

it('replaces the rows of complete parts in docs/reliability.md, which has one for every part', () => {
  const page = readFileSync('docs/reliability.md', 'utf8');
  const date = new Date('2031-01-02T04:00:00Z');
  const rowsOf = (results: Readonly<Record<string, StepResult>>) =>
    putResults(page, { commit: '', date, results })
      .split('\n')
      .filter((line) => line.includes('2031-01-02'));
  const complete = lanes
    .flat()
    .flatMap(({ title, steps }) => steps.map(({ name }) => [`${title}: ${name}`, passed] as const));
  const results = Object.fromEntries(complete);
  const rowOf = (end: string) => `| All schedules | ${end} | ${part?.leavesOut} | 2031-01-02 |`;

  expect(rowsOf(results)).toHaveLength(lanes.flat().length);
  expect(rowsOf(results)).toContain(rowOf(`${others.length + 3} of ${others.length + 3} passed`));
  expect(
    rowsOf({ ...results, [`All schedules: ${second}`]: { ...passed, end: 'failed' } }),
  ).toContain(rowOf(`FAILED: ${second}`));
  const stopped = rowsOf({
    ...results,
    [`All schedules: ${second}`]: { ...passed, end: 'stopped' },
  });
  expect(stopped).toHaveLength(lanes.flat().length - 1);
  expect(rowsOf({})).toEqual([]);
});

it('stops a step that does not end, runs the others, and gives it what they leave over', async () => {
  const step = (name: string) => ({ name, script: 'fuzz', args: () => [] });
  const lane = [
    {
      ...{ title: 'searches', share: 0.5, needsMinutes: 1, leavesOut: '' },
      steps: [step('endless'), step('quick'), step('slow')],
    },
    { title: 'rest', share: 1, needsMinutes: 1, leavesOut: '', steps: [step('last')] },
  ];
  const needs: Record<string, number> = { quick: 2, slow: 15, last: 1 };
  const done = new Set<string>();
  const log: string[] = [];
  let minute = 0;
  await runLane(lane, 120 * 60_000, {
    now: () => minute * 60_000,
    isOpen: (_, { name }) => !done.has(name),
    async run(_, { name }, until) {
      const own = until / 60_000 - minute;
      log.push(`${name} at ${minute}, up to ${own}`);
      const needed = needs[name] ?? Number.POSITIVE_INFINITY;
      if (needed <= own) done.add(name);
      minute += Math.min(needed, own);
    },
  });
  expect(log).toEqual([
    ...['endless at 0, up to 20', 'quick at 20, up to 20', 'slow at 22, up to 38'],
    ...['endless at 37, up to 23', 'last at 60, up to 60'],
  ]);
});

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
