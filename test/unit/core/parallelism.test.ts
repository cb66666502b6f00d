import { describe, expect, it } from 'vitest';
import { createParallelism } from '../../../shared/core/batch/run-batch.ts';

describe('how many groups a worker works on side by side', () => {
  function open() {
    let at = 0;
    const parallelism = createParallelism(5, () => at);
    return {
      allowed: parallelism.allowed,
      /** So many calls side by side, all of them this slow. */
      call(tookMs: number, calls = parallelism.allowed()) {
        at += tookMs;
        for (let one = 0; one < calls; one += 1) parallelism.learn(tookMs);
      },
    };
  }

  it('stays the most while answers are quick', () => {
    const { call, allowed } = open();
    for (let one = 0; one < 100; one += 1) call(200);
    expect(allowed()).toBe(5);
  });

  it('is halved once for calls that were slow together, and never ends', () => {
    const { call, allowed } = open();
    const seen = Array.from({ length: 4 }, () => {
      call(10_000);
      return allowed();
    });
    expect(seen).toEqual([2, 1, 1, 1]);
  });

  it('comes back one by one, not at the first quick answer', () => {
    const { call, allowed } = open();
    for (let one = 0; one < 4; one += 1) call(10_000);
    const seen: number[] = [];
    for (let one = 0; one < 20; one += 1) {
      call(200);
      seen.push(allowed());
    }
    expect(seen[0]).toBe(2);
    expect(seen.slice(1).every((next, index) => next - (seen[index] ?? 0) <= 1)).toBe(true);
    expect(seen.at(-1)).toBe(5);
  });
});
