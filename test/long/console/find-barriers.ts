import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What keeps people from using the page, by the rules of axe: names, contrast, headings, order, … */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  for (const frame of page.frames()) await frame.evaluate(AXE);
  return page.evaluate<string[]>(`axe.run({ preload: false }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
}
