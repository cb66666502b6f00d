import type { Bench, BenchSettings, Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { measureAlternately } from '../measure/measure-alternately.ts';
import { measureCold } from '../measure/measure-cold.ts';
import { measureInLambda } from '../measure/measure-in-lambda.ts';
import { startWarmVariants } from '../measure/warm-function.ts';
import { compare } from '../report/statistics.ts';
import { webhookEvent } from '../traffic/events.ts';
import { SIZES } from '../traffic/orders.ts';

/** The time to receive and enqueue a webhook, cold and warm, and the size of the bundle. */
export const receiver: Bench = {
  name: 'receiver',
  async run(settings) {
    const lab = await settings.lab();
    return [
      ...(await cold(lab, settings)),
      await warm(lab, settings, '8k', 'receiver.cpu'),
      await warm(lab, settings, '64k', 'receiver.cpu.64k'),
      {
        key: 'receiver.bundle',
        value: lab.bundles.gzipBytes('connector', 'receiver') / 1024,
        unit: 'KB gzip',
        peer: lab.bundles.gzipBytes('peer', 'receiver') / 1024,
        floor: lab.bundles.gzipBytes('floor', 'receiver') / 1024,
        note: 'what a cold start loads',
        bar: { kind: 'at-most', limit: 20, of: 'value' },
      },
    ];
  },
};

async function cold(lab: Lab, { quick }: BenchSettings): Promise<readonly Figure[]> {
  const { bundles, environment, tlsEnvironment, writeOrder } = lab;
  const body = writeOrder({ id: 5_512_345_678_901, updatedAt: new Date(), ...SIZES['8k'] });
  const runs = quick ? 5 : 25;
  const samples = await measureAlternately(runs, (variant) =>
    measureCold(bundles.fileOf(variant, 'receiver'), webhookEvent(body), environment),
  );
  const note = `${runs} fresh processes each, a webhook of 8 KiB`;
  const part = { unit: 'ms', note };
  return [
    compare(
      {
        key: 'receiver.cold',
        ...part,
        bar: { kind: 'at-most', limit: 1.3, of: 'ratio' },
      },
      samples,
      ({ importMs, firstMs }) => importMs + firstMs,
    ),
    compare({ key: 'receiver.cold.import', ...part }, samples, ({ importMs }) => importMs),
    compare({ key: 'receiver.cold.cpu', ...part }, samples, ({ cpuMs }) => cpuMs),
    compare(
      { key: 'receiver.cold.lambda', ...part },
      await measureAlternately(runs, (variant) =>
        measureInLambda(bundles.fileOf(variant, 'receiver'), webhookEvent(body), tlsEnvironment),
      ),
      ({ wallMs }) => wallMs,
    ),
  ];
}

async function warm(
  lab: Lab,
  { quick }: BenchSettings,
  size: keyof typeof SIZES,
  key: string,
): Promise<Figure> {
  const [rounds, perRound] = quick ? [5, 40] : [15, 100];
  const processes = await startWarmVariants(lab, 'receiver');
  const events = () =>
    Array.from({ length: perRound }, (_, index) =>
      webhookEvent(lab.writeOrder({ id: 10_000 + index, updatedAt: new Date(), ...SIZES[size] })),
    );
  try {
    // The first rounds compile the code, which belongs to the cold start.
    await measureAlternately(quick ? 1 : 3, (variant) => processes.round(variant, events()));
    const samples = await measureAlternately(rounds, (variant) =>
      processes.round(variant, events()),
    );
    return compare(
      {
        key,
        unit: 'ms CPU',
        note: `${rounds} rounds of ${perRound} webhooks of ${SIZES[size].bytes / 1024} KiB`,
        bar: { kind: 'at-most', limit: 1.3, of: 'ratio' },
      },
      samples,
      ({ cpuMs }) => cpuMs / perRound,
    );
  } finally {
    await processes.stop();
  }
}
