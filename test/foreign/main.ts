import { optionsOrHelp, readCommandLine } from '../../local/sandbox-kit/command-line.ts';
import { dynamodb } from './dynamodb-part.ts';
import type { Part } from './part.ts';
import { template } from './template-part.ts';

/** See docs/reliability.md. */
const PARTS: Readonly<Record<string, Part>> = { dynamodb, template };

const HELP = `npm run check:foreign -- [PARTS]

Runs our suites and templates on engines that others wrote, installed on the first run, and a planted bug on each.
  PARTS  some of ${Object.keys(PARTS).join(', ')}; default: all

Exit code 1: an engine found a fault, or did not find its planted bug.`;

const names = optionsOrHelp(
  readCommandLine(
    process.argv.slice(2),
    {},
    (_, words) => {
      const unknown = words.filter((name) => !Object.hasOwn(PARTS, name));
      if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(' and no part ')}`);
      return words;
    },
    true,
  ),
  HELP,
);
const failed: string[] = [];
for (const [name, part] of Object.entries(PARTS)) {
  if (!names || (names.length > 0 && !names.includes(name))) continue;
  if (!(await judge(name, part))) failed.push(name);
}
// Also back to 0: the planted bug may have made the test runner set it.
if (names) process.exitCode = failed.length > 0 ? 1 : 0;

/** The product must pass, and must not pass with the planted bug. */
async function judge(name: string, { engine, bug, open }: Part): Promise<boolean> {
  console.log(`\n${name}: ${engine}`);
  const begin = Date.now();
  const opened = await open();
  try {
    const sound = await opened.judge(false);
    for (const fault of sound.faults) console.log(`  FAULT ${fault}`);
    const broken = await opened.judge(true);
    const seconds = Math.round((Date.now() - begin) / 1000);
    console.log(
      `  ${sound.checks} checks, ${sound.faults.length} faults; ${seconds} s with the planted bug`,
    );
    // An engine that was called wrongly checks nothing, and must not count as having found it.
    const isFound = broken.checks > 0 && broken.faults.length > 0;
    const [first = ''] = (broken.faults[0] ?? '').split('\n');
    console.log(`  planted: ${bug}: ${isFound ? `found: ${first.slice(0, 160)}` : 'NOT FOUND'}`);
    return sound.checks > 0 && sound.faults.length === 0 && isFound;
  } finally {
    await opened.stop();
  }
}
