import { Worker } from 'node:worker_threads';
import { type SimulationResult, simulate } from './simulate.ts';

/** The result of one seed in a form that threads can exchange. */
export interface SeedReport {
  readonly seed: number;
  readonly violations: SimulationResult['violations'];
  readonly counts: SimulationResult['counts'];
}

export interface SeedRange {
  readonly first: number;
  /** The step between seeds, so that threads can share a range. */
  readonly stride: number;
  /** Infinity: until it is stopped. */
  readonly last: number;
  readonly events: number;
}

/** Runs seeds one by one, until `onReport` returns false. */
export async function runSeeds(
  { first, stride, last, events }: SeedRange,
  onReport: (report: SeedReport) => boolean,
): Promise<void> {
  for (let seed = first; seed <= last; seed += stride) {
    const { violations, counts } = await simulate({ seed, events });
    if (!onReport({ seed, violations, counts })) return;
  }
}

/** The same seeds, shared by several threads. */
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

/** Totals over many seeds. */
export function createTotals() {
  const began = performance.now();
  const sums = { webhooks: 0, deliveries: 0, lost: 0, happened: 0, virtualHours: 0 };
  const outcomes = new Map<string, number>();
  let seeds = 0;
  let failed = 0;

  const perSecond = (count: number) =>
    Math.round(count / Math.max((performance.now() - began) / 1000, 0.001)).toLocaleString('en');

  return {
    add({ violations, counts }: SeedReport): void {
      seeds += 1;
      if (violations.length > 0) failed += 1;
      sums.webhooks += counts.webhooks;
      sums.deliveries += counts.deliveries;
      sums.lost += counts.lost;
      sums.happened += counts.happened;
      sums.virtualHours += counts.virtualHours;
      for (const [outcome, count] of counts.outcomes) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
      }
    },

    progress: () =>
      `${seeds.toLocaleString('en')} seeds, ${perSecond(sums.happened)} simulated events a second`,

    summary(): string {
      const { webhooks, deliveries, lost, happened, virtualHours } = sums;
      const said = [...outcomes].toSorted(([, a], [, b]) => b - a);
      const n = (count: number) => Math.round(count).toLocaleString('en');
      return [
        `${n(seeds)} seeds, ${failed === 0 ? 'every promise kept' : `${failed} with a broken promise`}`,
        `${n(webhooks)} webhooks: ${n(deliveries)} deliveries, ${n(lost)} webhooks never came`,
        `outcomes: ${said.map(([outcome, count]) => `${n(count)} ${outcome}`).join(', ')}`,
        `${n(happened)} simulated events in ${n(virtualHours / 24)} virtual days, ${perSecond(happened)} a second`,
      ].join('\n');
    },
  };
}
