import type { Bench, BenchSettings, Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { compareBundles, compareColdStarts, compareWarm } from '../measure/compare-variants.ts';
import { startWarmVariants } from '../measure/warm-function.ts';
import { webhookEvent } from '../traffic/events.ts';
import { SIZES } from '../traffic/orders.ts';

/** The time to receive and enqueue a webhook, cold and warm, and the size of the bundle. */
export const receiver: Bench = {
  name: 'receiver',
  async run(settings) {
    const lab = await settings.lab();
    const order = { id: 5_512_345_678_901, updatedAt: new Date(), ...SIZES['8k'] };
    const body = lab.writeOrder(order);
    return [
      ...(await compareColdStarts(lab, 'receiver', {
        runs: settings.quick ? 5 : 25,
        limit: 1.3,
        event: 'a webhook of 8 KiB',
        eventOf: () => webhookEvent(body),
      })),
      await warm(lab, settings, '8k', 'receiver.cpu'),
      await warm(lab, settings, '64k', 'receiver.cpu.64k'),
      compareBundles(lab, 'receiver', 20),
    ];
  },
};

async function warm(
  lab: Lab,
  { quick }: BenchSettings,
  size: keyof typeof SIZES,
  key: string,
): Promise<Figure> {
  const [rounds, perRound] = quick ? [5, 40] : [15, 100];
  const processes = await startWarmVariants(lab, 'receiver');
  const writeEvent = (index: number) =>
    webhookEvent(lab.writeOrder({ id: 10_000 + index, updatedAt: new Date(), ...SIZES[size] }));
  try {
    return await compareWarm(processes, {
      ...{ key, quick, rounds, perRound, limit: 1.3 },
      note: `${rounds} rounds of ${perRound} webhooks of ${SIZES[size].bytes / 1024} KiB`,
      eventsOf: () => Array.from({ length: perRound }, (_, index) => writeEvent(index)),
    });
  } finally {
    await processes.stop();
  }
}
