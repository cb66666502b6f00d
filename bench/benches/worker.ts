import type { Bench, BenchSettings, Figure } from '../bench.ts';
import { compareBundles, compareColdStarts, compareWarm } from '../measure/compare-variants.ts';
import { startWarmVariants, type WarmVariants } from '../measure/warm-function.ts';
import { ratiosOf, spreadOf } from '../report/statistics.ts';
import { type OrderTraffic, openOrderTraffic } from '../traffic/order-life.ts';

/** The time to process an order from the queue to the loyalty service, with and without a change. */
export const worker: Bench = {
  name: 'worker',
  async run(settings) {
    const lab = await settings.lab();
    const traffic = await openOrderTraffic(lab);
    const workers = await startWarmVariants(lab, 'worker');
    const one = { happenings: ['first'], batches: 1, perBatch: 1 } as const;
    try {
      return [
        ...(await compareColdStarts(lab, 'worker', {
          runs: settings.quick ? 3 : 25,
          limit: 1.95,
          event: 'an order of 8 KiB',
          eventOf: async (variant) => (await traffic.live(variant, one))[0]?.[0],
        })),
        await warm(workers, traffic, settings, 1, 'worker.cpu'),
        await warm(workers, traffic, settings, 10, 'worker.cpu.batch10'),
        await unchanged(workers, traffic, settings, 1),
        await unchanged(workers, traffic, settings, 10),
        compareBundles(lab, 'worker', 52),
      ];
    } finally {
      await workers.stop();
      await traffic.stop();
    }
  },
};

function warm(
  workers: WarmVariants,
  traffic: OrderTraffic,
  { quick }: BenchSettings,
  perBatch: number,
  key: string,
): Promise<Figure> {
  const [rounds, perRound] = quick ? [4, 20] : [15, 60];
  const wish = { happenings: ['first'], batches: perRound / perBatch, perBatch } as const;
  return compareWarm(workers, {
    ...{ key, quick, rounds, perRound, limit: perBatch === 1 ? 2.1 : 1.7 },
    note: `${rounds} rounds of ${perRound} orders of 8 KiB, applied in batches of ${perBatch}`,
    eventsOf: async (variant) => (await traffic.live(variant, wish))[0],
  });
}

/** In the same rounds: new orders, changed orders, and orders with only a later date. */
async function unchanged(
  workers: WarmVariants,
  traffic: OrderTraffic,
  { quick }: BenchSettings,
  perBatch: number,
): Promise<Figure> {
  const [rounds, orders] = quick ? [4, 20] : [15, 60];
  const cpu = { first: [] as number[], changed: [] as number[], unchanged: [] as number[] };
  const happenings = ['first', 'changed', 'unchanged'] as const;
  const wish = { happenings, batches: orders / perBatch, perBatch };
  for (let round = 0; round < rounds; round += 1) {
    const life = await traffic.live('connector', wish);
    for (const [index, happening] of happenings.entries()) {
      const { cpuMs } = await workers.round('connector', life[index] ?? []);
      cpu[happening].push(cpuMs / orders);
    }
  }
  const key = perBatch === 1 ? 'worker.unchanged' : `worker.unchanged.batch${perBatch}`;
  const note = `CPU, ${rounds} rounds of ${orders} in batches of ${perBatch}`;
  const toChanged = spreadOf(ratiosOf(cpu.unchanged, cpu.changed));
  return {
    key,
    value: toChanged.median,
    spread: toChanged,
    unit: '× a change',
    note: `an event that changes nothing to one that does, ${note}`,
    bar: { limit: perBatch === 1 ? 0.65 : 0.55, of: 'value' },
  };
}
