import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../../local/stack/synthesize.ts';

const FILE = join(PROJECT, 'docs/reliability.md');
const BEGIN = '<!-- What is between these marks is written by: npm run load -- --docs -->\n';
const END = '<!-- End of the report. -->\n';

/** Puts a report in the place of the last one. */
export function writeDocs(report: string, command: string): void {
  const document = readFileSync(FILE, 'utf8');
  const [before, rest] = document.split(BEGIN);
  const [, after] = rest?.split(END) ?? [];
  if (before === undefined || after === undefined) {
    throw new Error(`${FILE} has lost the marks between which the report belongs.`);
  }
  const block = `\`\`\`\n$ ${command}\n\n${report.trimEnd()}\n\`\`\`\n`;
  writeFileSync(FILE, `${before}${BEGIN}\n${block}\n${END}${after}`);
}
