import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallBudget } from '../../shared/aws/aws-client.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { ITEM } from '../../shared/aws/ledger-item.ts';
import {
  createSqsDeadLetters,
  createSqsEventQueue,
  createSqsSourceQueue,
} from '../../shared/aws/sqs-queues.ts';
import type { StoreEvent } from '../../shared/core/events/event.ts';
import { type LedgerWrite, ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import { CLIENTS } from '../support/both-clients.ts';
import {
  type ScriptedAnswer,
  type ScriptedService,
  startScriptedService,
} from '../support/scripted-service.ts';

/** What the emulators never do, done by a scripted endpoint. */
let service: ScriptedService;
let script: (operation: string, body: never, count: number) => ScriptedAnswer;
const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
// Longer than the pauses of a dripping endpoint.
const impatient = { connectMs: 1_000, attemptMs: 150, attempts: 2 };

beforeEach(async () => {
  service = await startScriptedService((...request) => script(...request));
});
afterEach(async () => {
  await service.stop();
});

const throttled = {
  status: 400,
  body: { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException', message: 'slow down' },
};
const conditionFailed = {
  status: 400,
  body: { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' },
};

describe.each(CLIENTS)('the ledger on DynamoDB, through $name', ({ dynamoDb }) => {
  const key = (id: string) => ({ shop: 'example.myshopify.com', kind: 'order', id }) as const;
  const entry: LedgerWrite = { version: 1, uncertain: false, outcomes: [] };
  const pauses: number[] = [];
  type Keys = { RequestItems: { ledger: { Keys: { entity: { S: string } }[] } } };

  function createLedger() {
    pauses.length = 0;
    return createDynamoDbLedger({
      client: dynamoDb(budget, service.endpoint),
      table: 'ledger',
      pause: async (milliseconds) => pauses.push(milliseconds),
      random: () => 0.999,
      newWriteId: () => 'this-write',
    });
  }
  const itemOf = (entity: { S: string }) => ({
    [ITEM.key]: entity,
    [ITEM.version]: { N: '1' },
    [ITEM.uncertain]: { BOOL: false },
    [ITEM.revision]: { N: '1' },
  });

  it('asks again, after a pause, for the keys that were left unprocessed', async () => {
    script = (_, { RequestItems }: Keys) => {
      const [first, ...rest] = RequestItems.ledger.Keys;
      return {
        body: {
          Responses: { ledger: first ? [itemOf(first.entity)] : [] },
          UnprocessedKeys: rest.length > 0 ? { ledger: { Keys: rest } } : {},
        },
      };
    };
    const keys = ['1', '2', '3', '4'].map(key);
    const entries = await createLedger().readMany(keys);
    expect([...entries.keys()]).toEqual(keys.map(ledgerKeyText));
    expect(pauses.map(Math.round)).toEqual([50, 100, 200]);
    expect(service.requests.map(({ operation }) => operation)).toEqual(
      Array(4).fill('BatchGetItem'),
    );
  });

  it('gives up on keys that stay unprocessed, in bounded time', async () => {
    script = (_, { RequestItems }: Keys) => ({ body: { UnprocessedKeys: RequestItems } });
    await expect(createLedger().readMany([key('1'), key('2')])).rejects.toThrow('2 entries unread');
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeLessThan(2_000);
  });

  it('reads consistently, in requests of at most a hundred keys', async () => {
    script = () => ({ body: { Responses: { ledger: [] } } });
    await createLedger().readMany(Array.from({ length: 201 }, (_, index) => key(`${index}`)));
    const tables = service.requests.map(({ body }) => (body as Keys).RequestItems.ledger);
    expect(tables.map(({ Keys }) => Keys.length).sort((a, b) => a - b)).toEqual([1, 100, 100]);
    expect(tables).toEqual(tables.map(() => expect.objectContaining({ ConsistentRead: true })));
  });

  it('sends no request to read nothing', async () => {
    await createLedger().readMany([]);
    expect(service.requests).toEqual([]);
  });

  it('reports throttling instead of taking it for a conflict', async () => {
    script = () => throttled;
    const ledger = createLedger();
    const named = { name: 'ThrottlingException' };
    await Promise.all([
      expect(ledger.readMany([key('1')])).rejects.toMatchObject(named),
      expect(ledger.write(key('1'), entry, 1)).rejects.toMatchObject(named),
      expect(ledger.markUncertain(key('1'))).rejects.toMatchObject(named),
      expect(ledger.redact([key('1')], { redactedAt: 1, expiresAt: 1 })).rejects.toThrow(
        '1 entries',
      ),
    ]);
    expect(service.requests).toHaveLength(4 * budget.attempts);
  });

  it('never takes the repetition of its own write for another worker', async () => {
    // The first write lands and its answer is lost: the SDK repeats it.
    let item: object | undefined;
    script = (operation, { Item }: { Item: object }, count) => {
      if (operation === 'BatchGetItem') return { body: { Responses: { ledger: [item] } } };
      if (count > 1) return conditionFailed;
      item = Item;
      return 'drop';
    };
    expect(await createLedger().write(key('1'), entry, 4)).toEqual({
      kind: 'written',
      revision: 5,
    });
  });

  it('never takes the write of another worker for a repetition of its own', async () => {
    script = (operation, _: unknown, count) => {
      if (operation === 'PutItem') return count === 1 ? 'drop' : conditionFailed;
      const theirs = { ...itemOf({ S: ledgerKeyText(key('1')) }), [ITEM.writeId]: { S: 'theirs' } };
      return { body: { Responses: { ledger: [theirs] } } };
    };
    expect(await createLedger().write(key('1'), entry, 4)).toEqual({ kind: 'conflict' });
  });

  it('needs one request for a write and for a conflict', async () => {
    script = (_, __: unknown, count) => (count === 1 ? { body: {} } : conditionFailed);
    const ledger = createLedger();
    expect((await ledger.write(key('1'), entry, 4)).kind).toBe('written');
    expect((await ledger.write(key('1'), entry, 4)).kind).toBe('conflict');
    expect(service.requests.map(({ operation }) => operation)).toEqual(['PutItem', 'PutItem']);
  });

  it('stays below one billed KB with ten outcomes', async () => {
    script = () => ({ body: {} });
    const outcomes = Array.from({ length: 10 }, () => ({
      at: '2026-10-01T10:00:00.000Z',
      outcome: 'applied',
      version: 1_790_000_000_000,
      topic: 'orders/partially_fulfilled',
    }));
    const full = { ...entry, appliedKey: 'f'.repeat(64), expiresAt: 1_900_000_000, outcomes };
    await createLedger().write(key('820982911946154508'), full, 1_000);
    const [request] = service.requests;
    const { Item } = (request?.body ?? {}) as { Item?: Record<string, object> };
    // Names and values count, types do not; numbers count less than their text.
    const size = Object.entries(Item ?? {}).map(
      ([name, value]) => name + Object.values(value).join(''),
    );
    expect(size.join('').length).toBeGreaterThan(700);
    expect(size.join('').length).toBeLessThan(1_024);
  });
});

describe.each(CLIENTS)('the queues on SQS, through $name', ({ sqs }) => {
  const event: StoreEvent = {
    shop: 'example.myshopify.com',
    kind: 'order',
    id: '1',
    claim: 'changed',
    origin: 'webhook',
    topic: 'orders/create',
    deliveryId: 'd',
    receivedAt: '2026-10-01T10:00:00.000Z',
    body: undefined,
  };
  const message = (index: number) => ({
    messageId: `${index}`,
    receiptHandle: `receipt-${index}`,
    body: 'x',
    groupId: 'g',
    attempts: 1,
    sequenceNumber: `${index}`,
  });
  const urls = { orders: 'o', products: 'p', coupons: 'c' };
  const client = (within: CallBudget = budget) => sqs(within, service.endpoint);

  it.each(['hang', 'drip', 'stall', 'drop'] as const)(
    'reject an event after a few attempts when the endpoint would %s',
    async (fault) => {
      script = () => fault;
      const queue = createSqsEventQueue(client(impatient), urls);
      await expect(queue.send(event)).rejects.toThrow();
      expect(service.requests.length).toBeLessThanOrEqual(impatient.attempts);
    },
  );

  it('reject an event that SQS stored differently', async () => {
    const queue = createSqsEventQueue(client(), urls);
    script = () => ({ body: { MessageId: 'm', MD5OfMessageBody: '0'.repeat(32) } });
    await expect(queue.send(event)).rejects.toThrow();
    // Or does not say how.
    script = () => ({ body: { MessageId: 'm' } });
    await expect(queue.send(event)).rejects.toThrow();
  });

  it('never park with an attribute that SQS would refuse', async () => {
    // No checksum: only what was sent matters here.
    script = () => ({ body: { MessageId: 'm' } });
    const reason = {
      reason: 'rejected',
      why: `Não \u0000 ${'x'.repeat(60_000)}`,
      code: '',
      attempts: 2,
      at: '2026-10-01T10:00:00.000Z',
    } as const;
    const source = { messageId: 'source-1', body: 'the body' };
    await createSqsDeadLetters(client(), 'dead', 'orders')
      .park(source, reason)
      .catch(() => {});
    const sent = service.requests[0]?.body as {
      MessageAttributes: Record<string, { DataType: string; StringValue: string }>;
    };
    expect(Object.keys(sent.MessageAttributes).sort()).toEqual(['at', 'attempts', 'reason', 'why']);
    expect(sent.MessageAttributes.attempts).toEqual({ DataType: 'Number', StringValue: '2' });
    expect(sent.MessageAttributes.why?.StringValue).toMatch(/^N\\u00e3o \\u0000 x{900,990}$/);
    expect(sent).toMatchObject({
      MessageBody: 'the body',
      MessageGroupId: 'source-1',
      MessageDeduplicationId: 'source-1',
    });
  });

  it('delay in requests of ten and report by code what was not delayed', async () => {
    script = (_, { Entries }: { Entries: { Id: string }[] }) => ({
      body: {
        Successful: Entries.slice(1).map(({ Id }) => ({ Id })),
        Failed: Entries.slice(0, 1).map(({ Id }) => ({
          Id,
          SenderFault: true,
          Code: 'MessageNotInflight',
        })),
      },
    });
    const source = createSqsSourceQueue(client(), 'orders');
    const messages = Array.from({ length: 23 }, (_, index) => message(index));
    const fault: AggregateError = await source.delay(messages, 12.2).then(
      () => expect.unreachable(),
      (error) => error,
    );
    expect(fault.errors.map(String)).toEqual(
      Array(3).fill(expect.stringContaining('1 messages as it was: MessageNotInflight')),
    );
    expect(String(fault.errors)).not.toContain('receipt-');
    const entries = service.requests.map(({ body }) => (body as { Entries: object[] }).Entries);
    expect(entries.map(({ length }) => length).sort((a, b) => a - b)).toEqual([3, 10, 10]);
    expect(entries.flat()).toEqual(
      entries.flat().map(() => expect.objectContaining({ VisibilityTimeout: 13 })),
    );
  });

  it.each([
    [-1, 0],
    [0, 0],
    [0.1, 1],
    [42_300, 42_300],
    // Twelve hours from the receipt, which was up to fifteen minutes ago.
    [43_200, 42_300],
    [Number.POSITIVE_INFINITY, 42_300],
  ])('turn a delay of %d s into %d s', async (wanted, sent) => {
    script = () => ({ body: { Successful: [{ Id: '0' }] } });
    await createSqsSourceQueue(client(), 'orders').delay([message(0)], wanted);
    expect(service.requests[0]?.body).toMatchObject({ Entries: [{ VisibilityTimeout: sent }] });
  });
});
