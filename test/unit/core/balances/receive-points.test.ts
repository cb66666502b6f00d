import { describe, expect, it } from 'vitest';
import { recordTelemetry } from '../../../../local/harness/recorded-telemetry.ts';
import type { PointTokens } from '../../../../shared/core/balances/point-tokens.ts';
import { receivePoints } from '../../../../shared/core/balances/receive-points.ts';
import type { BalanceEvent } from '../../../../shared/core/events/event.ts';
import { pointTopics } from '../../../../shared/loyalty/point-topics.ts';
import { pointEvent } from '../../../fixtures/point-event.ts';
import { SHOP } from '../../../support/balance-worker.ts';

const TOKEN = 'a'.repeat(43);

/** One token for all topics will do here. */
async function receive(topic: string, event: object): Promise<readonly BalanceEvent[]> {
  const tokens = Object.fromEntries(pointTopics.map((one) => [one, { current: TOKEN }]));
  const value = tokens as unknown as PointTokens;
  const sent: BalanceEvent[] = [];
  await receivePoints(
    {
      method: 'POST',
      path: `/example-store/${topic}/${TOKEN}`,
      body: Buffer.from(JSON.stringify(event)),
    },
    {
      shops: new Map([
        [
          'example-store',
          {
            domain: SHOP,
            tokens: { get: async () => value, refresh: async () => ({ kind: 'unchanged', value }) },
          },
        ],
      ]),
      customerIdIn: 'Id',
      queue: { send: async (one) => void sent.push(one as BalanceEvent) },
      telemetry: recordTelemetry(),
      now: () => new Date('2026-10-09T12:00:00Z'),
    },
  );
  return sent;
}

describe('a point event', () => {
  it('is another delivery under another topic, even for the same point in the same second', async () => {
    const ids = new Set<string | undefined>();
    for (const topic of pointTopics) ids.add((await receive(topic, pointEvent()))[0]?.deliveryId);
    expect(ids.size).toBe(pointTopics.length);
  });

  it('of a customer whose number no store can hold is left out: it would fail the call of all others', async () => {
    const largest = String(2n ** 63n - 1n);
    const [kept] = await receive('Point_Add', pointEvent({ Customer: { Id: largest } }));
    expect(kept?.id).toBe(largest);
    for (const Id of [String(2n ** 63n), '99999999999999999999']) {
      expect(await receive('Point_Add', pointEvent({ Customer: { Id } }))).toEqual([]);
    }
  });
});
