import { Worker } from 'node:worker_threads';
import { type Part, simulations } from './parts.ts';
import type { SimulationResult } from './simulate.ts';

/** The result of one seed in a form that threads can exchange. */
export interface SeedReport {
  readonly seed: number;
  readonly part: Part;
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
  readonly parts: readonly Part[];
}

/** Runs seeds one by one, until `onReport` returns false. */
export async function runSeeds(
  { first, stride, last, events, parts }: SeedRange,
  onReport: (report: SeedReport) => boolean,
): Promise<void> {
  for (let seed = first; seed <= last; seed += stride) {
    for (const part of parts) {
      const { violations, counts } = await simulations[part]({ seed, events });
      if (!onReport({ seed, part, violations, counts })) return;
    }
  }
}

/** The same seeds, shared by several threads. */
export async function runSeedsInThreads(
  threads: number,
  { first, ...given }: Omit<SeedRange, 'stride'>,
  onReport: (report: SeedReport) => boolean,
): Promise<void> {
  const workers = Array.from({ length: threads }, (_, index) => {
    const range: SeedRange = { ...given, first: first + index, stride: threads };
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
  const sums = {
    orders: { sent: 0, deliveries: 0, lost: 0 },
    storefront: { sent: 0, deliveries: 0, lost: 0 },
  };
  const outcomes = new Map<string, number>();
  const seeds = new Set<number>();
  const failed = new Set<number>();
  let happened = 0;
  let virtualHours = 0;

  const perSecond = () => n(happened / Math.max((performance.now() - began) / 1000, 0.001));

  return {
    add({ seed, part, violations, counts }: SeedReport): void {
      seeds.add(seed);
      if (violations.length > 0) failed.add(seed);
      sums[part].sent += counts.webhooks;
      sums[part].deliveries += counts.deliveries;
      sums[part].lost += counts.lost;
      happened += counts.happened;
      virtualHours += counts.virtualHours;
      for (const [outcome, count] of counts.outcomes) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
      }
    },

    progress: () => `${n(seeds.size)} seeds, ${perSecond()} simulated events a second`,

    summary(): string {
      const said = [...outcomes].toSorted(([, a], [, b]) => b - a);
      const { orders, storefront } = sums;
      const kept =
        failed.size === 0 ? 'every promise kept' : `${failed.size} with a broken promise`;
      return [
        `${n(seeds.size)} seeds, ${kept}`,
        ...describeSent('webhooks', orders),
        ...describeSent('point events', storefront),
        `outcomes: ${said.map(([outcome, count]) => `${n(count)} ${outcome}`).join(', ')}`,
        `${n(happened)} simulated events in ${n(virtualHours / 24)} virtual days, ${perSecond()} a second`,
      ].join('\n');
    },
  };
}

const n = (count: number): string => Math.round(count).toLocaleString('en');

function describeSent(
  what: string,
  {
    sent,
    deliveries,
    lost,
  }: { readonly sent: number; readonly deliveries: number; readonly lost: number },
): readonly string[] {
  if (sent === 0) return [];
  return [`${n(sent)} ${what}: ${n(deliveries)} deliveries, ${n(lost)} never came`];
}
