import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDB, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, createLedgerTable } from '../../local/harness/sdk-clients.ts';
import { type Emulator, startDynamoDb } from '../../local/stack/emulators.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { ITEM } from '../../shared/aws/ledger-item.ts';
import { listNotices, listRecords } from '../../shared/aws/read-ledger.ts';
import type { StoreEvent } from '../../shared/core/events/event.ts';
import { LEDGER_FORMAT } from '../../shared/core/events/formats.ts';
import { ledgerKeyText, NewerItem } from '../../shared/core/ledger/ledger.ts';
import { handleTask } from '../../shared/core/sync/handle-task.ts';
import { describeLedgerContract } from '../contract/ledger-contract.ts';
import { storeEvent } from '../fixtures/store-event.ts';
import { CLIENTS } from '../support/both-clients.ts';
import { createMemoryEventQueue, createMemoryQueue } from '../support/memory-queue.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { recordTelemetry } from '../support/recorded-telemetry.ts';

let emulator: Emulator;
let client: DynamoDB;
let tables = 0;
const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };

beforeAll(async () => {
  emulator = await startDynamoDb();
  client = createDynamoDbClient({ budget, emulator });
});
afterAll(async () => {
  client.destroy();
  await emulator.stop();
});

async function newTable(): Promise<string> {
  tables += 1;
  const table = `ledger-${tables}`;
  await createLedgerTable(client, table);
  return table;
}

for (const { name, dynamoDb } of CLIENTS) {
  describeLedgerContract(`DynamoDB over HTTP through ${name}`, async () =>
    createDynamoDbLedger({
      client: dynamoDb(budget, emulator.endpoint),
      table: await newTable(),
    }),
  );
}

it('an item of up to 400 KB is kept, and a larger one changes nothing', async () => {
  const table = await newTable();
  const key = { shop: 'example.myshopify.com', kind: 'order', id: '1' } as const;
  const entry = { version: 1, uncertain: false, outcomes: [] };
  for (const { name, dynamoDb } of CLIENTS) {
    const ledger = createDynamoDbLedger({ client: dynamoDb(budget, emulator.endpoint), table });
    const own = { ...key, id: name };
    const remembered = 'x'.repeat(409_000);
    await ledger.write(own, { ...entry, remembered }, undefined);
    const larger = { ...entry, version: 2, remembered: 'x'.repeat(410_000) };
    const refused = { name: 'ValidationException' };
    await expect(ledger.write(own, larger, 1)).rejects.toMatchObject(refused);
    const kept = (await ledger.readMany([own])).get(ledgerKeyText(own));
    expect(kept).toMatchObject({ version: 1, remembered });
  }
});

