import type { Bench, Figure } from '../bench.ts';
import { readDeployed } from '../cost/deployed.ts';
import { type MixWish, measureReceiving, measureWorking } from '../cost/measure-mix.ts';
import { type WebhookPrice, webhookPrice } from '../cost/webhook-price.ts';
import type { Lab } from '../lab.ts';
import { spreadOf } from '../report/statistics.ts';

/**
 * The price of a million webhooks, from AWS's prices, the synthesized template, and measured times, calls
 * and bytes. The peer has the same memory, behind an HTTP API as in the documentation of its libraries.
 */
export const cost: Bench = {
  name: 'cost',
  async run({ lab: open, quick }) {
    const lab = await open();
    const deployed = readDeployed();
    const behindApi = { ...deployed, httpApi: true };
    const amount = quick ? { events: 20, waiting: 2 } : { events: 150, waiting: 5 };
    const connector: Priced[] = [];
    const peer: Priced[] = [];
    const turns = [
      async () => connector.push(await priceOf(lab, { variant: 'connector', deployed, ...amount })),
      async () =>
        peer.push(await priceOf(lab, { variant: 'peer', deployed: behindApi, ...amount })),
    ];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      // The order alternates, so that other load on the machine does not always affect the same one.
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
    const { median: value, ...spread } = spreadOf(connector.map(({ receiverMs }) => receiverMs));
    return [
      {
        key: 'cost.receiver',
        value,
        spread,
        unit: 'ms billed',
        peer: spreadOf(peer.map(({ receiverMs }) => receiverMs)).median,
        note: `per webhook, with ${deployed.receiverMb} MB`,
      },
      ...figuresOf('batch1', connector, peer, 3.2),
      ...figuresOf('batch10', connector, peer, 1.8),
    ];
  },
};

type Priced = Awaited<ReturnType<typeof priceOf>>;
type Batch = 'batch1' | 'batch10';

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
  batch: Batch,
  connector: readonly Priced[],
  peer: readonly Priced[],
  limit: number,
): readonly Figure[] {
  const own = middleOf(batch, connector);
  const other = middleOf(batch, peer);
  const spread = spreadOf(connector.map((one) => one[batch].price.total));
  return [
    {
      key: `cost.${batch}`,
      value: own.price.total,
      spread,
      unit: '$ per million',
      peer: other.price.total,
      note: `${itemize(own.price)}; the peer: ${itemize(other.price)}`,
      bar: { kind: 'at-most', limit, of: 'value' },
    },
    {
      key: `cost.${batch}.worker`,
      value: own.workerMs,
      unit: 'ms billed',
      peer: other.workerMs,
      note: 'per event of the mix',
    },
  ];
}

/** The round with the median price, so that its parts add up. */
function middleOf(batch: Batch, rounds: readonly Priced[]): Priced[Batch] {
  const byPrice = rounds
    .map((one) => one[batch])
    .sort((one, other) => one.price.total - other.price.total);
  const middle = byPrice[Math.floor(byPrice.length / 2)];
  if (!middle) throw new Error('nothing was measured');
  return middle;
}

function itemize({ total: _, ...parts }: WebhookPrice): string {
  return Object.entries(parts)
    .flatMap(([name, dollars]) => (dollars > 0 ? [`${name} ${dollars.toFixed(2)}`] : []))
    .join(', ');
}
