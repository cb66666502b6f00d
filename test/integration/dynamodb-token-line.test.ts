import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient, createLedgerTable } from '../../local/harness/sdk-clients.ts';
import { type Emulator, startDynamoDb } from '../../local/stack/emulators.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createDynamoDbRateLimit } from '../../shared/aws/dynamodb-rate-limit.ts';
import { CLIENTS } from '../support/both-clients.ts';

const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
const NOW = Date.parse('2026-11-15T12:00:00.000Z');
const LATER = NOW + 10_000;
const table = 'ledger';
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startDynamoDb();
  const client = createDynamoDbClient({ budget, emulator });
  await createLedgerTable(client, table);
  client.destroy();
});
afterAll(() => emulator.stop());

describe.each(CLIENTS)('the rate limit in DynamoDB, through $name', ({ name, dynamoDb }) => {
  const open = (account: string, of?: 'shoppers') => {
    const client = dynamoDb(budget, emulator.endpoint);
    let writes = 0;
    const updateItem: typeof client.updateItem = (input) => {
      writes += 1;
      return client.updateItem(input);
    };
    const line = createDynamoDbRateLimit({
      client: { updateItem },
      table,
      account: `${account}-${name}`,
      ...(of && { of }),
    });
    return { book: line.book, writes: () => writes };
  };

  it('gives every process a part of its own, however they race', async () => {
    const processes = Array.from({ length: 8 }, () => open('race'));
    const booked = await Promise.all(
      processes.flatMap(({ book }) => [book(250, NOW, LATER), book(250, NOW, LATER)]),
    );
    const from = booked.map((one) => (one.kind === 'booked' ? one.from - NOW : Number.NaN));
    expect(from.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 16 }, (_, index) => index * 250),
    );
  });

  it('begins now when what was booked is over, and is full when it is booked too far ahead', async () => {
    const { book } = open('full');
    expect(await book(3_000, NOW, LATER)).toEqual({ kind: 'booked', from: NOW });
    expect(await book(8_000, NOW, NOW + 2_999)).toEqual({ kind: 'full' });
    expect(await book(8_000, NOW, NOW + 3_000)).toEqual({ kind: 'booked', from: NOW + 3_000 });
    expect(await book(1, NOW, LATER)).toEqual({ kind: 'full' });
    expect(await book(1, NOW, Number.POSITIVE_INFINITY)).toMatchObject({ from: NOW + 11_000 });
    expect(await book(0.5, NOW + 60_000, NOW + 60_000)).toMatchObject({ from: NOW + 60_000 });
    expect(await book(0.5, NOW, NOW + 61_000)).toMatchObject({ from: NOW + 60_000.5 });
  });

  it('counts what shoppers book apart from what all book', async () => {
    const [all, shoppers] = [open('apart'), open('apart', 'shoppers')];
    expect(await all.book(3_000, NOW, LATER)).toEqual({ kind: 'booked', from: NOW });
    expect(await shoppers.book(3_000, NOW, LATER)).toEqual({ kind: 'booked', from: NOW });
  });

  it('is one write a booking while the load stays as it is', async () => {
    const { book, writes } = open('writes');
    for (let one = 0; one < 5; one += 1) await book(100, NOW + one * 1_000, LATER);
    expect(writes()).toBe(5);
    for (let one = 0; one < 5; one += 1) await book(2_000, NOW + 4_050, LATER + 4_000);
    expect(writes()).toBe(5 + 6);
  });

  it('is no entity: a scan through the ledger passes it', async () => {
    await open('walk').book(1, NOW, LATER);
    const client = dynamoDb(budget, emulator.endpoint);
    const ledger = createDynamoDbLedger({ client, table });
    expect((await ledger.scanEntities()).entries).toEqual([]);
  });
});
