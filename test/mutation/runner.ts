import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type RunnerTestCase, TestRunner, type TestTryOptions } from 'vitest';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { ASK } from './plant.ts';
import { readPlan, SharedLines, STATE_FOLDER } from './state.ts';

/** The least time a test may take with a mutant, and how much longer than without. */
const PATIENCE = { leastMs: 5000, factor: 20 };
/** Of this process alone: how busy the machine is, is no property of a test. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
/** So many more mutants than without it may be asked for before it counts as an endless loop. */
const LOOPS = { least: 10_000, factor: 10 };

const plan = readPlan();
const wanted = new Set(plan.wanted);
const killed = new SharedLines('killed');
const reached = new SharedLines('reached');
const loaded = new SharedLines('loaded');
const done = new SharedLines('done');

/** What was asked for while modules were loaded, or in the first run of a test. */
let asked = new Set<number>();
let askedTimes = 0;
/** How many tests each was tried with. Where the budget ends, the least tried come first. */
const tries = new Map<number, number>();
const triesOf = (id: number): number => tries.get(id) ?? 0;
let planted = plan.always;
let left = Number.POSITIVE_INFINITY;

Object.assign(globalThis, {
  [ASK]: (id: number): boolean => {
    if (planted === undefined) {
      asked.add(id);
      askedTimes++;
      return false;
    }
    left--;
    if (left < 0) throw new Error('an endless loop');
    return id === planted;
  },
});

/** Runs each test once as it is, and then again with each mutant that it reached, until something fails. */
export default class MutationRunner extends TestRunner {
  private queue: number[] = [];
  private startedAt = 0;
  private firstEndedAt = 0;
  private baselineMs = 0;
  private baselineAsked = 0;
  private isFirst = true;

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (plan.always !== undefined) return;
    if (done.read().has(test.id)) test.mode = 'skip';
    loaded.add([...asked].map(String));
    // Each failed try is followed by another: that is how one test runs many times with all of its hooks.
    test.retry = { count: 1_000_000 };
    this.isFirst = true;
  }

  override onBeforeTryTask(test: RunnerTestCase, options?: TestTryOptions): void {
    super.onBeforeTryTask(test, options as TestTryOptions);
    if (plan.always !== undefined) return;
    planted = this.queue.shift();
    if (planted !== undefined) tries.set(planted, triesOf(planted) + 1);
    this.saveBusy(planted ?? 0);
    left = LOOPS.least + LOOPS.factor * this.baselineAsked;
    if (this.isFirst) [asked, askedTimes] = [new Set(), 0];
    this.startedAt = cpuMs();
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    if (planted === undefined || plan.always !== undefined) return await run();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((_, reject) => {
      const ms = Math.max(PATIENCE.leastMs, PATIENCE.factor * this.baselineMs);
      timer = setTimeout(() => reject(new Error('it takes too long')), ms);
    });
    await Promise.race([run(), patience]).finally(() => clearTimeout(timer));
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: TestTryOptions): Promise<void> {
    await super.onAfterRetryTask(test, options);
    if (plan.always !== undefined || !test.result) return;
    const { result } = test;
    if (this.isFirst) this.endFirst(test, result.state === 'pass');
    else if (result.state === 'fail') killed.add([`${planted}`]);
    const dead = killed.read();
    const isLate = cpuMs() - this.firstEndedAt > plan.budgetMs;
    this.queue = isLate ? [] : this.queue.filter((id) => !dead.has(String(id)));
    planted = undefined;
    this.saveBusy(undefined);
    if (this.queue.length > 0) {
      result.state = 'fail';
      result.errors = [{ message: 'another mutant' }];
    } else {
      done.add([test.id]);
      result.state = 'pass';
      delete result.errors;
      asked = new Set();
    }
    (result as { attempts?: unknown[] }).attempts?.splice(0);
  }

  private endFirst(test: RunnerTestCase, isPassed: boolean): void {
    this.isFirst = false;
    this.firstEndedAt = cpuMs();
    this.baselineMs = this.firstEndedAt - this.startedAt;
    this.baselineAsked = askedTimes;
    const dead = killed.read();
    const ids = [...asked].filter((id) => wanted.has(id));
    const from = relative(PACKAGE_FOLDER, test.file.filepath);
    reached.add(ids.map((id) => `${id} ${from}`));
    const isTried = isPassed && this.baselineMs <= plan.slowestMs;
    const alive = ids.filter((id) => !dead.has(String(id)));
    this.queue = isTried ? alive.toSorted((one, other) => triesOf(one) - triesOf(other)) : [];
  }

  /** The command ends a process whose file does not change any more. 0: the test as it is. */
  private saveBusy(id: number | undefined): void {
    writeFileSync(join(STATE_FOLDER, `busy-${process.pid}`), id === undefined ? '' : String(id));
  }
}
