import { Worker } from 'node:worker_threads';
import { type SimulationResult, simulate } from './simulate.ts';

/** What is kept of one seed: results travel between threads. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: SimulationResult['violations'];
  readonly counts: SimulationResult['counts'];
}

export interface SeedRange {
  readonly first: number;
  /** Every so many seeds, so that threads can share a range. */
  readonly stride: number;
  /** Infinity: until it is ended. */
  readonly last: number;
  readonly events: number;
}

/** One seed after the other; what `onReport` gives decides whether it goes on. */
export async function runSeeds(
  { first, stride, last, events }: SeedRange,
  onReport: (report: SeedReport) => boolean,
): Promise<void> {
  for (let seed = first; seed <= last; seed += stride) {
    const { violations, counts } = await simulate({ seed, events });
    if (!onReport({ seed, violations, counts })) return;
  }
}

/** The same seeds, shared by so many threads. */
export async function runSeedsInThreads(
  threads: number,
  { first, last, events }: Omit<SeedRange, 'stride'>,
  onReport: (report: SeedReport) => boolean,
): Promise<void> {
  const workers = Array.from({ length: threads }, (_, index) => {
    const range: SeedRange = { first: first + index, stride: threads, last, events };
    return new Worker(new URL('./seed-thread.ts', import.meta.url), { workerData: range });
  });
  const stop = () => Promise.all(workers.map((worker) => worker.terminate()));
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.on('message', (report: SeedReport) => {
            if (!onReport(report)) void stop();
          });
          worker.on('error', reject);
          worker.on('exit', () => resolve());
        }),
    ),
  ).finally(stop);
}
