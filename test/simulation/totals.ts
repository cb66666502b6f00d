import { PARTS, type Part } from './parts.ts';
import type { SimulationResult } from './simulate.ts';

/** The result of one seed in a form that threads can exchange. */
export interface SeedReport {
  readonly seed: number;
  readonly part: Part;
  readonly violations: SimulationResult['violations'];
  readonly counts: SimulationResult['counts'];
  /** By kind: how many faults happened. */
  readonly faults: ReadonlyMap<string, number>;
}

interface Broken {
  readonly seed: number;
  readonly part: Part;
  readonly oracle: string;
}

/** Sums over many seeds. A run that was stopped goes on from the saved ones. */
export class Totals {
  /** How many seeds have ended, with all their parts. */
  seeds = 0;
  /** In which a run was under way. */
  seconds = 0;
  happened = 0;
  virtualHours = 0;
  broken: readonly Broken[] = [];
  sent = Object.fromEntries(
    PARTS.map((part) => [part, { made: 0, deliveries: 0, lost: 0 }]),
  ) as Record<Part, { made: number; deliveries: number; lost: number }>;
  outcomes: Record<string, number> = {};
  faults: Record<string, number> = {};
  played: Record<string, number> = {};

  constructor(saved: Partial<Totals> = {}) {
    Object.assign(this, saved);
  }

  add(reports: readonly SeedReport[]): void {
    this.seeds += 1;
    for (const { seed, part, violations, counts, faults } of reports) {
      for (const { oracle } of violations) this.broken = [...this.broken, { seed, part, oracle }];
      const sent = this.sent[part];
      sent.made += counts.webhooks;
      sent.deliveries += counts.deliveries;
      sent.lost += counts.lost;
      this.happened += counts.happened;
      this.virtualHours += counts.virtualHours;
      addTo(this.outcomes, counts.outcomes);
      addTo(this.faults, faults);
      addTo(this.played, counts.played);
    }
  }

  get progress(): string {
    return `${n(this.seeds)} seeds, ${n(this.happened / Math.max(this.seconds, 0.001))} simulated events a second`;
  }

  get summary(): string {
    const { seeds, broken, sent, happened, virtualHours, seconds } = this;
    const failed = new Set(broken.map(({ seed }) => seed)).size;
    const kept = failed === 0 ? 'every promise kept' : `${failed} with a broken promise`;
    const sentLine = (what: string, { made, deliveries, lost }: (typeof sent)[Part]) =>
      made === 0 ? [] : [`${n(made)} ${what}: ${n(deliveries)} deliveries, ${n(lost)} never came`];
    return [
      `${n(seeds)} seeds, ${kept}`,
      ...sentLine('webhooks', sent.orders),
      ...sentLine('point events', sent.storefront),
      `outcomes: ${listed(this.outcomes)}`,
      `faults: ${listed(this.faults)}`,
      `played: ${listed(this.played)}`,
      `${n(happened)} simulated events in ${n(virtualHours / 24)} virtual days, ${n(happened / Math.max(seconds, 0.001))} a second, ${n(seconds)} s`,
    ].join('\n');
  }
}

const n = (count: number): string => Math.round(count).toLocaleString('en');

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([what, count]) => `${n(count)} ${what}`)
    .join(', ');

function addTo(sums: Record<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [what, count] of counts) sums[what] = (sums[what] ?? 0) + count;
}
