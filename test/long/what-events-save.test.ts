import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeStack, putTables } from '../../local/harness/cost.ts';
import { eventsTable } from '../support/count-events.ts';
import { synthesizeStack } from '../support/synthesized-stack.ts';

it('docs/cost.md shows what Events save, as a run of the local parts counts it', async () => {
  const document = readFileSync('docs/cost.md', 'utf8');
  const stack = describeStack(synthesizeStack().toJSON() as never);
  expect(putTables(document, { events: await eventsTable(stack) })).toBe(document);
}, 120_000);
