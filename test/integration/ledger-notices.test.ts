import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMemoryEventQueue, createMemoryQueue } from '../../local/harness/memory-queue.ts';
import { createMemoryStore } from '../../local/harness/memory-store.ts';
import { recordTelemetry } from '../../local/harness/recorded-telemetry.ts';
import { createDynamoDbClient, createLedgerTable } from '../../local/harness/sdk-clients.ts';
import { type Emulator, startDynamoDb } from '../../local/stack/emulators.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { listNotices, listRecords } from '../../shared/aws/read-ledger.ts';
import type { StoreEvent } from '../../shared/core/events/event.ts';
import { handleTask } from '../../shared/core/sync/handle-task.ts';
import { storeEvent } from '../fixtures/store-event.ts';

const SHOP = 'example-store.myshopify.com';
const OTHER = 'second-store.myshopify.com';
let emulator: Emulator;
let client: DynamoDB;

beforeAll(async () => {
  emulator = await startDynamoDb();
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
  client = createDynamoDbClient({ budget, emulator });
  await createLedgerTable(client, 'ledger');
});

afterAll(async () => {
  client.destroy();
  await emulator.stop();
});

function event(shop: string, topic: string): StoreEvent {
  const receivedAt = '2026-10-09T12:00:00.000Z';
  const about = { shop, kind: 'shop', id: shop, topic, deliveryId: 'd1' } as const;
  return storeEvent({ ...about, receivedAt, body: undefined });
}

it('finds the notices of one shop, the oldest first, and nothing else of the ledger', async () => {
  const ledger = createDynamoDbLedger({ client, table: 'ledger' });
  const clock = { ms: Date.parse('2026-10-09T12:00:00.000Z') };
  const queue = () => createMemoryQueue({ now: () => clock.ms, name: 'q' });
  const world = {
    ledger,
    store: createMemoryStore(),
    queue: createMemoryEventQueue({ orders: queue(), products: queue(), coupons: queue() }),
    telemetry: recordTelemetry(),
    now: () => {
      clock.ms += 1_000;
      return new Date(clock.ms);
    },
    orderRetentionDays: 400,
  };
  const notify = (notice: 'data-request' | 'app-uninstalled' | 'shop-redact', id: string) =>
    ({ kind: 'notify', notice, id, why: `about ${notice}` }) as const;
  await handleTask(event(SHOP, 'app/uninstalled'), notify('app-uninstalled', 'd9'), world);
  await handleTask(event(SHOP, 'customers/data_request'), notify('data-request', '77'), world);
  await handleTask(event(OTHER, 'shop/redact'), notify('shop-redact', 'x'.repeat(1_100)), world);
  await ledger.write(
    { shop: SHOP, kind: 'coupon', id: 'SUMMER' },
    { version: 1, uncertain: false, outcomes: [], discountId: '5' },
    undefined,
  );
  await ledger.write(
    { shop: SHOP, kind: 'redemption', id: '7001' },
    { version: 1, uncertain: false, outcomes: [] },
    undefined,
  );

  const settings = { client, table: 'ledger', pause: sleep, random: Math.random };
  expect(await listNotices(settings, SHOP)).toEqual([
    {
      shop: SHOP,
      notice: 'app-uninstalled',
      id: 'd9',
      at: '2026-10-09T12:00:01.000Z',
      why: 'about app-uninstalled',
    },
    expect.objectContaining({ notice: 'data-request', id: '77' }),
  ]);
  expect(await listNotices(settings, OTHER)).toEqual([
    expect.objectContaining({ notice: 'shop-redact', id: 'x'.repeat(1_100) }),
  ]);
  expect(await ledger.listCodes(SHOP, '5')).toEqual({ codes: ['SUMMER'] });
  expect(await listRecords(settings, SHOP, 'redemption')).toMatchObject([{ id: '7001' }]);
  expect(await listRecords(settings, OTHER, 'redemption')).toEqual([]);
});
