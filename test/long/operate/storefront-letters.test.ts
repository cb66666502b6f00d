import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createDynamoDbClient,
  createLedgerTable,
  createSqsClient,
} from '../../../local/harness/sdk-clients.ts';
import connector from '../../../local/harness/storefront.config.ts';
import { type Emulator, startDynamoDb, startSqs } from '../../../local/stack/emulators.ts';
import { dropCommand } from '../../../scripts/connector/dead-letters/drop.ts';
import { listLetters } from '../../../scripts/connector/dead-letters/list.ts';
import { replayCommand } from '../../../scripts/connector/dead-letters/replay-command.ts';
import { showLetter } from '../../../scripts/connector/dead-letters/show.ts';
import { awsSettings } from '../../../scripts/connector/deployment/deployment.ts';
import type { Session } from '../../../scripts/connector/session.ts';
import { createTerminal } from '../../../scripts/connector/terminal/terminal.ts';
import { createSqsDeadLetters } from '../../../shared/aws/sqs-queues.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import { groupIdOf, type QueuedEvent } from '../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { startAwsGateway } from '../../support/aws-gateway.ts';
import { openBalanceWorker, SHOP } from '../../support/balance-worker.ts';
import { countMessages, createSourceQueue, receive } from '../../support/event-source.ts';

const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
const FAMILIES = ['Orders', 'Products', 'Coupons', 'Balances'];
const folder = process.cwd();
let emulator: Emulator;
let dynamoDb: Emulator;
let gateway: Emulator;
let sqs: SQS;
let workplace: string;
let outputs: Record<string, string>;
let opened = 0;

beforeAll(async () => {
  emulator = await startSqs();
  sqs = createSqsClient({ budget, emulator });
  dynamoDb = await startDynamoDb();
  await createLedgerTable(createDynamoDbClient({ budget, emulator: dynamoDb }), 'ledger');
  gateway = await startAwsGateway({ sqs: emulator.endpoint, dynamodb: dynamoDb.endpoint });
  workplace = await mkdtemp(join(tmpdir(), 'storefront-letters-'));
  process.chdir(workplace);
});
afterAll(async () => {
  process.chdir(folder);
  await rm(workplace, { recursive: true });
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

/** Runs a command with `--json` and gives the document that it printed. */
async function run(command: (session: Session) => Promise<number>) {
  const documents: unknown[] = [];
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator' };
  const code = await command({
    terminal: { ...createTerminal({ quiet: true }), json: (one) => documents.push(one) },
    json: true,
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
  return { code, document: documents[0] };
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
  const source = { messageId: `source-of-${event.id}`, body: encodeEvent(event) };
  const why = 'the store does not take it';
  await letters.park(source, { reason: 'rejected', why, attempts: 3, at: NOW });
}

describe.each([
  ['balance', balance],
  ['redemption', redemption],
] as const)('a dead letter of a %s', (kind, event) => {
  it('is listed and shown, and stays where it is', async () => {
    await park(event);
    const listed = await run((session) => listLetters(session, { kind }, { scan: true }));
    expect(listed).toMatchObject({
      code: 0,
      document: { matching: 1, groups: [{ reason: 'rejected', example: { kind, id: event.id } }] },
    });
    const shown = await run((session) => showLetter(session, event.id, {}));
    expect(shown).toMatchObject({ document: { matching: 1, letters: [{ event: { kind } }] } });
    expect(JSON.stringify(shown.document)).not.toContain('4321');
    expect(await countMessages(sqs, urlOf('BalancesDeadLetterQueueUrl'))).toBe(1);
  });

  it('is only counted by a replay without --yes', async () => {
    await park(event);
    const { document } = await run((session) => replayCommand(session, { kind }, {}));
    expect(document).toMatchObject({ dryRun: true, wouldReplay: 1, cannot: {} });
    expect(await countMessages(sqs, urlOf('BalancesQueueUrl'))).toBe(0);
  });

  it('goes back to its queue, in its own group, with a new time for retries', async () => {
    await park(event);
    const { code, document } = await run((session) =>
      replayCommand(session, { id: [event.id] }, { yes: true }),
    );
    expect({ code, document }).toMatchObject({ code: 0, document: { replayed: 1 } });
    expect(await countMessages(sqs, urlOf('BalancesDeadLetterQueueUrl'))).toBe(0);
    const [message] = await receive(sqs, urlOf('BalancesQueueUrl'), 1);
    expect(message?.Attributes?.MessageGroupId).toBe(groupIdOf(event));
    const replays = [{ at: expect.any(String), by: expect.stringContaining('@') }];
    expect(decodeEvent(message?.Body ?? '')).toEqual({
      kind: 'event',
      event: { ...event, replays },
    });
  });

  it('leaves for good when it is dropped, and is kept in a file', async () => {
    await park(event);
    const { document } = await run((session) =>
      dropCommand(session, { kind }, { because: 'test', yes: true }),
    );
    expect(document).toMatchObject({ dropped: 1 });
    expect(await countMessages(sqs, urlOf('BalancesDeadLetterQueueUrl'))).toBe(0);
    const dropped = join('.connector', 'dropped');
    const files = await readdir(dropped);
    const kept = await Promise.all(files.map((file) => readFile(join(dropped, file), 'utf8')));
    expect(kept.join('')).toContain(event.deliveryId);
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

  it('is left where it is when its shop is not in the settings', async () => {
    await park({ ...balance, shop: 'gone.myshopify.com' });
    const { code, document } = await run((session) => replayCommand(session, {}, { yes: true }));
    expect({ code, document }).toMatchObject({ code: 1, document: { replayed: 0 } });
    expect(document).toMatchObject({ cannot: { 'shop-not-configured': 1 } });
    expect(await countMessages(sqs, urlOf('BalancesDeadLetterQueueUrl'))).toBe(1);
  });
});
