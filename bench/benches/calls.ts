import type { Bench, Figure } from '../bench.ts';
import type { Lab } from '../lab.ts';
import { countRound, recordsIn, sumCalls } from '../measure/count-calls.ts';
import { startWarmVariants } from '../measure/warm-function.ts';
import { webhookEvent } from '../traffic/events.ts';
import { openOrderTraffic } from '../traffic/order-life.ts';
import { SIZES } from '../traffic/orders.ts';
import { VARIANTS, type Variant } from '../variants/build-variants.ts';

type PerVariant<T> = Record<Variant, T>;
type Sums = ReturnType<typeof sumCalls>;

const HAPPENINGS = ['first', 'changed', 'unchanged'] as const;

/** Calls to AWS and to the loyalty service, counted by the endpoints. */
export const calls: Bench = {
  name: 'calls',
  async run({ lab: open }) {
    const lab = await open();
    return [...(await countReceiving(lab)), ...(await countApplying(lab))];
  },
};

async function countReceiving(lab: Lab): Promise<readonly Figure[]> {
  const webhooks = 20;
  const receivers = await startWarmVariants(lab, 'receiver');
  const perWebhook = {} as PerVariant<number>;
  try {
    const event = () =>
      webhookEvent(lab.writeOrder({ id: 7, updatedAt: new Date(), ...SIZES['8k'] }));
    for (const variant of VARIANTS) {
      // The first event reads the secret.
      await receivers.round(variant, [event()]);
      const round = await countRound(
        lab,
        receivers,
        variant,
        Array.from({ length: webhooks }, event),
      );
      perWebhook[variant] = sumCalls(round.calls).aws / webhooks;
    }
  } finally {
    await receivers.stop();
  }
  return [
    {
      key: 'calls.receive',
      value: perWebhook.connector,
      unit: 'AWS calls',
      peer: perWebhook.peer,
      floor: perWebhook.floor,
      note: `per webhook, ${webhooks} of them, the secret known`,
      bar: { kind: 'exactly', limit: 1, of: 'value' },
    },
  ];
}

async function countApplying(lab: Lab): Promise<readonly Figure[]> {
  const wish = { happenings: HAPPENINGS, batches: 1, perBatch: 10 };
  const traffic = await openOrderTraffic(lab);
  const workers = await startWarmVariants(lab, 'worker');
  const counted = HAPPENINGS.map(() => ({}) as PerVariant<Sums>);
  try {
    for (const variant of VARIANTS) {
      const [warmUp = []] = await traffic.live(variant, { ...wish, happenings: ['first'] });
      await workers.round(variant, warmUp);
      const life = await traffic.live(variant, wish);
      for (const [index, batches] of life.entries()) {
        const { calls } = await countRound(lab, workers, variant, batches);
        const sums = Object.entries(sumCalls(calls));
        const perEvent = sums.map(([name, sum]) => [name, sum / recordsIn(batches)]);
        (counted[index] as PerVariant<Sums>)[variant] = Object.fromEntries(perEvent);
      }
    }
  } finally {
    await workers.stop();
    await traffic.stop();
  }
  return HAPPENINGS.flatMap((happening, index) => {
    const { connector, peer, floor } = counted[index] as PerVariant<Sums>;
    const key = happening === 'first' ? 'calls.apply' : `calls.apply.${happening}`;
    const isSent = happening !== 'unchanged';
    const apart = `${connector.reads} read + ${connector.writes} write${isSent ? 's' : ''}`;
    return [
      {
        key,
        value: connector.aws,
        unit: 'AWS calls',
        peer: peer.aws,
        floor: floor.aws,
        note: `per ${NAMES[happening]} in a batch of 10: ${apart}`,
        bar: { kind: 'exactly', limit: isSent ? 2.1 : 1.1, of: 'value' },
      } satisfies Figure,
      {
        key: `${key}.loyalty`,
        value: connector.loyalty,
        unit: 'loyalty calls',
        peer: peer.loyalty,
        floor: floor.loyalty,
        note: `per ${NAMES[happening]}`,
        bar: { kind: 'exactly', limit: isSent ? 1 : 0, of: 'value' },
      } satisfies Figure,
    ];
  });
}

const NAMES = {
  first: 'first send',
  changed: 'change',
  unchanged: 'event that changes nothing',
} as const;
