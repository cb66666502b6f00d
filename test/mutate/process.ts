import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { clearInterval, setInterval } from 'node:timers';
import fc from 'fast-check';
import type { Answer, Job, Loaded, Order } from './test-process.ts';

const { sources, testFiles } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Job;
const standIn = new URL('./stand-in.ts', import.meta.url).href;

registerHooks({
  resolve: (name, context, next) =>
    name === 'vitest' && context.parentURL !== standIn
      ? { url: standIn, format: 'module-typescript', shortCircuit: true }
      : next(name, context),
  load(url, context, next) {
    const source = sources[url];
    return source === undefined
      ? next(url, context)
      : { format: 'module-typescript', source, shortCircuit: true };
  },
});
// The same values in every run, and no search for the smallest ones that fail.
fc.configureGlobal({ seed: 1, endOnFailure: true });
// A change may leave a promise that fails after its test: that is not a failure of the next test.
process.on('unhandledRejection', () => undefined);

/** What the instrumented source reads and writes; the names are Stryker's. */
const stryker = {
  activeMutant: process.argv[3],
  currentTestId: undefined as string | undefined,
  hitCount: 0,
  hitLimit: Number.POSITIVE_INFINITY,
  mutantCoverage: { static: {}, perTest: {} as Record<string, Record<string, number>> },
};
Object.assign(globalThis, { __stryker__: stryker });

const { collectTests, tests } = await import('./stand-in.ts');
await collectTests(testFiles);

process.on('message', async ({ tests: asked, change, hitLimit = Infinity }: Order) => {
  for (const test of asked) {
    const id = String(test);
    Object.assign(stryker, { activeMutant: change, currentTestId: id, hitCount: 0, hitLimit });
    const begun = performance.now();
    const failure = await orStandstill(tests[test]?.run());
    const ms = performance.now() - begun;
    // What the test left behind must not run into the next one.
    await new Promise(setImmediate);
    const reached = change === undefined ? stryker.mutantCoverage.perTest[id] : undefined;
    const isEndless = stryker.hitCount > hitLimit;
    const answer = { failure: isEndless ? 'endless' : failure, ms, reached };
    send(answer);
    if (answer.failure) break;
  }
});
send({ tests: tests.map(({ name }) => name), reached: stryker.mutantCoverage.static });

/** Why the test failed. One that waits for what cannot come any more ends after a second. */
async function orStandstill(run: Promise<void> | undefined): Promise<string | undefined> {
  const standstill = Promise.withResolvers<string>();
  let still = 0;
  const timer = setInterval(() => {
    // Nothing is left that could wake the process but the channel to its parent.
    const isStill = process.getActiveResourcesInfo().every((one) => one === 'PipeWrap');
    still = isStill ? still + 1 : 0;
    if (still === 20) standstill.resolve('waits for what cannot come');
  }, 50).unref();
  const ended = run?.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const failure = await Promise.race([ended, standstill.promise]);
  clearInterval(timer);
  return failure;
}

function send(what: Answer | Loaded): void {
  process.send?.(what);
}
