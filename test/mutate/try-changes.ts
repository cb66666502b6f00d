import type { Change } from './instrument.ts';
import { type Answer, openProcess, type TestProcess } from './test-process.ts';

/** `endless`: a test did not end. `refused`: by the compiler. `unreached`: no test evaluates it. */
export type Verdict = 'noticed' | 'endless' | 'refused' | 'unnoticed' | 'unreached';

export const isNoticed = (verdict: Verdict) => verdict !== 'unnoticed' && verdict !== 'unreached';

interface Reached {
  readonly test: number;
  readonly ms: number;
  readonly hits: number;
}

/** The compiler needs as long for a change. */
const QUICK_MS = 1_000;

/**
 * Tries changes with the tests of one job, up to the first that fails: of those that reach a change, the fastest and
 * those that noticed most come first.
 */
export class Trial {
  readonly #job: string;
  readonly #changes: readonly Change[];
  #process: TestProcess | undefined;
  readonly #reaching = new Map<string, Reached[]>();
  /** How long each test took. */
  readonly #took = new Map<number, number>();
  #whileLoading = new Set<string>();
  /** How many changes each test noticed. */
  readonly #noticed = new Map<number, number>();

  constructor(job: string, changes: readonly Change[]) {
    this.#job = job;
    this.#changes = changes;
  }

  /** Runs every test on the source as it is. Returns how many there are, and throws if one fails. */
  async begin(): Promise<number> {
    const { tests, reached } = await this.#open();
    this.#whileLoading = new Set(Object.keys(reached));
    const answers = await this.#run([...tests.keys()]);
    for (const [test, { ms, failure, reached }] of answers.entries()) {
      if (failure) throw new Error(`fails unchanged: ${tests[test]}: ${failure}`);
      this.#took.set(test, ms);
      for (const [change, hits] of Object.entries(reached ?? {})) {
        this.#reaching.set(change, [...(this.#reaching.get(change) ?? []), { test, ms, hits }]);
      }
    }
    if (answers.length < tests.length) throw new Error(`does not end: ${tests[answers.length]}`);
    return tests.length;
  }

  /** `isRefused`: by the compiler. It is asked before the slow tests run. */
  async judge({ id, fileName }: Change, isRefused: () => boolean): Promise<Verdict> {
    const reaching = this.#inOrder(this.#reaching.get(id) ?? []);
    const hitLimit = 1000 + 100 * Math.max(0, ...reaching.map(({ hits }) => hits));
    const quick = withinTime(reaching, QUICK_MS);
    const early = await this.#meet(id, reaching.slice(0, quick), hitLimit);
    if (early) return early;
    if (isRefused()) return 'refused';
    const late = await this.#meet(id, reaching.slice(quick), hitLimit);
    if (late) return late;
    if (!this.#whileLoading.has(id)) return reaching.length > 0 ? 'unnoticed' : 'unreached';
    const others = this.#changes.filter((one) => one.fileName === fileName);
    const ofFile = others.flatMap((one) => this.#reaching.get(one.id) ?? []);
    const tests = this.#inOrder(ofFile).map(({ test }) => test);
    return this.#judgeFresh(id, [...new Set(tests)]);
  }

  #inOrder(reaching: readonly Reached[]): readonly Reached[] {
    const cost = ({ test, ms }: Reached) => (1 + ms) / (1 + (this.#noticed.get(test) ?? 0));
    return reaching.toSorted((a, b) => cost(a) - cost(b));
  }

  /** Undefined if none of these tests noticed it. */
  async #meet(
    id: string,
    reaching: readonly Reached[],
    hitLimit: number,
  ): Promise<Verdict | undefined> {
    if (reaching.length === 0) return undefined;
    const tests = reaching.map(({ test }) => test);
    const answers = await this.#run(tests, id, hitLimit);
    const failed = tests[answers.findIndex(({ failure }) => failure)];
    if (failed === undefined) return answers.length < tests.length ? 'endless' : undefined;
    // The test must fail because of the change, and not because of what an earlier one left behind.
    const [unchanged] = await this.#run([failed]);
    if (unchanged && !unchanged.failure) {
      this.#noticed.set(failed, 1 + (this.#noticed.get(failed) ?? 0));
      return 'noticed';
    }
    await this.end();
    const fresh = await this.#judgeFresh(id, tests);
    return fresh === 'unnoticed' ? undefined : fresh;
  }

  async end(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  /** The change is there from the beginning: what is made while files load, or kept from test to test, has it too. */
  async #judgeFresh(id: string, tests: readonly number[]): Promise<Verdict> {
    const fresh = await openProcess(this.#job, id);
    if (!fresh) return 'noticed';
    try {
      const some = tests.length > 0 ? tests : [...fresh.tests.keys()];
      const answers = await fresh.ask({ tests: some, change: id }, this.#limit);
      if (answers.at(-1)?.failure) return 'noticed';
      return answers.length < some.length ? 'endless' : 'unnoticed';
    } finally {
      await fresh.stop();
    }
  }

  async #run(
    tests: readonly number[],
    change?: string,
    hitLimit?: number,
  ): Promise<readonly Answer[]> {
    const process = await this.#open();
    const order = { tests, ...(change && { change }), ...(hitLimit && { hitLimit }) };
    const answers = await process.ask(order, this.#limit);
    if (answers.length < tests.length && !answers.at(-1)?.failure) await this.end();
    return answers;
  }

  /** More than the test needs on a busy machine. */
  readonly #limit = (test: number) => 10_000 + 10 * (this.#took.get(test) ?? 30_000);

  async #open(): Promise<TestProcess> {
    this.#process ??= await openProcess(this.#job);
    if (!this.#process) throw new Error('the tests cannot be loaded');
    return this.#process;
  }
}

/** How many of them take so long together; at least one. */
function withinTime(reaching: readonly Reached[], ms: number): number {
  let spent = 0;
  const first = reaching.findIndex((one) => {
    spent += one.ms;
    return spent > ms;
  });
  return first < 0 ? reaching.length : Math.max(first, 1);
}
