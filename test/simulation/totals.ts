import type { SeedReport } from './run-seeds.ts';

/** Counts over many seeds, and says them. */
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
