import type { Lab } from '../lab.ts';
import { measureCold } from '../measure/measure-cold.ts';
import { startWarmVariants, type WarmVariants } from '../measure/warm-function.ts';
import { spreadOf } from '../report/statistics.ts';
import { webhookEvent } from '../traffic/events.ts';
import { openOrderTraffic } from '../traffic/order-life.ts';
import { SIZES } from '../traffic/orders.ts';
import { COLD_PER_INVOCATION, type FunctionTime, WAITS, type WebhookUse } from './webhook-price.ts';

/** The mix of a million webhooks. */
const MIX = { first: 0.4, changed: 0.3, unchanged: 0.3 } as const;
const HAPPENINGS = ['first', 'changed', 'unchanged'] as const;

export interface MixWish {
  /** Events of each kind, to measure computing time. */
  readonly events: number;
  /** Events of each kind, to measure waiting time. */
  readonly waiting: number;
}

/** What receiving a webhook takes. */
export async function measureReceiving(lab: Lab, wish: MixWish): Promise<FunctionTime> {
  const { events, waiting } = wish;
  const receivers = await startWarmVariants(lab, 'receiver', ['connector']);
  const webhooks = (count: number) =>
    Array.from({ length: count }, () =>
      webhookEvent(lab.writeOrder({ id: 900, updatedAt: new Date(), ...SIZES['8k'] })),
    );
  try {
    await receivers.round('connector', webhooks(events));
    const { cpuMs } = await receivers.round('connector', webhooks(events));
    const waits = await waitsOf(lab, receivers, webhooks(waiting));
    const cold = await coldShare(lab, lab.bundles.fileOf('connector', 'receiver'), webhooks(1)[0]);
    return { waitMs: spreadOf(waits).median + cold, cpuMs: cpuMs / events };
  } finally {
    await receivers.stop();
  }
}

/** The average use of one event of the mix, in batches of this size. */
export async function measureWorking(
  lab: Lab,
  wish: MixWish,
  perBatch: number,
): Promise<Omit<WebhookUse, 'receiver'>> {
  const { events, waiting } = wish;
  const traffic = await openOrderTraffic(lab, ['connector']);
  const workers = await startWarmVariants(lab, 'worker', ['connector']);
  const many = { happenings: HAPPENINGS, batches: Math.ceil(events / perBatch), perBatch };
  const few = { ...many, batches: Math.ceil(waiting / perBatch) };
  const count = many.batches * perBatch;
  try {
    for (const warmUp of await traffic.live('connector', many))
      await workers.round('connector', warmUp);
    const computed = await traffic.live('connector', many);
    const waited = await traffic.live('connector', few);
    const mix = { waitMs: 0, cpuMs: 0, read: 0, write: 0 };
    for (const [index, happening] of HAPPENINGS.entries()) {
      await lab.endpoints.ask();
      const { cpuMs } = await workers.round('connector', computed[index] ?? []);
      const { units } = await lab.endpoints.ask();
      const waits = await waitsOf(lab, workers, waited[index] ?? []);
      mix.waitMs += (MIX[happening] * spreadOf(waits).median) / perBatch;
      mix.cpuMs += (MIX[happening] * cpuMs) / count;
      mix.read += (MIX[happening] * units.read) / count;
      mix.write += (MIX[happening] * units.write) / count;
    }
    const [first = []] = await traffic.live('connector', {
      ...few,
      happenings: ['first'],
      batches: 1,
    });
    const cold = await coldShare(lab, lab.bundles.fileOf('connector', 'worker'), first[0]);
    return {
      worker: { waitMs: mix.waitMs + cold / perBatch, cpuMs: mix.cpuMs },
      messageBytes: Buffer.byteLength(first[0]?.Records[0]?.body ?? ''),
      units: { read: mix.read, write: mix.write },
      perBatch,
    };
  } finally {
    await workers.stop();
    await traffic.stop();
  }
}

/** How long each invocation waits for slow answers. */
async function waitsOf(
  { endpoints }: Lab,
  processes: WarmVariants,
  invocations: readonly unknown[],
): Promise<readonly number[]> {
  await endpoints.ask({ waitMs: WAITS });
  const waits: number[] = [];
  for (const invocation of invocations) {
    const { wallMs, cpuMs } = await processes.round('connector', [invocation]);
    waits.push(wallMs - cpuMs);
  }
  await endpoints.ask({ waitMs: {} });
  return waits;
}

/** Lambda gives initialization a whole CPU at any memory size: it is billed like waiting. */
async function coldShare(lab: Lab, bundle: string, event: unknown): Promise<number> {
  // Measured once, because its share of the price is below a thousandth.
  const { importMs } = await measureCold(bundle, event, lab.environment);
  return COLD_PER_INVOCATION * importMs;
}
