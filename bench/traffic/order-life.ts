import type { SQSEvent } from 'aws-lambda';
import type { SentMessage } from '../endpoints/aws-answers.ts';
import type { Lab } from '../lab.ts';
import { startWarmVariants } from '../measure/warm-function.ts';
import type { Variant } from '../variants/build-variants.ts';
import { batchEvent, webhookEvent } from './events.ts';
import { SIZES } from './orders.ts';

type Happening = 'first' | 'changed' | 'unchanged';

export interface OrderTraffic {
  /**
   * New orders in batches, as the receiver of this variant enqueues them. Returns the batches of each
   * step of their life, in order.
   */
  live(variant: Variant, wish: LifeWish): Promise<readonly (readonly SQSEvent[])[]>;
  stop(): Promise<void>;
}

interface LifeWish {
  readonly happenings: readonly Happening[];
  readonly batches: number;
  readonly perBatch: number;
}

/** The first event is an hour old, so that ten can follow, one per minute. */
const FIRST_SECONDS_AGO = 3_600;

export async function openOrderTraffic(
  lab: Lab,
  variants?: readonly Variant[],
): Promise<OrderTraffic> {
  const receivers = await startWarmVariants(lab, 'receiver', variants);

  async function enqueue(variant: Variant, bodies: readonly string[]) {
    await lab.endpoints.ask();
    await receivers.round(
      variant,
      bodies.map((body) => webhookEvent(body)),
    );
    const { sent } = await lab.endpoints.ask();
    if (sent.length !== bodies.length) throw new Error(`${variant} lost a webhook`);
    return sent;
  }

  return {
    async live(variant, { happenings, batches, perBatch }) {
      const ids = Array.from({ length: batches * perBatch }, () => lab.nextOrderId());
      const start = Date.now() - FIRST_SECONDS_AGO * 1000;
      const life: (readonly SQSEvent[])[] = [];
      let changes = 0;
      for (const [minute, happening] of happenings.entries()) {
        if (happening === 'changed') changes += 1;
        const subtotal = `${10 + changes}.50`;
        const updatedAt = new Date(start + minute * 60_000);
        const bodies = ids.map((id) => lab.writeOrder({ id, updatedAt, subtotal, ...SIZES['8k'] }));
        life.push(inBatches(await enqueue(variant, bodies), perBatch));
      }
      return life;
    },
    stop: () => receivers.stop(),
  };
}

function inBatches(messages: readonly SentMessage[], size: number): readonly SQSEvent[] {
  return Array.from({ length: messages.length / size }, (_, index) =>
    batchEvent(messages.slice(index * size, (index + 1) * size)),
  );
}
