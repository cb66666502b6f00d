import { Worker } from 'node:worker_threads';
import type { FuzzTargetName } from './targets.ts';

export interface FuzzOrder {
  readonly target: FuzzTargetName;
  readonly seed: number;
  readonly inputs: number;
  /** Epoch milliseconds: no input is begun later. */
  readonly untilMs: number;
  /** Shared: the number of the input that is being tried. */
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
  /** How often inputs were taken in which way. */
  readonly words: Readonly<Record<string, number>>;
  readonly failure?: FuzzFailure;
}

/** Of wall-clock time, on a machine that may be busy: an input that takes this long will never end. */
const HANGS_AFTER_MS = 120_000;

/** No function has more. An input that needs more kills the thread, and is told. */
const MEMORY_MB = 512;

/** Runs a target in a thread of its own, so that a loop without an end can be ended. */
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

/** The report in words: how many, how they were taken, and how to see a failure again. */
export function describeReport(target: string, report: FuzzReport, seconds: number): string {
  const { inputs, words, failure } = report;
  const rate = Math.round(inputs / Math.max(seconds, 0.001));
  const taken = Object.entries(words)
    .toSorted(([, a], [, b]) => b - a)
    .map(([word, count]) => `${word} ${Math.round((100 * count) / inputs)} %`)
    .join(', ');
  const line = `${target.padEnd(17)} ${String(inputs).padStart(8)} inputs, ${rate} a second: ${taken}`;
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
