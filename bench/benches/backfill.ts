import type { Bench, Figure } from '../bench.ts';
import { type FeedMeasure, measureBackfill } from './backfill/measure.ts';

/**
 * The speed, memory, calls and query cost points of a backfill. Without workers, which other benches measure, and
 * without the store's rate limit: the pace of a real backfill is a setting and the store's plan.
 */
export const backfill: Bench = {
  name: 'backfill',
  async run({ quick }) {
    const [few, many] = quick ? [100, 500] : [1_000, 5_000];
    return figuresOf(await measureBackfill(few), await measureBackfill(many));
  },
};

function figuresOf(small: FeedMeasure, large: FeedMeasure): readonly Figure[] {
  const { sent, seconds, heapBytes, points, calls } = large;
  const note = `${sent} orders`;
  return [
    { key: 'backfill.rate', value: sent / seconds, unit: 'orders/s', note },
    {
      key: 'backfill.memory',
      value: heapBytes / small.heapBytes,
      unit: '×',
      note: `heap after ${sent} orders to that after ${small.sent}`,
      bar: { kind: 'at-most', limit: 1.2, of: 'value' },
    },
    { key: 'backfill.store-points', value: points / sent, unit: 'points/order', note },
    { key: 'backfill.store-calls', value: calls.store / sent, unit: 'calls/order', note },
    { key: 'backfill.queue-calls', value: calls.queue / sent, unit: 'calls/order', note },
    { key: 'backfill.ledger-calls', value: calls.ledger / sent, unit: 'calls/order', note },
  ];
}
