import { Worker } from 'node:worker_threads';
import { type FuzzTargetName, fuzzTargets } from './targets.ts';

export interface FuzzOrder {
  readonly target: FuzzTargetName;
  readonly seed: number;
  readonly inputs: number;
  /** Epoch milliseconds: no input starts later. */
  readonly untilMs: number;
  /** Shared memory: the number of the current input. */
  readonly progress: SharedArrayBuffer;
}

export interface FuzzFailure {
  /** The run with this seed and one input tries the same input. */
  readonly seed: number;
  readonly why: string;
  /** Shrunk; the bytes of the body as Latin-1. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface FuzzReport {
  readonly inputs: number;
  /** How often each result occurred. */
  readonly words: Readonly<Record<string, number>>;
  readonly failure?: FuzzFailure;
}

/** Wall-clock time on a busy machine: an input that takes this long will never end. */
const HANGS_AFTER_MS = 120_000;

/** No function has more. An input that needs more ends the thread and is reported. */
const MEMORY_MB = 512;

/** In a thread, so that an endless loop can be stopped. */
export function runFuzz(order: Omit<FuzzOrder, 'progress'>): Promise<FuzzReport> {
  const progress = new SharedArrayBuffer(4);
  const done = new Int32Array(progress);
  const thread = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
    workerData: { ...order, progress } satisfies FuzzOrder,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  return new Promise((resolve) => {
    let last = { n: -1, at: Date.now() };
    const fail = (why: string) =>
      settle({
        inputs: last.n,
        words: {},
        failure: { seed: order.seed + Atomics.load(done, 0), why },
      });
    const watch = setInterval(() => {
      const n = Atomics.load(done, 0);
      if (n !== last.n) last = { n, at: Date.now() };
      else if (Date.now() - last.at > HANGS_AFTER_MS) fail('every input ends: this one hangs');
    }, 1_000);
    const settle = (report: FuzzReport) => {
      clearInterval(watch);
      resolve(report);
      void thread.terminate();
    };
    thread.on('message', settle);
    thread.on('error', (error) =>
      fail(error instanceof Error ? (error.stack ?? '') : String(error)),
    );
  });
}

/** With so many, every kind of result occurs with any seed. */
export const ENOUGH_INPUTS = 5_000;

/** Results that must occur, and did not: no input got past the first check. */
export const unreached = (target: FuzzTargetName, { words }: FuzzReport) =>
  fuzzTargets[target].reaches.filter((word) => !Object.hasOwn(words, word));

/** The report: counts, results, and how to repeat a failure. */
export function describeReport(target: string, report: FuzzReport, seconds: number): string {
  const { inputs, words, failure } = report;
  const rate = Math.round(inputs / Math.max(seconds, 0.001));
  const taken = Object.entries(words)
    .toSorted(([, a], [, b]) => b - a)
    .map(([word, count]) => `${word} ${Math.round((100 * count) / inputs)} %`)
    .join(', ');
  const line = `${target.padEnd(17)} ${String(inputs).padStart(8)} inputs, ${rate} a second: ${taken}`;
  if (inputs === 0 && !failure) return `${line}NOT TRIED: its time was over before the first`;
  if (!failure) return line;
  return [
    line,
    `BROKEN: ${failure.why}`,
    ...(failure.parts ? [`with  ${clip(JSON.stringify(failure.parts))}`] : []),
    ...(failure.body === undefined ? [] : [`body  ${clip(JSON.stringify(failure.body))}`]),
    `again: npm run fuzz -- --target ${target} --seed ${failure.seed} --inputs 1`,
  ].join('\n');
}

const clip = (text: string) =>
  text.length <= 2_000 ? text : `${text.slice(0, 2_000)}… (${text.length} characters)`;
