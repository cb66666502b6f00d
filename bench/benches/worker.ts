import type { Bench, BenchSettings, Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { countRound, sumCalls } from '../measure/count-calls.ts';
import { measureAlternately } from '../measure/measure-alternately.ts';
import { measureCold } from '../measure/measure-cold.ts';
import { measureInLambda } from '../measure/measure-in-lambda.ts';
import { startWarmVariants, type WarmVariants } from '../measure/warm-function.ts';
import { compare, ratiosOf, spreadOf } from '../report/statistics.ts';
import { type OrderTraffic, openOrderTraffic } from '../traffic/order-life.ts';
import type { Variant } from '../variants/build-variants.ts';

/** The time to process an order from the queue to the loyalty service, with and without a change. */
export const worker: Bench = {
  name: 'worker',
  async run(settings) {
    const lab = await settings.lab();
    const traffic = await openOrderTraffic(lab);
    const workers = await startWarmVariants(lab, 'worker');
    try {
      return [
        ...(await cold(lab, traffic, settings)),
        ...(await warm(workers, traffic, settings, 1, 'worker.cpu')),
        ...(await warm(workers, traffic, settings, 10, 'worker.cpu.batch10')),
        ...(await unchanged(lab, workers, traffic, settings, 1)),
        ...(await unchanged(lab, workers, traffic, settings, 10)),
        {
          key: 'worker.bundle',
          value: lab.bundles.gzipBytes('connector', 'worker') / 1024,
          unit: 'KB gzip',
          peer: lab.bundles.gzipBytes('peer', 'worker') / 1024,
          floor: lab.bundles.gzipBytes('floor', 'worker') / 1024,
          note: 'what a cold start loads',
          bar: { kind: 'at-most', limit: 48, of: 'value' },
        },
      ];
    } finally {
      await workers.stop();
      await traffic.stop();
    }
  },
};

async function cold(
  { bundles, environment, tlsEnvironment }: Lab,
  traffic: OrderTraffic,
  { quick }: BenchSettings,
): Promise<readonly Figure[]> {
  const runs = quick ? 3 : 25;
  const firstOrder = async (variant: Variant) => {
    const [first] = await traffic.live(variant, { happenings: ['first'], batches: 1, perBatch: 1 });
    return first?.[0];
  };
  const samples = await measureAlternately(runs, async (variant) =>
    measureCold(bundles.fileOf(variant, 'worker'), await firstOrder(variant), environment),
  );
  const part = { unit: 'ms', note: `${runs} fresh processes each, an order of 8 KiB` };
  return [
    compare(
      { key: 'worker.cold', ...part, bar: { kind: 'at-most', limit: 1.7, of: 'ratio' } },
      samples,
      ({ importMs, firstMs }) => importMs + firstMs,
    ),
    compare({ key: 'worker.cold.import', ...part }, samples, ({ importMs }) => importMs),
    compare({ key: 'worker.cold.cpu', ...part }, samples, ({ cpuMs }) => cpuMs),
    compare(
      { key: 'worker.cold.lambda', ...part },
      await measureAlternately(runs, async (variant) =>
        measureInLambda(
          bundles.fileOf(variant, 'worker'),
          await firstOrder(variant),
          tlsEnvironment,
        ),
      ),
      ({ wallMs }) => wallMs,
    ),
  ];
}

async function warm(
  workers: WarmVariants,
  traffic: OrderTraffic,
  { quick }: BenchSettings,
  perBatch: number,
  key: string,
): Promise<readonly Figure[]> {
  const [rounds, orders] = quick ? [4, 20] : [15, 60];
  const wish = { happenings: ['first'], batches: orders / perBatch, perBatch } as const;
  const round = async (variant: Variant) => {
    const [first = []] = await traffic.live(variant, wish);
    return workers.round(variant, first);
  };
  await measureAlternately(quick ? 1 : 3, round);
  const samples = await measureAlternately(rounds, round);
  const note = `${rounds} rounds of ${orders} orders of 8 KiB, applied in batches of ${perBatch}`;
  return [
    compare(
      {
        key,
        unit: 'ms CPU',
        note,
        bar: { kind: 'at-most', limit: perBatch === 1 ? 1.9 : 1.4, of: 'ratio' },
      },
      samples,
      ({ cpuMs }) => cpuMs / orders,
    ),
  ];
}

/** In the same rounds: new orders, changed orders, and orders with only a later date. */
async function unchanged(
  lab: Lab,
  workers: WarmVariants,
  traffic: OrderTraffic,
  { quick }: BenchSettings,
  perBatch: number,
): Promise<readonly Figure[]> {
  const [rounds, orders] = quick ? [4, 20] : [15, 60];
  const cpu = { first: [] as number[], changed: [] as number[], unchanged: [] as number[] };
  const happenings = ['first', 'changed', 'unchanged'] as const;
  const wish = { happenings, batches: orders / perBatch, perBatch };
  let loyaltyCalls = 0;
  for (let round = 0; round < rounds; round += 1) {
    const life = await traffic.live('connector', wish);
    for (const [index, happening] of happenings.entries()) {
      const counted = await countRound(lab, workers, 'connector', life[index] ?? []);
      cpu[happening].push(counted.cpuMs / orders);
      if (happening === 'unchanged') loyaltyCalls += sumCalls(counted.calls).loyalty;
    }
  }
  const key = perBatch === 1 ? 'worker.unchanged' : `worker.unchanged.batch${perBatch}`;
  const note = `CPU, ${rounds} rounds of ${orders} in batches of ${perBatch}`;
  const toChanged = spreadOf(ratiosOf(cpu.unchanged, cpu.changed));
  const toFirst = spreadOf(ratiosOf(cpu.unchanged, cpu.first));
  return [
    {
      key,
      value: toChanged.median,
      spread: toChanged,
      unit: '× a change',
      note: `an event that changes nothing to one that does, ${note}`,
      bar: { kind: 'at-most', limit: perBatch === 1 ? 0.65 : 0.55, of: 'value' },
    },
    {
      key: `${key}.first`,
      value: toFirst.median,
      spread: toFirst,
      unit: '× a first send',
      note,
    },
    {
      key: `${key}.calls`,
      value: loyaltyCalls,
      unit: 'loyalty calls',
      note: `of ${rounds * orders} events that change nothing`,
      bar: { kind: 'exactly', limit: 0, of: 'value' },
    },
  ];
}
