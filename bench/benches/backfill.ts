import type { Bench, Figure } from '../bench.ts';
import { type FeedMeasure, measureBackfill } from './backfill/measure.ts';

/**
 * The speed, memory and calls of a backfill. Without workers, which other benches measure; the pace of a
 * real backfill is a setting.
 */
export const backfill: Bench = {
  name: 'backfill',
  async run({ quick }) {
    const [few, many] = quick ? [300, 1_500] : [10_000, 100_000];
    const small = quick ? await measureBackfill(few) : await middleOfThree(few);
    const large = await measureBackfill(many);
    return figuresOf(small, large, quick);
  },
};

/** The peak of a short run depends on garbage collection, so one run alone says little. */
async function middleOfThree(orders: number): Promise<FeedMeasure> {
  const first = await measureBackfill(orders);
  const others = [await measureBackfill(orders), await measureBackfill(orders)];
  const byPeak = [first, ...others].sort((one, other) => one.peakBytes - other.peakBytes);
  return byPeak[1] ?? first;
}

function figuresOf(small: FeedMeasure, large: FeedMeasure, quick: boolean): readonly Figure[] {
  const { sent, seconds, peakBytes, fileBytes, calls } = large;
  const note = `${sent} orders, a file of ${Math.round(fileBytes / 1e6)} MB`;
  return [
    { key: 'backfill.rate', value: sent / seconds, unit: 'orders/s', note },
    {
      key: 'backfill.memory',
      value: peakBytes / small.peakBytes,
      unit: '×',
      note: `peak at ${sent} orders to that at ${small.sent}${quick ? '' : ' (middle of three)'}`,
      bar: { kind: 'at-most', limit: 1.2, of: 'value' },
    },
    { key: 'backfill.peak', value: peakBytes / 1e6, unit: 'MB', note },
    { key: 'backfill.store-calls', value: calls.store / sent, unit: 'calls/order', note },
    { key: 'backfill.queue-calls', value: calls.queue / sent, unit: 'calls/order', note },
    { key: 'backfill.ledger-calls', value: calls.ledger / sent, unit: 'calls/order', note },
  ];
}
