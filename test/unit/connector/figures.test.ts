import { describe, expect, it } from 'vitest';
import {
  createLocalFigures,
  deployedFamilies,
  readLastHour,
} from '../../../scripts/connector/status/figures.ts';

const sample = (name: string, service: string, value: number, more = {}) => ({
  name,
  dimensions: { service, ...more },
  at: 0,
  value,
});

describe("the last hour's figures of a local stack", () => {
  it('are summed per queue, each count once, and latency is told by its percentiles', async () => {
    const metrics = [
      // By service, and once more by what is kept apart.
      sample('received', 'receive-webhook', 3),
      sample('received', 'receive-webhook', 3, { shop: 'a.myshopify.com', kind: 'order' }),
      sample('received', 'receive-webhook', 2),
      sample('received', 'receive-webhook', 2, { shop: 'a.myshopify.com', kind: 'product' }),
      sample('refused', 'receive-webhook', 13),
      sample('refused', 'receive-webhook', 4, { why: 'signature' }),
      sample('refused', 'receive-webhook', 9, { why: 'headers' }),
      sample('applied', 'sync-orders', 2),
      sample('skipped', 'sync-orders', 1),
      sample('handled', 'sync-coupons', 1),
      ...Array.from({ length: 100 }, (_, index) => sample('latency-ms', 'sync-orders', index + 1)),
    ];
    const { workers, receiver } = await readLastHour(
      createLocalFigures(async () => ({ metrics })),
      deployedFamilies({ storefront: undefined }),
    );
    expect(receiver).toEqual({
      received: 5,
      badSignatures: 4,
      unknownTopics: 0,
      olderSecretUsed: 0,
    });
    expect(workers).toEqual([
      expect.objectContaining({
        ...{ family: 'orders', applied: 2, skipped: 1, latencyMs: { p50: 50, p99: 99 } },
      }),
      expect.objectContaining({ family: 'products', applied: 0, latencyMs: undefined }),
      expect.objectContaining({ family: 'coupons', handled: 1, latencyMs: undefined }),
    ]);
  });

  it.each([[undefined], ['text'], [{ metrics: 'none' }], [{ metrics: [null, { name: 1 }] }]])(
    'are nothing when the address answers with %j',
    async (answer) => {
      const { receiver } = await readLastHour(
        createLocalFigures(async () => answer),
        [],
      );
      expect(receiver.received).toBe(0);
    },
  );
});
