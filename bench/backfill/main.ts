// How fast a backfill feeds the queue, in how much memory, with how many calls: npm run bench:backfill
import { type FeedMeasure, measureBackfill } from './measure.ts';

const SMALL = 10_000;
const LARGE = Number(process.argv[2] ?? 100_000);
/** Flat: ten times the orders may not need more than this many times the memory. */
const MOST_GROWTH = 1.2;

function figures({ sent, seconds, peakBytes, fileBytes, calls }: FeedMeasure) {
  const perOrder = (count: number) => Number((count / sent).toFixed(4));
  return {
    orders: sent,
    fileMegabytes: Math.round(fileBytes / 1e6),
    ordersPerSecond: Math.round(sent / seconds),
    peakMegabytes: Math.round(peakBytes / 1e6),
    callsPerOrder: {
      store: perOrder(calls.store),
      queue: perOrder(calls.queue),
      ledger: perOrder(calls.ledger),
    },
  };
}

const small = await measureBackfill(SMALL);
const large = await measureBackfill(LARGE);
const growth = large.peakBytes / small.peakBytes;
console.log(
  JSON.stringify(
    {
      'backfill.rate': Math.round(large.sent / large.seconds),
      'backfill.memory': Number(growth.toFixed(3)),
      small: figures(small),
      large: figures(large),
    },
    null,
    2,
  ),
);
if (growth > MOST_GROWTH) {
  console.error(`The memory grew ${growth.toFixed(2)} times; at most ${MOST_GROWTH} is flat.`);
  process.exitCode = 1;
}
