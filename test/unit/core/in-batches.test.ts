import { describe, expect, it } from 'vitest';
import { batchesOf, inBatches } from '../../../shared/core/batch/run-batch.ts';

describe('items in batches', () => {
  it.each([
    [[], []],
    [
      [1, 2, 3, 4],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [
      [1, 2, 3, 4, 5],
      [[1, 2], [3, 4], [5]],
    ],
  ])('come each once and in order: %j', (items, batches) => {
    expect(batchesOf<number>(items, 2)).toEqual(batches);
  });

  it('are acted on by ten at once, and by no more', async () => {
    const sizes: number[] = [];
    let running = 0;
    await inBatches(Array.from({ length: 25 }), async () => {
      running += 1;
      sizes.push(running);
      await Promise.resolve();
      running -= 1;
    });
    expect([sizes.length, Math.max(...sizes)]).toEqual([25, 10]);
  });
});
