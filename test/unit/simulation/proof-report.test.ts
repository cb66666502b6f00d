import { expect, it } from 'vitest';
import { lanes } from '../../proof/parts.ts';
import { describeProof, type StepResult } from '../../proof/report.ts';

const [part] = lanes.flat().filter(({ title }) => title === 'Engines of others');
const passed: StepResult = {
  ...{ end: 'passed', seconds: 130, command: 'npm run check:foreign -- dynamodb' },
  output: '  31 checks, 0 faults\n',
};

it('says what was run, what failed, and what was not run', () => {
  const text = describeProof({
    commit: '0123456789ab',
    date: new Date('2026-11-16T04:00:00Z'),
    results: {
      'Engines of others: dynamodb': passed,
      'Engines of others: sqs': { ...passed, end: 'failed', output: 'x\n'.repeat(100) },
    },
  });
  expect(text).toContain('# Proof of 0123456789ab, 2026-11-16');
  expect(text).toContain(
    `| Engines of others | 1 passed, 1 failed | 4 min | 5 of 7 steps; ${part?.leavesOut} |`,
  );
  expect(text).toContain('$ npm run check:foreign -- dynamodb\n  31 checks, 0 faults');
  expect(text).toContain('… 75 lines before');
  expect(text).toContain('Not run: aws; template; iam; contract; shopify.');
  expect(text).toContain('| Fuzz | not run |');
});
