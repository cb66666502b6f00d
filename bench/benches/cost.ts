import type { Bench, Figure } from '../bench.ts';
import { type Deployed, readDeployed } from '../cost/deployed.ts';
import { type MixWish, measureReceiving, measureWorking } from '../cost/measure-mix.ts';
import { billedMs, type WebhookPrice, webhookPrice } from '../cost/webhook-price.ts';
import type { Lab } from '../lab.ts';
import { spreadOf } from '../report/statistics.ts';

/**
 * The price of a million webhooks, from AWS's prices, the synthesized template, and measured times, calls
 * and bytes.
 */
export const cost: Bench = {
  name: 'cost',
  async run({ lab: open, quick }) {
    const lab = await open();
    const deployed = readDeployed();
    const amount = quick ? { events: 20, waiting: 2 } : { events: 150, waiting: 5 };
    const connector: Priced[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      connector.push(await priceOf(lab, deployed, amount));
    }
    const { median: value, ...spread } = spreadOf(connector.map(({ receiverMs }) => receiverMs));
    return [
      {
        key: 'cost.receiver',
        value,
        spread,
        unit: 'ms billed',
        note: `per webhook, with ${deployed.receiverMb} MB`,
      },
      // Lower bars, 3.2 and 1.8, would need the ledger's writes to go: with the queue they are most of the cost.
      ...figuresOf('batch1', connector, 4.1),
      ...figuresOf('batch10', connector, 2.35),
      ...memoryCurve(deployed, connector),
    ];
  },
};

type Priced = Awaited<ReturnType<typeof priceOf>>;
type Batch = 'batch1' | 'batch10';

async function priceOf(lab: Lab, deployed: Deployed, wish: MixWish) {
  const receiver = await measureReceiving(lab, wish);
  const price = async (perBatch: number) => {
    const use = { receiver, ...(await measureWorking(lab, wish, perBatch)) };
    const workerMs = billedMs(use.worker, deployed.workerMb);
    return { use, workerMs, price: webhookPrice(deployed, use) };
  };
  return {
    receiverMs: billedMs(receiver, deployed.receiverMb),
    batch1: await price(1),
    batch10: await price(deployed.batchSize),
  };
}

/** In MB; below the first, a batch of ten large orders does not fit. */
const MEMORY = [256, 384, 512, 1_024, 1_769];

/** What the worker would cost with other sizes, from the same measured times. */
function memoryCurve(deployed: Deployed, rounds: readonly Priced[]): readonly Figure[] {
  const { use } = middleOf('batch1', rounds);
  return MEMORY.map((mb) => {
    const { worker } = webhookPrice({ ...deployed, workerMb: mb }, use);
    return {
      key: `cost.memory.${mb}`,
      value: worker,
      unit: '$ per million',
      note: "the worker's part with so many MB, in single messages (computed)",
    };
  });
}

function figuresOf(batch: Batch, connector: readonly Priced[], limit: number): readonly Figure[] {
  const own = middleOf(batch, connector);
  const spread = spreadOf(connector.map((one) => one[batch].price.total));
  return [
    {
      key: `cost.${batch}`,
      value: own.price.total,
      spread,
      unit: '$ per million',
      note: itemize(own.price),
      bar: { limit, of: 'value' },
    },
    {
      key: `cost.${batch}.worker`,
      value: own.workerMs,
      unit: 'ms billed',
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
