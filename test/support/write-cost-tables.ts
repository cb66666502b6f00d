import { readFileSync, writeFileSync } from 'node:fs';
import { costTables, putTables } from '../../local/harness/cost.ts';
import { limitsTables } from './limits-tables.ts';
import { synthesizeStack } from './synthesized-stack.ts';

// Run by `npm run cost`.
const templateOf = (monitoring: 'full' | 'basic') =>
  synthesizeStack({ deployment: { monitoring } }).toJSON() as never;
const full = templateOf('full');
const storefront = synthesizeStack({ storefront: {} }).toJSON() as never;
const templates = { full, basic: templateOf('basic'), storefront };
write('docs/cost.md', costTables(templates, { orderRetentionDays: 400 }));
write('docs/limits.md', limitsTables());

function write(page: string, some: Readonly<Record<string, string>>): void {
  writeFileSync(page, putTables(readFileSync(page, 'utf8'), some));
}
