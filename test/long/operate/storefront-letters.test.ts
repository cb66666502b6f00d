import type { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createDynamoDbClient,
  createLedgerTable,
  createSqsClient,
} from '../../../local/harness/sdk-clients.ts';
import connector from '../../../local/harness/storefront.config.ts';
import { type Emulator, startDynamoDb, startSqs } from '../../../local/stack/emulators.ts';
import { replayCommand } from '../../../scripts/connector/dead-letters/replay-command.ts';
import { awsSettings } from '../../../scripts/connector/deployment/deployment.ts';
import { type Document, exitCodeOf } from '../../../scripts/connector/document/document.ts';
import type { Session } from '../../../scripts/connector/session/session.ts';
import type { ExitCode } from '../../../scripts/connector/terminal/exit.ts';
import { createTerminal } from '../../../scripts/connector/terminal/terminal.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { createSqsDeadLetters } from '../../../shared/aws/sqs-queues.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { writeSummary } from '../../../shared/core/batch/dead-letter.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import { groupIdOf, type QueuedEvent } from '../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { startAwsGateway } from '../../support/aws-gateway.ts';
import { openBalanceWorker, SHOP } from '../../support/balance-worker.ts';
import { countMessages, createSourceQueue, receive } from '../../support/event-source.ts';

const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
const FAMILIES = ['Orders', 'Products', 'Coupons', 'Balances'];
let emulator: Emulator;
let dynamoDb: Emulator;
let gateway: Emulator;
let sqs: SQS;
let ledger: Ledger;
let outputs: Record<string, string>;
let opened = 0;

beforeAll(async () => {
  emulator = await startSqs();
  sqs = createSqsClient({ budget, emulator });
  dynamoDb = await startDynamoDb();
  const client = createDynamoDbClient({ budget, emulator: dynamoDb });
  await createLedgerTable(client, 'ledger');
  ledger = createDynamoDbLedger({ client, table: 'ledger' });
  gateway = await startAwsGateway({ sqs: emulator.endpoint, dynamodb: dynamoDb.endpoint });
});
afterAll(async () => {
  sqs.destroy();
  for (const part of [gateway, emulator, dynamoDb]) await part.stop();
});

beforeEach(async () => {
  opened += 1;
  outputs = { SecretsPrefix: 'none', LedgerTable: 'ledger' };
  for (const family of FAMILIES) {
    const queue = await createSourceQueue(sqs, emulator.endpoint, `${family}-${opened}`);
    outputs[`${family}QueueUrl`] = queue.url;
    outputs[`${family}DeadLetterQueueUrl`] = queue.deadLetterUrl;
  }
});

const urlOf = (name: string): string => outputs[name] ?? '';

/** Runs a command and gives its document, and the exit code of that. */
async function run(command: (session: Session) => Promise<Document | ExitCode>) {
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator' };
  const document = await command({
    terminal: createTerminal({ quiet: true }),
    show: () => {},
    beginChange: async () => ({ count: () => {} }),
    interruption: () => new AbortController().signal,
    findDeployment: async () => ({
      where: 'local',
      version: VERSION,
      stage: 'prod',
      stack: 'loyalty-connector-prod',
      region: 'us-east-1',
      aws: awsSettings({ region: 'us-east-1', endpoint: gateway.endpoint, credentials }),
      output: urlOf,
      connector,
    }),
  });
  if (typeof document === 'number') throw new Error(`a document is expected, not ${document}`);
  return { code: exitCodeOf(document), data: document.data };
}

const NOW = '2026-10-09T12:00:00.000Z';
const balance: QueuedEvent = {
  kind: 'balance',
  shop: SHOP,
  id: '7001',
  topic: 'Point_Add',
  deliveryId: `Point_Add/1/${NOW}`,
  eventDate: NOW,
  points: '4321.5',
  cashback: '1',
  receivedAt: NOW,
};
const redemption: QueuedEvent = {
  kind: 'redemption',
  shop: SHOP,
  id: 'ABCDEFGH1234',
  customerId: '7001',
  topic: 'redeem',
  deliveryId: 'redeem/ABCDEFGH1234',
  receivedAt: NOW,
};

async function park(event: QueuedEvent): Promise<void> {
  const letters = createSqsDeadLetters(sqs, urlOf('BalancesDeadLetterQueueUrl'), 'balances');
  const source = { messageId: `source-of-${event.id}-${opened}`, body: encodeEvent(event) };
  const why = 'the store does not take it';
  const reason = { reason: 'rejected', why, attempts: 3, at: new Date().toISOString() } as const;
  await letters.park(source, reason);
  await writeSummary(source, event, { ...reason, family: 'balances' }, ledger);
}

describe.each([
  ['balance', balance],
  ['redemption', redemption],
] as const)('a dead letter of a %s', (_, event) => {
  it('goes back to its queue, in its own group, with a new time for retries', async () => {
    await park(event);
    const { code, data } = await run((session) =>
      replayCommand(session, { id: [event.id] }, { yes: true }),
    );
    expect({ code, data }).toMatchObject({ code: 0, data: { replayed: 1 } });
    expect(await countMessages(sqs, urlOf('BalancesDeadLetterQueueUrl'))).toBe(0);
    const [message] = await receive(sqs, urlOf('BalancesQueueUrl'), 1);
    expect(message?.Attributes?.MessageGroupId).toBe(groupIdOf(event));
    const replays = [{ at: expect.any(String), by: expect.stringContaining('@') }];
    expect(decodeEvent(message?.Body ?? '')).toEqual({
      kind: 'event',
      event: { ...event, replays },
    });
  });
});

describe('a replayed balance', () => {
  it('is written by the worker, although its retry window was over', async () => {
    await park(balance);
    await run((session) => replayCommand(session, {}, { yes: true }));
    const [message] = await receive(sqs, urlOf('BalancesQueueUrl'), 1);
    const worker = openBalanceWorker(['7001']);
    worker.clock.ms = Date.now();
    worker.sendRaw(message?.Body ?? '', message?.Attributes?.MessageGroupId ?? '');
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.dead.size).toBe(0);
    expect(worker.store.customers.get('7001')).toMatchObject({ points: '4321.5' });
  });
});
