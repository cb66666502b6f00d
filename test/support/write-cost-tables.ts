import { readFileSync, writeFileSync } from 'node:fs';
import { costTables, putTables } from '../../scripts/build/cost/cost-table.ts';
import { synthesizeStack } from './synthesized-stack.ts';

// Run by `npm run cost`.
const templateOf = (monitoring: 'full' | 'basic') =>
  synthesizeStack({ deployment: { monitoring } }).toJSON() as never;
const tables = costTables(
  { full: templateOf('full'), basic: templateOf('basic') },
  { orderRetentionDays: 400 },
);
writeFileSync('docs/cost.md', putTables(readFileSync('docs/cost.md', 'utf8'), tables));
