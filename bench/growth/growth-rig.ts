import type { Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { countRound, sumCalls } from '../measure/count-calls.ts';
import type { RoundMeasure } from '../measure/warm-function.ts';
import { startWarmVariants } from '../measure/warm-variants.ts';
import { spreadOf } from '../report/statistics.ts';
import { webhookEvent } from '../traffic/events.ts';
import { openOrderTraffic } from '../traffic/order-life.ts';
import type { OrderWish } from '../traffic/orders.ts';

type Size = Pick<OrderWish, 'lines' | 'bytes'>;

/** One process of the receiver and one of the worker, given rounds of whatever is to grow. */
export interface GrowthRig {
  readonly perRound: number;
  receive(size: Size): Promise<RoundMeasure>;
  apply(size: Size, perBatch?: number): Promise<RoundMeasure>;
  callsPerEvent(perBatch: number): Promise<number>;
  /** Of the message that such an order becomes. */
  messageBytes(size: Size): Promise<number>;
  /** The middle of several rounds, per event. */
  cpu(key: string, round: () => Promise<RoundMeasure>): Promise<Figure>;
  stop(): Promise<void>;
}

export async function openGrowthRig(
  lab: Lab,
  { rounds, perRound }: { readonly rounds: number; readonly perRound: number },
): Promise<GrowthRig> {
  const only = ['connector'] as const;
  const traffic = await openOrderTraffic(lab, only);
  const receivers = await startWarmVariants(lab, 'receiver', only);
  const workers = await startWarmVariants(lab, 'worker', only);

  async function batches(perBatch: number, size: Size | undefined) {
    const [first = []] = await traffic.live('connector', {
      happenings: ['first'],
      batches: Math.ceil(perRound / perBatch),
      perBatch,
      ...(size && { size }),
    });
    return first;
  }

  return {
    perRound,
    receive: (size) =>
      receivers.round(
        'connector',
        Array.from({ length: perRound }, () =>
          webhookEvent(lab.writeOrder({ id: 77, updatedAt: new Date(), ...size })),
        ),
      ),
    apply: async (size, perBatch = 1) => workers.round('connector', await batches(perBatch, size)),
    async callsPerEvent(perBatch) {
      const events = await batches(perBatch, undefined);
      const { calls } = await countRound(lab, workers, 'connector', events);
      return sumCalls(calls).aws / (events.length * perBatch);
    },
    async messageBytes(size) {
      const [batch] = await batches(1, size);
      return Buffer.byteLength(batch?.Records[0]?.body ?? '');
    },
    async cpu(key, round) {
      await round();
      const samples: number[] = [];
      for (let count = 0; count < rounds; count += 1) {
        samples.push((await round()).cpuMs / perRound);
      }
      const { median: value, ...spread } = spreadOf(samples);
      return { key, value, spread, unit: 'ms CPU' };
    },
    async stop() {
      await receivers.stop();
      await workers.stop();
      await traffic.stop();
    },
  };
}
