import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { orderAt } from '../fixtures/order-life.ts';
import { runConnectors } from '../support/running-connector.ts';

const connectors = runConnectors();

/** What the test runner adds to a file for each export, in place of the export itself. */
const EXPORT = /^\(\) => \{ try \{ return [\w$]+ \} catch \{\} \}$/;
const OWN = /^(?:functions|shared)\//;

/** The connector's own files of which a function was called, as V8 counts the calls. */
async function filesRunBy(work: () => Promise<unknown>): Promise<readonly string[]> {
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

function filesOfWalk(heading: string): readonly string[] {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const [, walk = ''] = page.split(`### ${heading}: `);
  const [list = ''] = walk.split('\n#');
  return [...list.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
}

it('the walk of a webhook names every file that runs for an order, and no other', async () => {
  const delivery = ['orders/updated', orderAt(1, { fulfilledAfterDays: 1 })] as const;
  // What a file does when it is loaded is no part of the walk.
  await (await connectors.open()).deliver(delivery);
  const { post, work, newOperations } = await connectors.open();
  newOperations();
  const ran = await filesRunBy(async () => {
    await post(...delivery);
    await work();
  });
  expect(newOperations()).toEqual(['sendOrder']);
  expect(ran.toSorted()).toEqual(filesOfWalk('One webhook').toSorted());
});
