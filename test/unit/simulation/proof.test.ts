import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parts, putResult } from '../../proof/parts.ts';

it('has a row in docs/reliability.md for every part', () => {
  const page = readFileSync('docs/reliability.md', 'utf8');
  for (const part of parts('folder')) {
    const written = putResult(page, part, 'passed', new Date('2031-01-02T04:00:00Z'));
    expect(written).toContain(`| ${part.title} | passed | ${part.leavesOut} | 2031-01-02 |`);
  }
});
