import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbClient, createLedgerTable } from '../../local/harness/sdk-clients.ts';
import { type Emulator, startDynamoDb } from '../../local/stack/emulators.ts';
import { readSummaries } from '../../scripts/connector/ground/letters/read-letters.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import type { ReadSettings } from '../../shared/aws/ledger-item.ts';
import { readLettersAbout, readLettersById } from '../../shared/aws/read-ledger.ts';
import {
  retireSummaries,
  type SummarizedDeadLetter,
  writeSummary,
} from '../../shared/core/batch/dead-letter.ts';
import type { Ledger } from '../../shared/core/ledger/ledger.ts';
import { LETTER_SHOP, letterEvent, letterReason } from '../support/parked-letters.ts';

let emulator: Emulator;
let client: DynamoDB;
let ledger: Ledger;
let settings: ReadSettings;
let tables = 0;
let queries = 0;
/** Of each query: with one, a page would hold less. */
let limits: unknown[] = [];

beforeAll(async () => {
  emulator = await startDynamoDb();
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
  client = createDynamoDbClient({ budget, emulator });
});
afterAll(async () => {
  client.destroy();
  await emulator.stop();
});
beforeEach(async () => {
  tables += 1;
  const table = `letters-${tables}`;
  await createLedgerTable(client, table);
  ledger = createDynamoDbLedger({ client, table });
  queries = 0;
  limits = [];
  const counted = Object.assign(Object.create(client), {
    query: async (input: Parameters<DynamoDB['query']>[0]) => {
      queries += 1;
      limits.push(input.Limit);
      return client.query(input);
    },
  });
  settings = { client: counted, table, pause, random: Math.random };
});

const now = new Date('2026-10-09T13:00:00.000Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();

function park(messageId: string, at: string, changes: Parameters<typeof letterEvent>[0] = {}) {
  const reason = { ...letterReason({ at }), family: 'orders' } as const;
  return writeSummary({ messageId, body: '' }, letterEvent(changes), reason, ledger);
}

const retire = (letter: SummarizedDeadLetter | undefined, at: Date) =>
  retireSummaries(letter ? [letter] : [], 'replayed', { ledger, now: at });

const read = () => readSummaries(settings, now);
const idsOf = (letters: readonly SummarizedDeadLetter[]) => letters.map(({ letterId }) => letterId);

describe('the list of dead letters', () => {
  it('has the newest first, without those that left or expired', async () => {
    await park('old', minutesAgo(60 * 24 * 15));
    await park('one', minutesAgo(30));
    await park('three', minutesAgo(10));
    await park('two', minutesAgo(20));
    const [newest] = await readLettersById(settings, ['three'], now);
    await retire(newest, now);
    expect(idsOf(await read())).toEqual(['two', 'one']);
  });

  it('has a dead letter whose envelope could not be read, and belongs to no shop', async () => {
    const reason = { ...letterReason({ at: minutesAgo(1) }), family: 'coupons' } as const;
    await writeSummary({ messageId: 'unread', body: '' }, undefined, reason, ledger);
    const [letter] = await read();
    expect([letter?.letterId, letter?.event]).toEqual(['unread', undefined]);
  });

  it('is read with at most 60 queries for 100 000 of them, as docs/console.md says', async () => {
    const [messageId, deliveryId] = [randomUUID(), randomUUID()];
    await park(messageId, minutesAgo(1), { id: '5512300000000', deliveryId });
    const { Items: [item] = [] } = await client.scan({ TableName: settings.table });
    // Names and values count, types do not. DynamoDB, Query: 1 MB of them in one page.
    const texts = Object.entries(item ?? {}).map(
      ([name, value]) => name + Object.values(value).join(''),
    );
    expect(texts.join('').length).toBeGreaterThan(500);
    expect(100_000 * texts.join('').length).toBeLessThan(60 * 1024 * 1024);
    expect(await read()).toHaveLength(1);
    expect(limits).toEqual([undefined]);
  });
});

describe('the dead letters about one thing', () => {
  it.each([
    ['an order', { kind: 'order', id: '1001' }],
    ['a code', { kind: 'coupon', id: 'WELCOME|10 %/é' }],
    ['a code that is too long for a key', { kind: 'coupon', id: 'x'.repeat(5_000) }],
  ] as const)('are found with one query: %s', async (_, about) => {
    await park('a', minutesAgo(2), about);
    await park('b', minutesAgo(1), about);
    await park('other', minutesAgo(1), { id: '2002' });
    const asked = { shop: LETTER_SHOP, ...about };
    const found = await readLettersAbout(settings, asked, now);
    expect(idsOf(found)).toEqual(['b', 'a']);
    expect(queries).toBe(1);
    await retire(found[0], now);
    expect(idsOf(await readLettersAbout(settings, asked, now))).toEqual(['a']);
    expect((await ledger.scanEntities()).entries).toEqual([]);
  });
});
