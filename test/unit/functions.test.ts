import type { SQSEvent } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAnnouncer } from '../../functions/announce.ts';
import { createPointsReceiver } from '../../functions/receive-points.ts';
import { createReceiver } from '../../functions/receive-webhook.ts';
import { createReconcile } from '../../functions/reconcile.ts';
import { createStorefrontFunction } from '../../functions/storefront.ts';
import { createBalanceWorker } from '../../functions/sync-balances.ts';
import { createWorker } from '../../functions/sync-entities.ts';
import {
  openWithLedger,
  RESERVE_MS,
  runInTime,
  shareOutTime,
  toMessages,
} from '../../functions/wiring.ts';
import storefrontConnector from '../../local/harness/storefront.config.ts';
import { WORKER_BUDGET } from '../../shared/aws/aws-client.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';

it('a message has its receives as a number, and its sequence number to the last of 20 digits', () => {
  const attributes = {
    ApproximateReceiveCount: '12',
    SequenceNumber: '18849496460467696129',
    MessageGroupId: 'g',
  };
  const record = { messageId: 'm', receiptHandle: 'r', body: '{}', attributes };
  const event = { Records: [record] } as unknown as SQSEvent;
  expect(toMessages(event)).toStrictEqual([
    {
      messageId: 'm',
      receiptHandle: 'r',
      body: '{}',
      groupId: 'g',
      attempts: 12,
      sequenceNumber: '18849496460467696129',
    },
  ]);
});

const NAMES = [
  ...['SECRETS_PREFIX', 'METRICS_NAMESPACE', 'LEDGER_TABLE', 'AWS_REGION', 'WORKERS'],
  ...['SOURCE_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL', 'ORDERS_QUEUE_URL', 'PRODUCTS_QUEUE_URL'],
  ...['COUPONS_QUEUE_URL', 'BALANCES_QUEUE_URL', 'WEBHOOK_ADDRESS', 'EVENT_BUS', 'STACK_NAME'],
];
beforeEach(() => {
  for (const name of NAMES) vi.stubEnv(name, 'of-this-test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

it('no function begins a time limit before it is asked', () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  const queues = ['orders', 'products', 'coupons'] as const;
  for (const queue of queues) createWorker(storefrontConnector, queue);
  createReceiver(storefrontConnector);
  createPointsReceiver(storefrontConnector);
  createBalanceWorker(storefrontConnector);
  createStorefrontFunction(storefrontConnector);
  createReconcile(storefrontConnector);
  createAnnouncer(storefrontConnector);
  expect(timeout).not.toHaveBeenCalled();
  timeout.mockRestore();
});

it.each([
  [true, 1],
  [false, 2],
])(
  'two shops with one loyalty account (%s) take their turns on %i lines',
  (sharedAccount, lines) => {
    const connector = defineConnector({
      shops: [{ domain: 'one.myshopify.com' }, { domain: 'two.myshopify.com' }],
      loyalty: { address: 'https://loyalty.example.com', callsPerSecond: 5 },
      rules: { sharedAccount, currency: 'EUR' },
    });
    const create = () => ({ take: async () => ({ kind: 'go' }) as const });
    const { rateOf } = openWithLedger(connector, 'reconcile', [], WORKER_BUDGET, create);
    expect(new Set(connector.shops.map(rateOf)).size).toBe(lines);
  },
);

const REMAINING_MS = 240_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the time of a batch', () => {
  it('is over for the store first, then for the work, and never before', async () => {
    const { storeMs, workMs } = shareOutTime(REMAINING_MS);
    await runInTime(REMAINING_MS, async ({ work, store }) => {
      const over = () => [store.aborted, work.aborted];
      vi.advanceTimersByTime(storeMs - 1);
      expect(over()).toEqual([false, false]);
      vi.advanceTimersByTime(1);
      expect(over()).toEqual([true, false]);
      vi.advanceTimersByTime(workMs - storeMs);
      expect(over()).toEqual([true, true]);
    });
    expect(workMs).toBe(REMAINING_MS - RESERVE_MS);
  });

  it('leaves no timer behind that would hold what the batch held', async () => {
    expect(await runInTime(REMAINING_MS, async () => vi.getTimerCount())).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
    const broken = runInTime(REMAINING_MS, async () => {
      throw new Error('broken');
    });
    await expect(broken).rejects.toThrow('broken');
    expect(vi.getTimerCount()).toBe(0);
  });
});
