import { Worker } from 'node:worker_threads';
import { type Part, simulations } from './parts.ts';
import type { SeedReport } from './totals.ts';

export interface SeedSettings {
  readonly events: number;
  readonly parts: readonly Part[];
}

/** One seed: a report of each part. */
export async function runSeed(
  seed: number,
  { events, parts }: SeedSettings,
): Promise<readonly SeedReport[]> {
  const reports: SeedReport[] = [];
  for (const part of parts) {
    const { violations, counts, faults } = await simulations[part]({ seed, events });
    const kinds = new Map<string, number>();
    for (const { kind } of faults) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    reports.push({ seed, part, violations, counts, faults: kinds });
  }
  return reports;
}

/** What is broken in some seeds, for a test. */
export async function brokenIn(
  { first, last }: { readonly first: number; readonly last: number },
  settings: SeedSettings,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (let seed = first; seed <= last; seed += 1) {
    for (const { part, violations } of await runSeed(seed, settings)) {
      for (const { oracle, what } of violations) {
        broken.push(`${part}, ${oracle}: ${what} (seed ${seed})`);
      }
    }
  }
  return broken;
}

/**
 * Runs seeds in several threads, as long as `next` gives one. `onSeed` gets each as it ends; false ends the
 * run at once.
 */
export async function runSeedsInThreads(
  threads: number,
  settings: SeedSettings,
  next: () => number | undefined,
  onSeed: (seed: number, reports: readonly SeedReport[]) => boolean,
): Promise<void> {
  const workers: Worker[] = [];
  const stop = () => Promise.all(workers.map((worker) => worker.terminate()));
  const start = (first: number) => {
    const file = new URL('./seed-thread.ts', import.meta.url);
    // Most of what a seed makes is garbage soon: with more room it is collected less often.
    const resourceLimits = { maxYoungGenerationSizeMb: 64 };
    const worker = new Worker(file, { workerData: settings, resourceLimits });
    workers.push(worker);
    let seed = first;
    worker.postMessage(seed);
    return new Promise<void>((resolve, reject) => {
      worker.on('message', (reports: readonly SeedReport[]) => {
        const following = onSeed(seed, reports) ? next() : undefined;
        if (following === undefined) void worker.terminate();
        else {
          seed = following;
          worker.postMessage(seed);
        }
      });
      worker.on('error', reject);
      worker.on('exit', () => resolve());
    });
  };
  const running: Promise<void>[] = [];
  for (let one = 0; one < threads; one += 1) {
    const seed = next();
    if (seed !== undefined) running.push(start(seed));
  }
  await Promise.all(running).finally(stop);
}