it('the date of the ledger is asked for once, by all who wait for it, and again after a failure', async () => {
  const table = await newTable();
  let questions = 0;
  const describeTable = async (input: { readonly TableName: string }) => {
    questions += 1;
    if (questions === 1) throw new Error('no answer');
    return client.describeTable(input);
  };
  const calls = Object.assign(Object.create(client), { describeTable });
  const ledger = createDynamoDbLedger({ client: calls, table });
  const ask = () => Promise.allSettled([ledger.createdAt(), ledger.createdAt()]);
  expect((await ask()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(questions).toBe(1);
  expect((await ask()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  await ask();
  expect(questions).toBe(2);
});

describe('a damaged item', () => {
  const key = { shop: 'example.myshopify.com', kind: 'order', id: '1' } as const;
  const text = ledgerKeyText(key);
  const whole = {
    [ITEM.key]: { S: text },
    [ITEM.version]: { N: '5' },
    [ITEM.appliedKey]: { S: 'k' },
    [ITEM.uncertain]: { BOOL: false },
    [ITEM.outcomes]: { S: '[]' },
    [ITEM.revision]: { N: '3' },
  };
  const { [ITEM.revision]: _, ...withoutRevision } = whole;

  it.each([
    ['no revision', withoutRevision, ITEM.revision],
    ['a revision that is a text', { ...whole, [ITEM.revision]: { S: '3' } }, ITEM.revision],
    ['a revision of zero', { ...whole, [ITEM.revision]: { N: '0' } }, ITEM.revision],
    ['a version that is a text', { ...whole, [ITEM.version]: { S: '5' } }, ITEM.version],
    ['a key that is a number', { ...whole, [ITEM.appliedKey]: { N: '5' } }, ITEM.appliedKey],
    ['a mark that is a text', { ...whole, [ITEM.uncertain]: { S: 'no' } }, ITEM.uncertain],
  ])('with %s is sent again and replaced, once, by a whole one', async (_, item, fault) => {
    const table = await newTable();
    await client.send(new PutItemCommand({ TableName: table, Item: item }));
    const damaged: unknown[] = [];
    const ledger = createDynamoDbLedger({
      client,
      table,
      onDamagedItem: (entity, attributes) => damaged.push([entity, attributes]),
    });
    const entry = (await ledger.readMany([key])).get(text);
    expect(entry?.uncertain).toBe(true);
    expect(damaged).toEqual([[text, [fault]]]);

    const good = { version: 9, appliedKey: 'new', uncertain: false, outcomes: [] };
    const racing = await Promise.all([1, 2, 3].map(() => ledger.write(key, good, entry?.revision)));
    expect(racing.filter(({ kind }) => kind === 'written')).toHaveLength(1);
    expect((await ledger.readMany([key])).get(text)).toMatchObject(good);
  });

  it.each([
    ['outcomes that are not JSON', { [ITEM.outcomes]: { S: '[' } }],
    ['outcomes of another shape', { [ITEM.outcomes]: { S: '[{"at":1}]' } }],
    ['an expiry that is a text', { [ITEM.expiresAt]: { S: 'soon' } }],
  ])('with %s keeps its state', async (_, changes) => {
    const table = await newTable();
    await client.send(new PutItemCommand({ TableName: table, Item: { ...whole, ...changes } }));
    const ledger = createDynamoDbLedger({ client, table });
    expect((await ledger.readMany([key])).get(text)).toStrictEqual({
      version: 5,
      appliedKey: 'k',
      uncertain: false,
      outcomes: [],
      revision: 3,
    });
  });

  it('never keeps the other persons of a request unredacted', async () => {
    const table = await newTable();
    const damaged = { ...whole, [ITEM.revision]: { S: '3' } };
    await client.send(new PutItemCommand({ TableName: table, Item: damaged }));
    const ledger = createDynamoDbLedger({ client, table });
    const others = Array.from({ length: 15 }, (_, index) => ({ ...key, id: `other-${index}` }));
    const entry = { version: 1, uncertain: false, outcomes: [], remembered: 'ana@example.com' };
    await Promise.all(others.map((other) => ledger.write(other, entry, undefined)));
    await expect(ledger.redact([key, ...others], { redactedAt: 1, expiresAt: 1 })).rejects.toThrow(
      '1 entries',
    );
    const left = [...(await ledger.readMany(others)).values()];
    expect(left.filter(({ remembered }) => remembered !== undefined)).toEqual([]);
  });
});

describe('an item of a newer release', () => {
  const key = { shop: 'example.myshopify.com', kind: 'customer', id: '1' } as const;
  const order = { ...key, kind: 'order' } as const;
  const item = (of: typeof key | typeof order) => ({
    [ITEM.key]: { S: ledgerKeyText(of) },
    [ITEM.version]: { N: '5' },
    [ITEM.uncertain]: { BOOL: false },
    [ITEM.outcomes]: { S: '[]' },
    [ITEM.revision]: { N: '3' },
    [ITEM.remembered]: { S: 'in a form of its own' },
    [ITEM.format]: { N: String(LEDGER_FORMAT + 1) },
  });

  async function open() {
    const table = await newTable();
    for (const Item of [item(key), item(order)]) await client.putItem({ TableName: table, Item });
    const ledger = createDynamoDbLedger({ client, table });
    const other = { ...order, id: '2' };
    const entry = { version: 1, uncertain: false, outcomes: [], remembered: 'ana@example.com' };
    await ledger.write(other, entry, undefined);
    const scan = async () => (await client.scan({ TableName: table })).Items ?? [];
    return { ledger, other, scan };
  }

  it('is refused to every reader, and hides no other', async () => {
    const { ledger, other } = await open();
    const entries = await ledger.readMany([key, order, other]);
    expect(() => entries.get(ledgerKeyText(key))).toThrow(NewerItem);
    expect(() => entries.has(ledgerKeyText(order))).toThrow(NewerItem);
    expect(entries.get(ledgerKeyText(other))).toMatchObject({ revision: 1 });
    const { entries: walked } = await ledger.scanEntities();
    expect(walked.map(({ key: { id } }) => id)).toEqual(['2']);
  });

  it('is not redacted by halves: the others are, and the worker tries again', async () => {
    const { ledger, other, scan } = await open();
    const mark = { redactedAt: 1, expiresAt: 1 };
    for (const newer of [key, order]) {
      await expect(ledger.redact([newer, other], mark)).rejects.toThrow(NewerItem);
    }
    const items = await scan();
    expect(items).toEqual(expect.arrayContaining([item(key), item(order)]));
    expect((await ledger.readMany([other])).get(ledgerKeyText(other))?.remembered).toBeUndefined();
  });
});

const SHOP = 'example-store.myshopify.com';
const OTHER = 'second-store.myshopify.com';

function event(shop: string, topic: string): StoreEvent {
  const receivedAt = '2026-10-09T12:00:00.000Z';
  const about = { shop, kind: 'shop', id: shop, topic, deliveryId: 'd1' } as const;
  return storeEvent({ ...about, receivedAt, body: undefined });
}

it('finds the notices of one shop, the oldest first, and nothing else of the ledger', async () => {
  const table = await newTable();
  const ledger = createDynamoDbLedger({ client, table });
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
    deadline: new AbortController().signal,
    shop: () => {
      throw new Error('a notice needs no loyalty service');
    },
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

  const settings = { client, table, pause: sleep, random: Math.random };
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
