import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { runCommand } from './connector-command.ts';

/** What the test runner adds to a file for each export, in place of the export itself. */
const EXPORT = /^\(\) => \{ try \{ return [\w$]+ \} catch \{\} \}$/;
/** The schema is the store sandbox's. */
export const OWN = /^(?:functions|shared)\/(?!shopify\/admin\/schema\/)/;
const OF_COMMANDS = /^(?:scripts|shared)\//;

interface Coverage {
  readonly result: readonly Profiler.ScriptCoverage[];
}

/** The connector's own files of which a function was called, as V8 counts the calls. */
export async function filesRunBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // What ran before is forgotten with the first answer.
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    await session.post('Debugger.enable');
    const ran: string[] = [];
    for (const { url, scriptId, functions } of result) {
      const file = url.startsWith('file:') ? relative(PACKAGE_FOLDER, fileURLToPath(url)) : '';
      if (!OWN.test(file)) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const isCalled = functions.some(({ ranges: [range] }) => {
        if (!range || range.count === 0) return false;
        return !EXPORT.test(scriptSource.slice(range.startOffset, range.endOffset));
      });
      if (isCalled) ran.push(file);
    }
    return ran;
  } finally {
    session.disconnect();
  }
}

export function filesOfWalk(heading: string): readonly string[] {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const [, walk = ''] = page.split(`### ${heading}: `);
  const [list = ''] = walk.split('\n#');
  return [...list.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
}

/** Of a command, which is a process of its own: the files of which another function than the file itself was called. */
export async function filesRunByCommand(
  line: string,
  inFolder: string,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(inFolder, 'coverage-'));
  const env = { NODE_V8_COVERAGE: folder };
  const { stderr } = await runCommand(line.split(' '), { folder: inFolder, env });
  expect([line, stderr]).toEqual([line, '']);
  const [name = ''] = readdirSync(folder);
  const { result }: Coverage = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return result.flatMap(({ url, functions }) => {
    const file = url.startsWith('file:') ? relative(PACKAGE_FOLDER, fileURLToPath(url)) : '';
    const isCalled = functions.some(
      ({ functionName, ranges: [range] }) => functionName !== '' && range && range.count > 0,
    );
    return OF_COMMANDS.test(file) && isCalled ? [file] : [];
  });
}
