import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lanes } from '../../proof/parts.ts';
import { describeProof, putResults, type StepResult } from '../../proof/report.ts';
import { runLane } from '../../proof/run-lane.ts';

const [part] = lanes.flat().filter(({ title }) => title === 'Third-party engines');
const passed: StepResult = {
  ...{ end: 'passed', seconds: 130, command: 'npm run check:foreign -- dynamodb' },
  ...{ file: 'cache/dynamodb.out', output: '  31 checks, 0 faults\n' },
};

it('says what was run, what failed, and what was not run', () => {
  const text = describeProof({
    commit: '0123456789ab',
    date: new Date('2026-11-16T04:00:00Z'),
    results: {
      'Third-party engines: dynamodb': passed,
      'Third-party engines: sqs': { ...passed, end: 'failed', output: 'x\n'.repeat(100) },
      'Third-party engines: iam': { ...passed, end: 'stopped' },
    },
  });
  expect(text).toContain('# Verification of 0123456789ab, 2026-11-16');
  expect(text).toContain(
    `| 1 passed, 1 failed, 1 stopped | 7 min | 4 of 7 steps; stopped: iam; ${part?.leavesOut} |`,
  );
  expect(text).toContain('$ npm run check:foreign -- dynamodb\n  31 checks, 0 faults');
  expect(text).toContain('… 75 lines before');
  expect(text).toContain('its whole output is in `cache/dynamodb.out`');
  expect(text).toContain('Not run: shopify; template; contract; aws.');
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
  const engines = (end: string) =>
    `| Third-party engines | ${end} | ${part?.leavesOut} | 2031-01-02 |`;

  expect(rowsOf(results)).toHaveLength(lanes.flat().length);
  expect(rowsOf(results)).toContain(engines('7 of 7 passed'));
  expect(
    rowsOf({ ...results, 'Third-party engines: sqs': { ...passed, end: 'failed' } }),
  ).toContain(engines('FAILED: sqs'));
  const stopped = rowsOf({ ...results, 'Third-party engines: sqs': { ...passed, end: 'stopped' } });
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

it('runs the first steps of a part whose time is too short for all', async () => {
  const step = (name: string) => ({ name, script: 'fuzz', args: () => [] });
  const begun: string[] = [];
  let minute = 0;
  const steps = ['one', 'two', 'three'].map(step);
  await runLane([{ title: '', share: 1, needsMinutes: 2, leavesOut: '', steps }], 5 * 60_000, {
    now: () => minute * 60_000,
    isOpen: (_, { name }) => !begun.includes(name),
    async run(_, { name }) {
      begun.push(name);
      minute += 2;
    },
  });
  expect(begun).toEqual(['one', 'two']);
});
