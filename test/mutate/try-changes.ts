import type { Change } from './instrument.ts';
import { type Answer, openProcess, type TestProcess } from './test-process.ts';

/** `endless`: a test did not end. `refused`: by the compiler. `unreached`: no test evaluates it. */
export type Verdict = 'noticed' | 'endless' | 'refused' | 'unnoticed' | 'unreached';

interface Reached {
  readonly test: number;
  readonly ms: number;
  readonly hits: number;
}

/** Tries changes with the tests of one job: the fastest tests that reach a change first, up to the first that fails. */
export class Trial {
  readonly #job: string;
  readonly #changes: readonly Change[];
  #process: TestProcess | undefined;
  readonly #reaching = new Map<string, Reached[]>();
  #whileLoading = new Set<string>();
  /** The longest that a test takes. */
  #longest = 0;

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
      this.#longest = Math.max(this.#longest, ms);
      for (const [change, hits] of Object.entries(reached ?? {})) {
        this.#reaching.set(change, [...(this.#reaching.get(change) ?? []), { test, ms, hits }]);
      }
    }
    if (answers.length < tests.length) throw new Error(`does not end: ${tests[answers.length]}`);
    for (const list of this.#reaching.values()) list.sort((a, b) => a.ms - b.ms);
    return tests.length;
  }

  async judge({ id, fileName }: Change): Promise<Verdict> {
    const reaching = this.#reaching.get(id) ?? [];
    const whileLoading = this.#whileLoading.has(id);
    const tests = reaching.map(({ test }) => test);
    if (tests.length > 0) {
      const hitLimit = 1000 + 100 * Math.max(...reaching.map(({ hits }) => hits));
      const answers = await this.#run(tests, id, hitLimit);
      const failed = answers.findIndex(({ failure }) => failure);
      if (failed < 0 && answers.length < tests.length) return 'endless';
      if (failed >= 0) {
        // The test must fail because of the change, and not because of what an earlier one left behind.
        const [unchanged] = await this.#run(tests.slice(failed, failed + 1));
        if (unchanged && !unchanged.failure) return 'noticed';
        await this.end();
        return this.#judgeFresh(id, tests);
      }
    }
    if (!whileLoading) return tests.length > 0 ? 'unnoticed' : 'unreached';
    const others = this.#changes.filter((one) => one.fileName === fileName);
    const ofFile = others.flatMap((one) => this.#reaching.get(one.id) ?? []);
    const order = ofFile.sort((a, b) => a.ms - b.ms).map(({ test }) => test);
    return this.#judgeFresh(id, [...new Set(order)]);
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
      const answers = await fresh.ask({ tests: some, change: id }, this.#limit());
      if (answers.at(-1)?.failure) return 'noticed';
      return answers.length < some.length ? 'endless' : 'unnoticed';
    } finally {
      await fresh.stop();
    }
  }

  async #run(tests: number[], change?: string, hitLimit?: number): Promise<readonly Answer[]> {
    const process = await this.#open();
    const order = { tests, ...(change && { change }), ...(hitLimit && { hitLimit }) };
    const answers = await process.ask(order, this.#limit());
    if (answers.length < tests.length && !answers.at(-1)?.failure) await this.end();
    return answers;
  }

  /** More than any test needs on a busy machine. */
  readonly #limit = () => (this.#longest === 0 ? 300_000 : 10_000 + 10 * this.#longest);

  async #open(): Promise<TestProcess> {
    this.#process ??= await openProcess(this.#job);
    if (!this.#process) throw new Error('the tests cannot be loaded');
    return this.#process;
  }
}
