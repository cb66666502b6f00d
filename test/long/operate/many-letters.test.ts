import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDynamoDbClient, createLedgerTable } from '../../../local/harness/sdk-clients.ts';
import { type Emulator, startDynamoDb } from '../../../local/stack/emulators.ts';
import { createLetterGroups } from '../../../scripts/connector/dead-letters/groups.ts';
import { readSummaries } from '../../../scripts/connector/dead-letters/read.ts';
import { awsSettings } from '../../../scripts/connector/deployment/deployment.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { type LedgerItem, toItem } from '../../../shared/aws/ledger-item.ts';
import { retireSummaries, writeSummary } from '../../../shared/core/batch/dead-letter.ts';
import { batchesOf } from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { letterEvent, letterReason } from '../../support/parked-letters.ts';

/** Loading the emulator takes most of the time: `LETTERS=100000` checks the size that docs/console.md names. */
const LETTERS = Number(process.env.LETTERS ?? 10_000);
/** Of 1 MB each: 60 for 100 000 dead letters, as docs/console.md and the price in it say. */
const MOST_QUERIES = Math.ceil((LETTERS * 60) / 100_000);
/** DynamoDB, BatchWriteItem. */
const ITEMS_PER_REQUEST = 25;
const now = new Date();

let emulator: Emulator;
let client: DynamoDB;
beforeAll(async () => {
  emulator = await startDynamoDb();
  const budget = { connectMs: 10_000, attemptMs: 60_000, attempts: 2 };
  client = createDynamoDbClient({ budget, emulator });
  await createLedgerTable(client, 'ledger');
});
afterAll(async () => {
  client.destroy();
  await emulator.stop();
});

function park(index: number, ledger: Pick<Ledger, 'write'>, at = new Date(now.getTime() - index)) {
  const id = String(5_512_300_000_000 + index);
  const event = letterEvent({ id, deliveryId: randomUUID() });
  const reason = letterReason({ at: at.toISOString(), code: `Code_${index % 7}` });
  return writeSummary(
    { messageId: randomUUID(), body: '' },
    event,
    { ...reason, family: 'orders' },
    ledger,
  );
}

it('lists very many dead letters with few requests, and asks again for what is new alone', async () => {
  const items: LedgerItem[] = [];
  const collecting: Pick<Ledger, 'write'> = {
    async write(key, entry) {
      items.push(toItem(key, entry, 1, 'w'));
      return { kind: 'written', revision: 1 };
    },
  };
  for (let index = 0; index < LETTERS; index += 1) await park(index, collecting);
  for (const some of batchesOf(items, ITEMS_PER_REQUEST)) {
    const requests = some.map((Item) => ({ PutRequest: { Item } }));
    await client.batchWriteItem({ RequestItems: { ledger: requests } });
  }
  let queries = 0;
  const counted = Object.assign(Object.create(client), {
    query: (input: Parameters<DynamoDB['query']>[0]) => {
      queries += 1;
      return client.query(input);
    },
  });
  const settings = { client: counted, table: 'ledger', pause, random: Math.random };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const place = {
    aws: awsSettings({ region: 'us-east-1', endpoint: emulator.endpoint, credentials }),
  };
  const first = await readSummaries(settings, place, now);
  expect(first).toHaveLength(LETTERS);
  expect(queries).toBeLessThanOrEqual(MOST_QUERIES);
  const groups = createLetterGroups();
  for (const letter of first) groups.add(letter);
  expect(groups.all()).toHaveLength(7);

  const ledger = createDynamoDbLedger({ client, table: 'ledger' });
  const later = new Date(now.getTime() + 10 * 60_000);
  await park(0, ledger, later);
  await retireSummaries(first.slice(-1), 'replayed', { ledger, now: later });
  await readSummaries(settings, place, later);
  queries = 0;
  const again = await readSummaries(settings, place, new Date(later.getTime() + 15_000));
  expect(again).toHaveLength(LETTERS);
  expect(queries).toBe(2);
}, 1_200_000);
