import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { judgeThrottling, latencies } from './report.ts';
import { readRunLogs } from './run-logs.ts';
import { THROTTLED } from './two-shops.config.ts';

const folder = mkdtempSync(join(tmpdir(), 'connector-run-logs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (second: number) => `2026-11-15T08:00:${String(second).padStart(2, '0')}.000Z`;

const received = (id: string, second: number) => ({
  message: 'received',
  service: 'receive-webhook',
  at: at(second),
  correlationId: id,
  shop: 'a-store.myshopify.com',
  kind: 'order',
  id: '1',
});
const ended = (id: string, message: string, second: number) => ({
  message,
  service: 'sync-orders',
  at: at(second),
  correlationId: id,
});

function write(name: string, lines: readonly (object | string)[]): string {
  const path = join(folder, name);
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, `${texts.join('\n')}\n`);
  return path;
}

describe('the logs of a load run', () => {
  it('give one outcome for each webhook, even after repeated work and half-written lines', async () => {
    const log = write('functions.log', [
      received('a', 1),
      // Sent again, because the first request got no answer.
      received('a', 2),
      received('b', 3),
      received('c', 4),
      ended('a', 'applied', 5),
      ended('a', 'unchanged', 6),
      ended('b', 'parked in the dead-letter queue', 7),
      '{"message":"applied","correlationId":"c","serv',
    ]);
    const shop = 'a-store.myshopify.com';
    const delivery = { shop, topic: 'orders/create', sentAt: Date.parse(at(0)), attempts: 1 };
    const deliveries = write('deliveries.jsonl', [
      { ...delivery, n: 1, webhookId: 'a', state: 'delivered', attempts: 2 },
      { ...delivery, n: 2, webhookId: 'b', state: 'delivered' },
      // Written again after a restart.
      { ...delivery, n: 2, webhookId: 'b', state: 'delivered' },
      { ...delivery, n: 3, webhookId: 'd', state: 'failed', attempts: 9 },
      // Each store counts on its own.
      { ...delivery, shop: 'another', n: 3, webhookId: 'e', state: 'failed', attempts: 9 },
    ]);
    const logs = await readRunLogs({ log, deliveries });
    expect(logs.accepted.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'applied'],
      ['b', 'dead'],
      ['c', undefined],
    ]);
    expect(logs.givenUp.map(({ webhookId }) => webhookId)).toEqual(['d', 'e']);
    expect(logs.resent).toBe(3);
    // From the first delivery until it was applied; only applied webhooks count.
    expect(latencies(logs.accepted)).toEqual({ applied: 1, p50Ms: 5_000, p99Ms: 5_000 });
  });
});

describe('a shop beside a throttled one', () => {
  const phase = (name: 'calm' | 'throttled', shop: string, p99Ms: number, throttled = 0) => ({
    ...{ name, shop, p99Ms, throttled },
  });
  const calm = [phase('calm', 'free', 1_000), phase('calm', THROTTLED, 1_000)];
  const throttled = phase('throttled', THROTTLED, 60_000, 3);

  it('may take about as long as before, and the throttled one any time', () => {
    expect(judgeThrottling([...calm, throttled, phase('throttled', 'free', 4_000)])).toEqual([]);
    expect(judgeThrottling([...calm, throttled, phase('throttled', 'free', 4_001)])).toEqual([
      'slowed: free: 4.00 s instead of 1.00 s beside the throttled shop',
    ]);
  });

  it('proves nothing if no call of the other one was refused', () => {
    expect(judgeThrottling([...calm, { ...throttled, throttled: 0 }])).toEqual([
      `not throttled: ${THROTTLED}`,
    ]);
  });
});
