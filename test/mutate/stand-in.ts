import { setTimeout } from 'node:timers/promises';
import { vi as own } from 'vitest';

/** The tests import this instead of vitest: it collects tests, which then run singly, in any order and again. */
export { expect, expectTypeOf } from 'vitest';

export const vi = {
  ...own,
  async waitFor(check: () => unknown): Promise<unknown> {
    for (let tries = 0; tries < 100; tries += 1) {
      try {
        return await check();
      } catch {
        await setTimeout(10);
      }
    }
    return check();
  },
};

export interface Test {
  readonly name: string;
  readonly run: () => Promise<void>;
}

type Step = () => unknown;
type Body = (...row: readonly unknown[]) => unknown;

interface Suite {
  readonly name: string;
  readonly before: Step[];
  readonly after: Step[];
}

export const tests: Test[] = [];
let suites: readonly Suite[] = [];

/** Loads the files one after the other: each adds its tests. */
export async function collectTests(files: readonly string[]): Promise<void> {
  for (const file of files) {
    suites = [{ name: file, before: [], after: [] }];
    await import(file);
  }
}

export const beforeEach = (step: Step) => suites.at(-1)?.before.push(step);
export const afterEach = (step: Step) => suites.at(-1)?.after.push(step);

/** Tests that share what they began cannot run singly. */
const refuse = () => {
  throw new Error('this test needs vitest itself');
};

export { refuse as afterAll, refuse as beforeAll };

/** Options and time limits are left out: the process that asks for a test has its own limit. */
const bodyIn = (given: readonly unknown[]) =>
  given.find((one) => typeof one === 'function') as Body;

function addSuite(name: string, ...given: readonly unknown[]): void {
  const around = suites;
  suites = [...around, { name, before: [], after: [] }];
  bodyIn(given)();
  suites = around;
}

function addTest(title: string, ...given: readonly unknown[]): void {
  const body = bodyIn(given);
  const around = suites;
  const run = async () => {
    for (const step of around.flatMap(({ before }) => before)) await step();
    try {
      await body();
    } finally {
      for (const step of around.flatMap(({ after }) => after)) await step();
    }
  };
  tests.push({ name: [...around.map(({ name }) => name), title].join(' › '), run });
}

type Add = typeof addTest;

const forEach =
  (add: Add) =>
  (rows: readonly unknown[]) =>
  (name: string, ...given: readonly unknown[]) => {
    const body = bodyIn(given);
    for (const [at, row] of rows.entries()) {
      add(`${name} ${at}`, () => body(...(Array.isArray(row) ? row : [row])));
    }
  };

export const describe = Object.assign(addSuite, { each: forEach(addSuite) });
export const it = Object.assign(addTest, {
  each: forEach(addTest),
  runIf: (wanted: boolean): Add => (wanted ? addTest : () => undefined),
});
