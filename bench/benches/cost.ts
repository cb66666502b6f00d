import { synthesizeStack } from '../../test/support/synthesized-stack.ts';
import type { Bench, Figure } from '../bench.ts';
import { readDeployed } from '../cost/deployed.ts';
import { type MixWish, measureReceiving, measureWorking } from '../cost/measure-mix.ts';
import { type WebhookPrice, webhookPrice } from '../cost/webhook-price.ts';
import type { Lab } from '../lab.ts';

/**
 * What a million webhooks cost, from the prices of AWS, the synthesized template, and times, calls and
 * bytes measured here. The peer has the same memory, behind the HTTP API that its libraries' pages show.
 */
export const cost: Bench = {
  name: 'cost',
  async run({ lab: open, quick }) {
    const lab = await open();
    const deployed = readDeployed(synthesizeStack().toJSON() as never);
    const amount = quick ? { events: 20, waiting: 2 } : { events: 150, waiting: 10 };
    const connector = await priceOf(lab, { variant: 'connector', deployed, ...amount });
    const behindApi = { ...deployed, httpApi: true };
    const peer = await priceOf(lab, { variant: 'peer', deployed: behindApi, ...amount });
    return [
      {
        key: 'cost.receiver',
        value: connector.receiverMs,
        unit: 'ms billed',
        peer: peer.receiverMs,
        note: `per webhook, with ${deployed.receiverMb} MB`,
      },
      ...figuresOf('batch1', connector, peer, 3.8),
      ...figuresOf('batch10', connector, peer, 2.6),
    ];
  },
};

type Priced = Awaited<ReturnType<typeof priceOf>>;

async function priceOf(lab: Lab, wish: MixWish) {
  const { deployed } = wish;
  const receiverMs = await measureReceiving(lab, wish);
  const price = async (perBatch: number) => {
    const use = { receiverMs, ...(await measureWorking(lab, wish, perBatch)) };
    return { workerMs: use.workerMs, price: webhookPrice(deployed, use) };
  };
  return { receiverMs, batch1: await price(1), batch10: await price(deployed.batchSize) };
}

function figuresOf(
  batch: 'batch1' | 'batch10',
  { [batch]: connector }: Priced,
  { [batch]: peer }: Priced,
  limit: number,
): readonly Figure[] {
  return [
    {
      key: `cost.${batch}`,
      value: connector.price.total,
      unit: '$ per million',
      peer: peer.price.total,
      note: `${itemize(connector.price)}; the peer: ${itemize(peer.price)}`,
      bar: { kind: 'at-most', limit, of: 'value' },
    },
    {
      key: `cost.${batch}.worker`,
      value: connector.workerMs,
      unit: 'ms billed',
      peer: peer.workerMs,
      note: 'per event of the mix',
    },
  ];
}

function itemize({ total: _, ...parts }: WebhookPrice): string {
  return Object.entries(parts)
    .flatMap(([name, dollars]) => (dollars > 0 ? [`${name} ${dollars.toFixed(2)}`] : []))
    .join(', ');
}
